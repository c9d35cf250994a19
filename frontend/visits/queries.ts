import { infiniteQueryOptions } from "@tanstack/react-query";
import { getClaims, getClicks, getSimulatedPurchases } from "../api/calls.ts";
import { claimsKey, OWN_KEY } from "../api/queries.ts";

type Page<T> = { rows: T[]; next_before: number | null };

/** Pages of the user's own rows, newest first. */
const ownPages = <T>(queryKey: readonly string[], read: (before?: number) => Promise<Page<T>>) =>
  infiniteQueryOptions({
    queryKey: [...queryKey, "pages"],
    // A visit or purchase made in another tab is seen when this one is looked at again.
    refetchOnWindowFocus: "always",
    queryFn: ({ pageParam }: { pageParam: number | undefined }) => read(pageParam),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_before ?? undefined,
  });

export type OwnPages<T> = ReturnType<typeof ownPages<T>>;

export const claimPagesQuery = (wallet: string) => ownPages(claimsKey(wallet), getClaims);
export const clickPagesQuery = (wallet: string) => ownPages([...OWN_KEY, "clicks", wallet], getClicks);
export const simulatedPagesQuery = (wallet: string) =>
  ownPages([...OWN_KEY, "simulated", wallet], getSimulatedPurchases);
