import { queryOptions, useQuery } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import { OWN_KEY } from "./queries.ts";

/** Open tasks: counted in the header for admins, listed in the panel. */
export const attentionQuery = queryOptions({
  queryKey: [...OWN_KEY, "attention"],
  async queryFn({ signal }) {
    // The header of every page counts them: only an admin's loads the schemas.
    const { attentionResponseSchema } = await import("../../domain/api/admin-figures.ts");
    return (await ask(attentionResponseSchema, "/api/admin/attention", { signal })).attention;
  },
  staleTime: 10_000,
  refetchInterval: 60_000,
  retry: false,
});

export const useAttention = () => useQuery({ ...attentionQuery, refetchInterval: 20_000 });
