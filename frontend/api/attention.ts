import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Attention } from "../../domain/api/admin-figures.ts";
import { call } from "./http.ts";

/** Open tasks: counted in the header for admins, listed in the panel. */
export const attentionQuery = queryOptions({
  queryKey: ["own", "attention"],
  queryFn: async ({ signal }) =>
    (await call<{ attention: Attention }>("GET", "/api/admin/attention", undefined, signal)).attention,
  staleTime: 10_000,
  refetchInterval: 60_000,
  retry: false,
});

export const useAttention = () => useQuery({ ...attentionQuery, refetchInterval: 20_000 });
