import { searchKey } from "../text.ts";

/** How a club's colours lie on its shirt: the first is the cloth, the others are on it, in order. docs/product.md#clubs */
export const CLUB_PATTERNS = ["plain", "stripes", "hoops", "halves", "sash", "chest_band", "centre_band"] as const;
export type ClubPattern = (typeof CLUB_PATTERNS)[number];

/** How a club looks: two or three colours as `#rrggbb`. */
export type ClubLook = { colours: readonly string[]; pattern: ClubPattern };

/** A club that Torcida knows before anybody has told it of one. */
export type BuiltInClub = ClubLook & {
  slug: string;
  name: string;
  /** What else its fans and its stores call it, without what another club is called too. */
  aliases: readonly string[];
  /** ISO 3166. */
  country: string;
};

/** No club's slug: `/clubs/…` and `/api/clubs/…` have something else there. */
export const RESERVED_CLUB_SLUGS: readonly string[] = ["table"];

/** A list of them is one answer. */
export const CLUBS_MAX = 1_000;

/**
 * A club's name as it is compared: without case, accents and marks between its words.
 * @example
 * clubKey("S.C. Corinthians") // "s c corinthians"
 */
export function clubKey(name: string): string {
  return searchKey(name)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** All that a text may say to mean a club. docs/product.md#club-names */
export function clubKeys({ slug, name, aliases }: Pick<BuiltInClub, "slug" | "name" | "aliases">): string[] {
  return [...new Set([slug, name, ...aliases].map(clubKey))].filter(Boolean);
}

/** The clubs by all that a text may say to mean one: a name of two clubs means neither. docs/product.md#club-names */
export function clubsByName<Club extends Pick<BuiltInClub, "slug" | "name" | "aliases">>(
  clubs: readonly Club[],
): ReadonlyMap<string, Club | undefined> {
  const found = new Map<string, Club | undefined>();
  for (const club of clubs) for (const key of clubKeys(club)) found.set(key, found.has(key) ? undefined : club);
  return found;
}
