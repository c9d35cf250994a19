import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { networksResponseSchema } from "../../../core/rules/api/admin-networks.ts";
import { adminPurchaseResponseSchema } from "../../../core/rules/api/admin-purchases.ts";
import { saleResponseSchema } from "../../../core/rules/api/sales.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";
import type { Preview } from "../shapes.ts";

/* What a decision will also change, as the answer about what it names says. docs/product.md#decision-preview */

type Answer = z.ZodType<{ preview?: Preview | undefined }>;

/** Long enough for the next digit of a number that is typed. */
const TYPING_MS = 250;

const previewQuery = (schema: Answer, path: string, asked: Record<string, string>, isTyped = false) =>
  queryOptions({
    queryKey: [...OWN_KEY, "preview", path, asked],
    queryFn: async ({ signal }) => {
      if (isTyped) await new Promise((resolve) => setTimeout(resolve, TYPING_MS));
      signal.throwIfAborted();
      return (await ask(schema, `${path}?${new URLSearchParams(asked)}`, { signal })).preview ?? null;
    },
    staleTime: 0,
    retry: false,
  });

export const salePreviewQuery = (id: number, decision: "release" | "decline") =>
  previewQuery(saleResponseSchema, `/api/admin/sales/${id}`, { decision });

/** A visit that the sale would be of. */
export const assignPreviewQuery = (id: number, click_id: string) =>
  previewQuery(saleResponseSchema, `/api/admin/sales/${id}`, { decision: "assign", click_id });

/** A claim that the sale would answer. */
export const matchPreviewQuery = (id: number, claimId: number) =>
  previewQuery(saleResponseSchema, `/api/admin/sales/${id}`, { decision: "match", claim_id: String(claimId) }, true);

export const purchasePreviewQuery = (id: number) =>
  previewQuery(adminPurchaseResponseSchema, `/api/admin/purchases/${id}`, { decision: "release" });

export const ratePreviewQuery = (currency: string, day: string) =>
  previewQuery(networksResponseSchema, "/api/admin/networks", { currency, day });
