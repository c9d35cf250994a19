/** Characters that end a line of a log, are not stored by PostgreSQL, or are only half of one. */
const UNSTORABLE = /\p{Cc}|\p{Cs}/u;
const UNSTORABLE_ALL = /\p{Cc}|\p{Cs}/gu;

/** Whether a text of others can be stored, compared and shown as it is: so long at most, no control characters. */
export function isPlainText(text: string, maximum: number): boolean {
  return text.length <= maximum && !UNSTORABLE.test(text);
}

/**
 * A text of others made fit to be stored and shown: other characters become `\ufffd`, the rest is cut off.
 * @example
 * plainText("broken\u0000 order", 7) // "broken\ufffd"
 */
export function plainText(text: string, maximum: number): string {
  return text.slice(0, maximum).replaceAll(UNSTORABLE_ALL, "\ufffd");
}
