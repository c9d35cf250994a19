import { QueryClient, queryOptions } from "@tanstack/react-query";
import { deployment } from "../app/deployment.ts";
import { getConfig, getFanTokens, getStore, getStores, getTicket } from "./calls.ts";
import { ApiError } from "./http.ts";

const RETRIES = 2;
const pageLoadedAt = Date.now();

/** Temporary failures are retried; rejected requests are not. */
export function isWorthRetrying(failures: number, error: Error): boolean {
  if (error instanceof ApiError && error.status < 500 && error.status !== 429) return false;
  return failures < RETRIES;
}

export const retryDelayMs = (attempt: number): number => 400 * 2 ** attempt;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthRetrying,
      retryDelay: retryDelayMs,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/** Delivered with the page, and refetched because the rate changes. */
export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: getConfig,
  staleTime: 60_000,
  initialData: deployment,
  initialDataUpdatedAt: pageLoadedAt,
});
export const storesQuery = queryOptions({ queryKey: ["stores"], queryFn: getStores });
/** The stores on offer. */
export const offeredStoresQuery = queryOptions({
  ...storesQuery,
  select: (stores) => stores.filter((store) => !store.isDraft),
});
export const storeQuery = (id: string) =>
  queryOptions({ queryKey: ["store", id], queryFn: ({ signal }) => getStore(id, { signal }) });
export const ticketQuery = (id: string) =>
  queryOptions({ queryKey: ["ticket", id], queryFn: ({ signal }) => getTicket(id, { signal }) });
export const fanTokensQuery = queryOptions({ queryKey: ["fan-tokens"], queryFn: getFanTokens });
