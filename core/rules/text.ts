/**
 * Normalizes text for searching: no accents, lower case, single spaces.
 * @example
 * searchKey(" Verdão  Store ") // "verdao store"
 */
export function searchKey(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}

/** The form of a fan token's slug. docs/product.md#slug. */
export const SLUG_PATTERN = /^[a-z0-9-]{1,32}$/;

/**
 * Converts a name to a slug: lower case, no accents, a hyphen for everything that is not a letter or digit.
 * @example
 * slugify("São Paulo F.C.") // "sao-paulo-f-c"
 */
export function slugify(name: string): string {
  return name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/** Trims and collapses whitespace, then splits at the first space: "Ana" / "Maria Silva". docs/product.md#full-name. */
export function splitFullName(fullName: string): { firstName: string; lastName: string } {
  const [firstName = "", ...rest] = fullName.trim().split(/\s+/);
  return { firstName, lastName: rest.join(" ") };
}

/** First and last name joined by a space. docs/product.md#full-name */
export function joinFullName(firstName: string, lastName: string): string {
  return `${firstName} ${lastName}`.trim();
}

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

/** Text for HTML, SVG and XML, between tags and in attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** JSON for a script element: no text in it can close the element. */
export function jsonForHtml(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
