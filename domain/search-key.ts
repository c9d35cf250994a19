/**
 * Normalizes text for searching: no accents, lower case, single spaces.
 * @example
 * searchKey(" Verdão  Store ") // "verdao store"
 */
export function searchKey(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}
