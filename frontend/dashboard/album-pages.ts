import type { Entry } from "./statement.ts";

export const ALBUM_ORDERS = ["month", "club"] as const;
/** What a page of the album is. */
export type AlbumOrder = (typeof ALBUM_ORDERS)[number];

/** The tickets of a month, or of a club's stores, newest first. */
export type AlbumPage = {
  key: string;
  /** A time in the month; empty for tickets without a date, and by club. */
  month: string;
  /** The slug of the club; undefined for stores without one, and by month. */
  club: string | undefined;
  entries: Entry[];
};
/** A calendar year; undefined for tickets without a date. */
export type AlbumSeason = { year: number | undefined; pages: AlbumPage[] };

/**
 * Seasons from the newest, with their pages: months from the newest, or clubs, those with the most tickets first and
 * stores without a club last. Years and months are the reader's. docs/product.md#album
 */
export function albumOf(entries: readonly Entry[], order: AlbumOrder): AlbumSeason[] {
  const seasons = new Map<number | undefined, Map<string, AlbumPage>>();
  for (const entry of entries) {
    const { date, nft } = entry;
    const at = new Date(date);
    const isDated = !Number.isNaN(at.getTime());
    const year = isDated ? at.getFullYear() : undefined;
    const club = order === "club" ? (nft?.club_slug ?? undefined) : undefined;
    const key = order === "club" ? (club ?? "") : isDated ? String(at.getMonth()) : "";
    const pages = seasons.get(year) ?? new Map<string, AlbumPage>();
    const page = pages.get(key) ?? { key: `${year} ${key}`, month: order === "month" ? date : "", club, entries: [] };
    page.entries.push(entry);
    seasons.set(year, pages.set(key, page));
  }
  return [...seasons].map(([year, pages]) => ({
    year,
    pages: order === "month" ? [...pages.values()] : [...pages.values()].sort(byTickets),
  }));
}

const byTickets = (one: AlbumPage, other: AlbumPage): number =>
  Number(one.club === undefined) - Number(other.club === undefined) || other.entries.length - one.entries.length;

/** The same seasons with so many tickets, the first ones. */
export function firstOf(seasons: readonly AlbumSeason[], count: number): AlbumSeason[] {
  let left = count;
  const take = (page: AlbumPage): AlbumPage[] => {
    const entries = page.entries.slice(0, left);
    left -= entries.length;
    return entries.length > 0 ? [{ ...page, entries }] : [];
  };
  return seasons
    .map(({ year, pages }) => ({ year, pages: pages.flatMap(take) }))
    .filter(({ pages }) => pages.length > 0);
}

export const entriesIn = (seasons: readonly AlbumSeason[]): Entry[] =>
  seasons.flatMap(({ pages }) => pages.flatMap((page) => page.entries));
