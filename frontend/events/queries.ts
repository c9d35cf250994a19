import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { getEvents } from "../api/calls.ts";
import { OWN_KEY } from "../api/queries.ts";

const UNREAD_EVERY_MS = 60_000;
export const unreadQuery = (wallet: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "unread", wallet],
    queryFn: async () => (await getEvents(undefined, 1)).unread,
    refetchInterval: UNREAD_EVERY_MS,
    retry: false,
  });

/** A user's events, page by page; read anew each time the list opens, and not while it is open: a row keeps its mark. */
export const eventsQuery = (wallet: string) =>
  infiniteQueryOptions({
    queryKey: [...OWN_KEY, "events", wallet],
    queryFn: ({ pageParam }: { pageParam: number | undefined }) => getEvents(pageParam),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_before ?? undefined,
    gcTime: 0,
    refetchOnReconnect: false,
  });
