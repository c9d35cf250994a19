import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { conversionResponseSchema, testClickResponseSchema } from "../../../core/rules/api/admin-catalogue.ts";
import { boostsResponseSchema } from "../../../core/rules/api/boosts.ts";
import { storeResponseSchema } from "../../../core/rules/api/catalogue.ts";
import { adminOffersResponseSchema } from "../../../core/rules/api/offers.ts";
import { ask } from "../../api/ask.ts";
import { OFFERS_KEY, OWN_KEY, STORES_KEY, storeQuery } from "../../api/queries.ts";

/** A store as its form shows it, drafts too. */
export const storeDetailsQuery = (id: string) =>
  queryOptions({
    queryKey: [...storeQuery(id).queryKey, "admin"],
    queryFn: async ({ signal }) =>
      (await ask(storeResponseSchema, `/api/stores/${encodeURIComponent(id)}`, { signal })).store,
    staleTime: 0,
  });

/** A store's boosts, past ones too. */
export const boostsQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "boosts", storeId],
    queryFn: async ({ signal }) =>
      (await ask(boostsResponseSchema, `/api/admin/stores/${storeId}/boosts`, { signal })).boosts,
    refetchInterval: 30_000,
  });

/** A store's offers, those that are over too. */
export const adminOffersQuery = (storeId: string) =>
  infiniteQueryOptions({
    queryKey: [...OWN_KEY, "offers", storeId],
    queryFn: ({ pageParam, signal }) =>
      ask(adminOffersResponseSchema, `/api/admin/stores/${storeId}/offers${pageParam && `?before=${pageParam}`}`, {
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => (page.next_before === null ? undefined : String(page.next_before)),
  });

/** A store's clicks and the sales that they led to, by month. */
export const conversionQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "conversion", storeId],
    queryFn: async ({ signal }) =>
      (await ask(conversionResponseSchema, `/api/admin/stores/${storeId}/conversion`, { signal })).months,
  });

/** Where a buyer would be sent, asked anew each time. */
export const testClickQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "test-click", storeId],
    queryFn: () => ask(testClickResponseSchema, `/api/admin/stores/${storeId}/test-click`),
    staleTime: 0,
    retry: false,
  });

/** After a change of the catalogue: every list of stores and offers, the log and the figures, and the store itself. */
export function reloadCatalogue(client: QueryClient, storeId?: string): Promise<unknown> {
  const changed = [STORES_KEY, OFFERS_KEY, OWN_KEY, ...(storeId === undefined ? [] : [storeQuery(storeId).queryKey])];
  return Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
}
