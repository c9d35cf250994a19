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
