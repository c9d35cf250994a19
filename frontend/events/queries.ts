import { infiniteQueryOptions } from "@tanstack/react-query";
import { getEvents } from "../api/calls.ts";
import { OWN_KEY } from "../api/queries.ts";

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
