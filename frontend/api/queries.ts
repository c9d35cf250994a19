import {
  infiniteQueryOptions,
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
} from "@tanstack/react-query";
import { FEATURED_STORES_MAX } from "../../core/rules/product.ts";
import { deployment } from "../app/deployment.ts";
import { ask } from "./ask.ts";
import {
  getConfig,
  getFanTokens,
  getIsAdmin,
  getMe,
  getStore,
  getStorePace,
  getStores,
  getTicket,
  type StoreSearch,
} from "./calls.ts";
import { ApiError, MalformedAnswer } from "./http.ts";
import { reportFault } from "./report-fault.ts";

const RETRIES = 2;
const pageLoadedAt = Date.now();

/** Temporary failures are retried; rejected requests and malformed answers are not. */
export function isWorthRetrying(failures: number, error: Error): boolean {
  if (error instanceof MalformedAnswer) return false;
  if (error instanceof ApiError && error.status < 500 && error.status !== 429) return false;
  return failures < RETRIES;
}

export const retryDelayMs = (attempt: number): number => 400 * 2 ** attempt;

function onError(error: Error): void {
  if (error instanceof MalformedAnswer) reportFault({ kind: "answer", at: error.call, detail: error.field });
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: isWorthRetrying,
      retryDelay: retryDelayMs,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      networkMode: "always",
      // Otherwise off in this mode.
      refetchOnReconnect: true,
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
/** Every query of what only its user may see begins with this: it ends with the session. */
export const OWN_KEY = ["own"];
/** Every query of a wallet's claims begins with this. */
export const claimsKey = (wallet: string) => [...OWN_KEY, "claims", wallet];
/** Every query of a list of stores begins with this. */
export const STORES_KEY = ["stores"];
const STORES_A_PAGE = "24";
export const storesQuery = (search: StoreSearch) =>
  infiniteQueryOptions({
    queryKey: [...STORES_KEY, "pages", search],
    queryFn: ({ pageParam, signal }) =>
      getStores({ ...search, limit: STORES_A_PAGE, ...(pageParam ? { after: pageParam } : {}) }, { signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    // While the next search is under way, the last one's stores stay.
    placeholderData: keepPreviousData,
  });
/** Every query of offers begins with this. */
export const OFFERS_KEY = ["offers"];
/** Stores by their ids: the API ignores those that are not on offer. */
export const namedStoresQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...STORES_KEY, "named", ids],
    queryFn: ({ signal }) => getStores({ ids: ids.join(",") }, { signal }),
    enabled: ids.length > 0,
  });
/** The stores of the home page, with the filters of the whole catalogue. */
export const featuredStoresQuery = queryOptions({
  queryKey: [...STORES_KEY, "featured"],
  queryFn: ({ signal }) => getStores({ featured: "true", limit: String(FEATURED_STORES_MAX) }, { signal }),
});
export const storeQuery = (id: string) =>
  queryOptions({ queryKey: ["store", id], queryFn: ({ signal }) => getStore(id, { signal }) });
export const storePaceQuery = (id: string) =>
  queryOptions({ queryKey: ["store", id, "pace"], queryFn: ({ signal }) => getStorePace(id, { signal }) });
export const ticketQuery = (id: string) =>
  queryOptions({ queryKey: ["ticket", id], queryFn: ({ signal }) => getTicket(id, { signal }) });
export const ME_KEY = ["me"];
export const meQuery = (token: string | null) => queryOptions({ queryKey: [...ME_KEY, token], queryFn: getMe });
/** Of the user id. */
export const ADMIN_KEY = ["is-admin"];
export const isAdminQuery = (id: string | undefined) =>
  queryOptions({ queryKey: [...ADMIN_KEY, id], queryFn: getIsAdmin });
export const fanTokensQuery = queryOptions({ queryKey: ["fan-tokens"], queryFn: getFanTokens });

/** Asked for once a visit: a club's colours change in no minute. */
export const clubsQuery = queryOptions({
  queryKey: ["clubs"],
  // No first paint waits for them.
  queryFn: async ({ signal }) => (await import("../club/clubs.ts")).getClubs({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Open tasks: counted in the header for admins, listed in the panel. */
export const attentionQuery = queryOptions({
  queryKey: [...OWN_KEY, "attention"],
  async queryFn({ signal }) {
    // The header of every page counts them: only an admin's loads the schemas.
    const { attentionResponseSchema } = await import("../../core/rules/api/admin-figures.ts");
    return (await ask(attentionResponseSchema, "/api/admin/attention", { signal })).attention;
  },
  staleTime: 10_000,
  refetchInterval: 60_000,
  retry: false,
});

export const useAttention = () => useQuery({ ...attentionQuery, refetchInterval: 20_000 });
