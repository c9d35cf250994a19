import type { z } from "zod";
import type { storesQuerySchema } from "../../core/rules/api/catalogue.ts";
import type { Cursors } from "../http/cursors.ts";

export type StoresQuery = z.output<typeof storesQuerySchema>;

/** Names the list of stores that a query pages through. */
export function listOfStores({ query, country, category, club, featured, sort }: StoresQuery): string {
  return JSON.stringify(["stores", query, country, category, club, featured, sort]);
}

/** Where a page of stores starts; undefined for the first one. A plain cursor costs its reader more. */
export function readStoresCursor(
  cursors: Cursors,
  query: StoresQuery,
): { cursor: string; isPlain: boolean } | undefined {
  return query.after === undefined ? undefined : cursors.read(listOfStores(query), query.after);
}
