import { queryOptions } from "@tanstack/react-query";
import { networksResponseSchema } from "../../../core/rules/api/admin-networks.ts";
import { saleResponseSchema } from "../../../core/rules/api/sales.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

export const saleQuery = (id: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "sale", id],
    queryFn: async ({ signal }) => (await ask(saleResponseSchema, `/api/admin/sales/${id}`, { signal })).sale,
    staleTime: 0,
  });

/** What networks and rate feeds sent that waits for a person. */
export const networksQuery = queryOptions({
  queryKey: [...OWN_KEY, "networks"],
  queryFn: ({ signal }) => ask(networksResponseSchema, "/api/admin/networks", { signal }),
});
