import type { z } from "zod";
import type { ApprovalGroup } from "../../core/rules/api/admin-approvals.ts";
import { catalogueImportResponseSchema, logoResponseSchema } from "../../core/rules/api/admin-catalogue.ts";
import type { createStoreRequestSchema } from "../../core/rules/api/catalogue.ts";
import { type Decided, decidedSchema } from "../../core/rules/api/common.ts";
import { claimPictureResponseSchema } from "../../core/rules/api/sales.ts";
import { acceptedSuggestionsSchema } from "../../core/rules/api/suggested-stores.ts";
import type { Translations } from "../../core/rules/languages.ts";
import { ask, held } from "../api/ask.ts";
import { ApiError, call, callForText, sendFile } from "../api/http.ts";
import type { SaleDetails } from "./shapes.ts";

/** The result of the store and fan-token helpers, which never throw. docs/product.md#error-helpers. */
export type Outcome = {
  success: boolean;
  message: string;
  /** Why it failed. */
  error?: unknown;
  /** The id of a created row. */
  id?: string;
  /** It takes effect when a second person agrees. docs/product.md#percent-approvals */
  waits?: true | "proposal";
};

/** A store as its form has it. */
export type StoreFields = Record<Exclude<keyof z.input<typeof createStoreRequestSchema>, "featured">, string> & {
  featured: boolean;
};
export type CashbackFields = {
  category: string;
  cashback_percent: string;
  group_code: string;
  is_default: boolean;
  is_by_hand: boolean;
  cashback_share_percent: string;
} & Translations<{ category: string }>;
/** What an update of a category sends; null clears. */
export type CashbackChange = Pick<CashbackFields, "category" | "cashback_percent"> & {
  group_code?: string | null;
  is_default?: boolean;
  is_by_hand?: boolean;
  cashback_share_percent?: string | null;
} & Partial<Translations<{ category: string | null }>>;
export type FanTokenFields = { id?: string; name: string; slug: string; image: string; contract?: string | null };

/** A decision of the panel. @throws MalformedAnswer, and what `call` throws */
const decide = (path: string, body: object): Promise<Decided> => ask(decidedSchema, path, { method: "POST", body });

async function attempt(method: string, path: string, body: unknown, fallback: string): Promise<Outcome> {
  try {
    const {
      message = "",
      id,
      approval_id,
      proposal_id,
    } = await call<{ message?: string; id?: string | number; approval_id?: number; proposal_id?: number }>(
      method,
      path,
      body,
    );
    const isProposed = proposal_id !== undefined && { waits: "proposal" as const };
    const waits = approval_id === undefined ? isProposed : { waits: true as const };
    return { success: true, message, ...waits, ...(id !== undefined && { id: String(id) }) };
  } catch (error) {
    return { success: false, message: error instanceof ApiError ? error.message : fallback, error };
  }
}

/** Optional fields are sent only with a value. docs/product.md#store. */
export function nonEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "" && value !== false));
}

export const createStore = (fields: StoreFields) =>
  attempt("POST", "/api/store", nonEmpty(fields), "Failed to create store");

/** Sends the changed fields with the required ones; null clears an emptied one. */
export function updateStore(id: string, before: StoreFields, after: StoreFields): Promise<Outcome> {
  const body = { name: after.name, country: after.country, ...changesOf(before, after) };
  return attempt("PUT", `/api/store/${id}`, body, "Failed to update store");
}

export function changesOf(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after)
      .filter(([key, value]) => value !== before[key])
      .map(([key, value]) => [key, value === "" ? null : value]),
  );
}

export const deleteStore = (id: string) => attempt("DELETE", `/api/store/${id}`, undefined, "Failed to delete store");

export const addCashback = (storeId: string, { is_by_hand, ...fields }: CashbackFields) =>
  attempt(
    "POST",
    `/api/store/${storeId}/cashback`,
    { ...nonEmpty(fields), ...(!is_by_hand && { is_by_hand }) },
    "Failed to add cashback",
  );

/** A field without a value stays unchanged. */
export function updateCashback(storeId: string, id: string, fields: CashbackChange): Promise<Outcome> {
  const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined));
  return attempt("PUT", `/api/store/${storeId}/cashback/${id}`, body, "Failed to update cashback");
}

export const deleteCashback = (storeId: string, id: string) =>
  attempt("DELETE", `/api/store/${storeId}/cashback/${id}`, undefined, "Failed to delete cashback");

/** Boosts. Times are ISO text, null for now; a null category is the whole store. docs/product.md#boost */
export type BoostFields = { percent: string; category_id: number | null; starts_at: string | null; ends_at: string };
export const planBoost = (storeId: string, fields: BoostFields) =>
  attempt("POST", `/api/admin/stores/${storeId}/boosts`, fields, "Failed to plan boost");
export const endBoost = (id: number) => decide(`/api/admin/boosts/${id}/end`, {});
export const withdrawBoost = (id: number) => decide(`/api/admin/boosts/${id}/withdraw`, {});

/** Offers that a person wrote; of a change only the fields that differ. docs/product.md#offers */
export const addOffer = (storeId: string, fields: Record<string, unknown>) =>
  attempt("POST", `/api/admin/stores/${storeId}/offers`, fields, "Failed to add offer");
export const updateOffer = (id: number, fields: Record<string, unknown>) =>
  attempt("PUT", `/api/admin/offers/${id}`, fields, "Failed to change offer");
export const deleteOffer = (id: number) =>
  attempt("DELETE", `/api/admin/offers/${id}`, undefined, "Failed to delete offer");

