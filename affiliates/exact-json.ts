/**
 * Parses JSON and keeps every number as its original text, so that 0.1 does not become a binary fraction and a
 * twenty-digit id keeps all its digits.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? (context?.source ?? String(value)) : value,
  );
}
