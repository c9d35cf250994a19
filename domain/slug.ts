/** The form of a fan token's slug. docs/product.md#slug. */
export const SLUG_PATTERN = /^[a-z0-9-]{1,32}$/;

/** A name as a slug: lower case, accents dropped, everything else that is no letter or digit a hyphen. */
export function slugify(name: string): string {
  return name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
