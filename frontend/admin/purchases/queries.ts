import { queryOptions } from "@tanstack/react-query";
import { adminPurchaseResponseSchema } from "../../../domain/api/admin-purchases.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

export const purchaseQuery = (id: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "purchase", id],
    queryFn: async ({ signal }) =>
      (await ask(adminPurchaseResponseSchema, `/api/admin/purchases/${id}`, { signal })).purchase,
    staleTime: 0,
    refetchInterval: 10_000,
  });
