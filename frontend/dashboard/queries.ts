import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { getClaims, getClicks, getPurchases } from "../api/calls.ts";
import { claimsKey, OWN_KEY } from "../api/queries.ts";

/** The purchases before `last`, the oldest in the profile. */
export const olderPurchasesQuery = (wallet: string, last: number | undefined) =>
  infiniteQueryOptions({
    queryKey: [...OWN_KEY, "purchases", wallet, last],
    queryFn: ({ pageParam, signal }) => getPurchases(pageParam, { signal }),
    initialPageParam: last ?? 0,
    getNextPageParam: (page) => page.next_before,
  });

export const lastClicksQuery = (wallet: string) =>
  queryOptions({ queryKey: [...OWN_KEY, "last clicks", wallet], queryFn: async () => (await getClicks()).rows });
/** Claims without an answer. */
export const openClaimsQuery = (wallet: string) =>
  queryOptions({
    queryKey: [...claimsKey(wallet), "open"],
    queryFn: async () => (await getClaims()).rows.filter((claim) => claim.state === "open"),
  });
