import type { StoreSearch } from "../api/calls.ts";

export const FILTERS = ["country", "category", "club"] as const;
export type FilterName = (typeof FILTERS)[number];

/** The search in the page's URL: the highest cashback first, unless it names another order. */
export function searchOf(parameters: URLSearchParams): StoreSearch {
  const query = parameters.get("q")?.slice(0, 128) ?? "";
  const sort = parameters.get("sort") ?? "";
  return {
    ...(query ? { query } : {}),
    ...Object.fromEntries(FILTERS.flatMap((name) => (parameters.get(name) ? [[name, parameters.get(name)]] : []))),
    sort: sort === "name" || sort === "newest" ? sort : "cashback",
  };
}
