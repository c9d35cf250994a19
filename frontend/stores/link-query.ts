import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { linkResponseSchema } from "../../core/rules/api/purchases.ts";
import type { PurchaseRequest } from "../api/calls.ts";
import type { Heard } from "../api/heard.ts";
import { ApiError, call } from "../api/http.ts";

export type LinkAnswer = Heard<z.infer<typeof linkResponseSchema>>;

/** Whose page a link leads to; for a user a click that leads there. */
export function findLink(
  request: Pick<PurchaseRequest, "token_slug"> & { url: string; user?: string; store_id?: number | string },
): Promise<LinkAnswer> {
  return call("POST", "/api/links", request);
}

/** Whose page a pasted link leads to; a refusal is an answer. */
export const linkQuery = (url: string, storeId: string | undefined) =>
  queryOptions({
    queryKey: ["link", url, storeId],
    queryFn: () => findLink({ url, ...(storeId && { store_id: storeId }) }),
    retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
  });
