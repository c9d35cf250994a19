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

/** What a decision about a sale will change; a visit belongs to `assign`. docs/product.md#decision-preview */
export const salePreviewQuery = (id: number, decision: "release" | "decline" | "assign", click = "") =>
  queryOptions({
    queryKey: [...OWN_KEY, "sale-preview", id, decision, click],
    queryFn: async ({ signal }) => {
      const asked = new URLSearchParams({ decision, ...(click && { click_id: click }) });
      const { preview } = await ask(saleResponseSchema, `/api/admin/sales/${id}?${asked}`, { signal });
      return preview ?? null;
    },
    staleTime: 0,
    retry: false,
  });

/** What the acceptance of a doubtful rate will change. */
export const ratePreviewQuery = (currency: string, day: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "rate-preview", currency, day],
    queryFn: async ({ signal }) => {
      const asked = new URLSearchParams({ currency, day });
      return (await ask(networksResponseSchema, `/api/admin/networks?${asked}`, { signal })).preview ?? null;
    },
    staleTime: 0,
    retry: false,
  });

/** What networks and rate feeds sent that waits for a person. */
export const networksQuery = queryOptions({
  queryKey: [...OWN_KEY, "networks"],
  queryFn: ({ signal }) => ask(networksResponseSchema, "/api/admin/networks", { signal }),
});
