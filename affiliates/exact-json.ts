/**
 * Parses JSON with every number as the text that stands there: a network's 0.1 is not a binary fraction, and an id of
 * twenty digits keeps them all.
 */
export function parseExactJson(text: string): unknown {
  const keepText = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? (context?.source ?? String(value)) : value;
  return JSON.parse(text, keepText as (key: string, value: unknown) => unknown);
}