/** Shops that the networks offer. docs/product.md#suggested-stores */
const SUGGESTED = "/api/admin/suggested-stores";
/** @throws ApiError with the code of the suggestion's refusal */
export async function acceptSuggestion(id: number): Promise<void> {
  const { refused } = await ask(acceptedSuggestionsSchema, `${SUGGESTED}/accept`, {
    method: "POST",
    body: { ids: [id] },
  });
  const [first] = refused;
  if (first) throw new ApiError(first.code, 409, { code: first.code });
}
export const dismissSuggestion = (id: number) => decide(`${SUGGESTED}/dismiss`, { ids: [id] });
export const readProgrammes = () => decide(`${SUGGESTED}/read`, {});
export const acceptWithheld = (network: string, account: string) =>
  decide(`${SUGGESTED}/withheld`, { network, account });

/** Percents that need two people. docs/product.md#percent-approvals */
export const decidePercent = (id: number, verb: "approve" | "refuse", reason: string) =>
  decide(`/api/admin/percent-approvals/${id}/${verb}`, { reason });

/** An empty picture is omitted; the contract is sent only if given, null clears it. */
export function saveFanToken({ id, image, ...fields }: FanTokenFields): Promise<Outcome> {
  const body = {
    ...(id && { id: /^\d+$/.test(id) ? Number(id) : id }),
    ...fields,
    ...(image && { image }),
  };
  return attempt("POST", "/api/admin/fan-token", body, "Failed to create/update fan token");
}

export const deleteFanToken = (id: string) =>
  attempt("DELETE", `/api/admin/fan-token/${id}`, undefined, "Failed to delete fan token");

/** A club as its form has it: lists as texts, which the api reads as a file's. docs/product.md#clubs */
export type ClubFields = Record<"slug" | "name" | "aliases" | "colours" | "pattern" | "country" | "token_slug", string>;
export const saveClub = ({ token_slug, ...fields }: ClubFields) =>
  attempt("POST", "/api/admin/clubs", { ...fields, token_slug: token_slug || null }, "Failed to save club");
export const deleteClub = (slug: string) =>
  attempt("DELETE", `/api/admin/clubs/${slug}`, undefined, "Failed to delete club");

/** Sales and claims. docs/product.md#sales-calls. */
/** A decision names the revision of the sale and the reasons to hold it, with their figures, that the admin sees. */
type SeenSale = Pick<SaleDetails, "id" | "revision" | "holds" | "holds_key">;
const decideSale = ({ id, revision, holds, holds_key }: SeenSale, decision: string, body: object) =>
  decide(`/api/admin/sales/${id}/${decision}`, { ...body, ...(revision !== null && { revision }), holds, holds_key });
export const releaseSale = (sale: SeenSale, reason: string) => decideSale(sale, "release", { reason });
export const declineSale = (sale: SeenSale, reason: string) => decideSale(sale, "decline", { reason });
export const assignSale = (sale: SeenSale, click_id: string, reason: string) =>
  decideSale(sale, "assign", { click_id, reason });
export const matchClaim = (id: number, sale_id: number, reason: string) =>
  decide(`/api/admin/claims/${id}/match`, { sale_id, reason });
export const refuseClaim = (id: number, reason: string) => decide(`/api/admin/claims/${id}/refuse`, { reason });

export const acceptRate = (currency: string, day: string) =>
  decide(`/api/admin/fx-rates/${currency}/${day}/accept`, {});

/** The queue of operations for the chain. docs/product.md#panel-lists. */
export const retryOperation = (id: number, reason: string) => decide(`/api/admin/operations/${id}/retry`, { reason });
export const setPayouts = (paused: boolean, reason: string) => decide("/api/admin/payouts", { paused, reason });

/** Payouts that need two people. docs/product.md#panel-approvals. */
export const approvePayment = (id: number, reason: string) => decide(`/api/admin/approvals/${id}/approve`, { reason });
/** Names what was read; if it has changed since, nothing is decided. */
export const decideTogether = (
  { asked_by, until, count, amount }: ApprovalGroup,
  verb: "approve" | "refuse",
  reason: string,
) => decide(`/api/admin/approvals/${verb}`, { asked_by, until, count, amount, reason });
export const refusePayment = (id: number, reason: string) => decide(`/api/admin/approvals/${id}/refuse`, { reason });

/** Purchases. docs/product.md#panel-purchase. */
export const holdPurchase = (id: number, reason: string) => decide(`/api/admin/purchases/${id}/hold`, { reason });
export const releasePurchase = (id: number, reason: string) => decide(`/api/admin/purchases/${id}/release`, { reason });

/** People. */
export const revokeSessions = (wallet: string, reason: string) =>
  decide(`/api/admin/users/${wallet}/sessions/revoke`, { reason });
export const nameUser = (wallet: string, nickname: string) =>
  decide(`/api/admin/users/${wallet}/nickname`, { nickname });
export const decideProposal = (id: number, verb: "agree" | "refuse" | "undo", reason: string) =>
  decide(`/api/admin/proposals/${id}/${verb}`, { reason });

export const eraseUser = (wallet: string, reason: string) => decide(`/api/admin/users/${wallet}/erase`, { reason });

export const pictureOfClaim = (id: number) => ask(claimPictureResponseSchema, `/api/admin/claims/${id}/picture`);

/** The catalogue. */
export async function uploadLogo(storeId: string, file: File): Promise<{ logo: string }> {
  const path = `/api/admin/stores/${storeId}/logo`;
  return held(logoResponseSchema, path, await sendFile("POST", path, file, file.type));
}
export const exportCatalogue = (format: "csv" | "json"): Promise<string> =>
  callForText(`/api/admin/catalogue?format=${format}`, format === "csv" ? "text/csv" : "application/json");
export const importCatalogue = (format: "csv" | "json", content: string, apply: boolean) =>
  ask(catalogueImportResponseSchema, "/api/admin/catalogue", { method: "POST", body: { format, content, apply } });
