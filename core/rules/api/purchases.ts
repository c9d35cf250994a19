import { z } from "zod";
import { BONUS_STATES } from "../bonus-read.ts";
import { isMetadataAddress } from "../chain-text.ts";
import { custom, limit, must } from "../field-rules.ts";
import { gweiFromChzText, InvalidNumberError, numberIssue, parseReais } from "../money.ts";
import { METADATA_URI_MAX_BYTES, PURCHASE_CAP_CENTS } from "../product.ts";
import { PRODUCT_LINK_LENGTH } from "../product-link.ts";
import { CASHBACK_STATES, PURCHASE_STATUSES } from "../purchase/life.ts";
import { FIGURES, SITUATIONS } from "../purchase/situation.ts";
import { keysOf, recordOf } from "../records.ts";
import { SLUG_PATTERN } from "../text.ts";
import { addressSchema, answerOf, idSchema, isPublicHttpsUrl, pageQuerySchema } from "./common.ts";
import { shortText } from "./short-text.ts";

const decimalInput = z.union([z.number(), z.string()], {
  error: must("number"),
});

/** Reais as a JSON number or text with a dot, at most 2 decimals, to cents. */
export const amountReaisSchema = decimalInput.transform((value, context) => {
  try {
    const cents = parseReais(value);
    if (cents === 0n) throw new InvalidNumberError(must("positive"));
    if (cents > PURCHASE_CAP_CENTS) throw new InvalidNumberError(custom("max", "1000000.00"));
    return cents;
  } catch (error) {
    context.addIssue(numberIssue(error));
    return z.NEVER;
  }
});

/** CHZ as a JSON number or text with a dot, at most 9 decimals, to gwei. */
const amountChzSchema = decimalInput.transform((value, context) => {
  try {
    const gwei = gweiFromChzText(value);
    if (gwei === 0n) throw new InvalidNumberError(must("positive"));
    return gwei;
  } catch (error) {
    context.addIssue(numberIssue(error));
    return z.NEVER;
  }
});

export const registerPurchaseRequestSchema = z.object({
  user: addressSchema,
  store_id: idSchema,
  amount: amountReaisSchema,
  token_slug: shortText(32, must("slug")).regex(SLUG_PATTERN, must("slug")).nullish(),
});

export const ownPurchasesQuerySchema = pageQuerySchema.extend({ source: z.enum(["simulated", "live"]).optional() });

const purchaseTermsShape = {
  id: z.number(),
  store_id: z.number(),
  /** Reais, decimal text with two places. */
  amount: z.string(),
  /** Base percent, decimal text. */
  cashback_percent: z.string(),
  bonus_percent: z.string(),
  /** Both together: value × this percent × rate is the cashback. */
  total_percent: z.string().optional(),
  /** `open`: it may still rise, once a balance can be read; `none`: it never could. docs/product.md#bonus-read */
  bonus_state: z.enum(BONUS_STATES).optional(),
  token_slug: z.string().nullable(),
  status: z.enum(PURCHASE_STATUSES),
  created_at: z.iso.datetime(),
};

export const registerPurchaseResponseSchema = answerOf({
  message: z.string(),
  /** Null in live mode: there, purchases come from the store's network. */
  purchase: z
    .object({
      ...purchaseTermsShape,
      /** Where to send the buyer: the store's link with this purchase's click id; null if the store has no link. */
      affiliate_url: z.string().nullable(),
    })
    .nullable(),
  /** In live mode: the click to the store. */
  click: z
    .object({
      id: z.string(),
      store_id: z.number(),
      bonus_state: z.enum(BONUS_STATES).optional(),
      /** Sales after this do not count for this click. */
      expires_at: z.iso.datetime(),
      affiliate_url: z.string().nullable(),
    })
    .optional(),
});
/** Without `user` nothing is recorded: it says whose page it is. docs/product.md#links */
export const linkRequestSchema = z.strictObject({
  user: addressSchema.optional(),
  url: shortText(PRODUCT_LINK_LENGTH, limit("max_length", PRODUCT_LINK_LENGTH)).min(1, must("empty")),
  token_slug: registerPurchaseRequestSchema.shape.token_slug,
  /** Which of several stores at one shop. */
  store_id: idSchema.optional(),
});
export const linkResponseSchema = registerPurchaseResponseSchema.extend({
  store: z.object({ id: z.number(), name: z.string() }),
  /** The pasted page, without what followed its reader; of a shortened link, as it came. */
  url: z.string(),
  /** Whether the way out leads to the page; else to the shop's first page. */
  leads_to_page: z.boolean(),
  /** A shortened link: which page it stands for, only the shop knows. */
  is_short: z.boolean(),
  /** Whether somebody else would have earned by the link as it came. */
  was_referral: z.boolean(),
});
export type RegisteredPurchase = z.infer<typeof registerPurchaseResponseSchema>;

/** One purchase as its buyer sees it: the stored record and its life on the chain. docs/product.md#purchase-states. */
export const purchaseRecordSchema = z.object({
  ...purchaseTermsShape,
  store: z.string(),
  /** Of its store's club, in whose colours it is shown. docs/product.md#ticket-look */
  club_slug: z.string().nullish(),
  date: z.iso.datetime(),
  /** Cashback in CHZ. */
  cashback: z.number(),
  /** The chosen fan token's slug in upper case, or CHZ. */
  tokenType: z.string(),
  destination: z.string(),
  /** Pendente, Confirmado or Cancelado. */
  stored_status: z.string(),
  /** Cashback in CHZ, decimal text, exact; 0 if it was declined. */
  cashback_amount: z.string(),
  cashback_state: z.enum(CASHBACK_STATES),
  /** Where it is, in one word. docs/product.md#situations */
  situation: z.enum(keysOf(SITUATIONS)),
  /**
   * More of it, where there is. `credit_used`, `unusual_day`: its store has not paid us as much yet (docs/product.md#accounts).
   * `returned`: its return is final, and its ticket says so (docs/product.md#return-final).
   */
  situation_detail: z.string().nullish(),
  /** What was paid, in CHZ, decimal text; null before that. */
  paid_amount: z.string().nullable(),
  /** What that was worth in reais on the day of the payment, decimal text; null if no rate of it is known. */
  paid_value: z.string().nullable(),
  /** The earlier day whose rate that is, `2026-11-29`; null if it is that of the payment's own day. */
  paid_rate_day: z.string().nullable(),
  /** What was kept for a debt, in CHZ, decimal text. */
  kept_amount: z.string(),
  /** Its cashback before the store corrected the sale to less, in CHZ, decimal text; null if it did not. */
  corrected_from: z.string().nullable(),
  token_id: z.string().nullable(),
  mint_tx: z.string().nullable(),
  status_tx: z.string().nullable(),
  payment_tx: z.string().nullable(),
  minted_at: z.iso.datetime().nullable(),
  /** Null too once its ticket says Returned. */
  confirmed_at: z.iso.datetime().nullable(),
  /** When its ticket came to say Returned. */
  returned_at: z.iso.datetime().nullish(),
  paid_at: z.iso.datetime().nullable(),
  /** When the cashback is expected; null if the store has not approved the sale, or it is already paid. */
  expected_at: z.iso.datetime().nullable(),
  /** When its store usually has taken the step that it waits for, by the store's last sales; null while they are too few. */
  usual_at: z.iso.datetime().nullable(),
});
export type PurchaseRecord = z.infer<typeof purchaseRecordSchema>;

/** CHZ amounts are decimal text. Each purchase counts once. `total` = confirmed + pending; cancelled purchases do not count. */
export const totalsSchema = z.object({
  total: z.string(),
  confirmed: z.string(),
  pending: z.string(),
  paid: z.string(),
  count: z.number(),
  confirmed_count: z.number(),
  pending_count: z.number(),
});
export type Totals = z.infer<typeof totalsSchema>;

/**
 * A buyer's figures in CHZ, decimal text; every amount lies in exactly one. `total` = `in_wallet` + `on_the_way` +
 * `waiting` + `deducted`; `sum` = `in_wallet` + `on_the_way` + `waiting` - `to_offset`. docs/product.md#statement
 */
export const statementSchema = z.object({
  ...recordOf(FIGURES, () => z.string()),
  /** What was kept of later cashback for debts; 1.0.0 says neither this nor `total`. */
  deducted: z.string().optional(),
  total: z.string().optional(),
  sum: z.string(),
  /** When the next of what is on the way is expected; null if no day is known. */
  next_at: z.iso.datetime().nullable(),
});
export type Statement = z.infer<typeof statementSchema>;

/** A sale of the buyer that is held for a person. docs/product.md#sales-held */
export const reviewSchema = z.object({
  id: z.number(),
  store_id: z.number(),
  store: z.string(),
  order: z.string().nullable(),
  /** Reais, decimal text; null while there is no exchange rate. */
  amount: z.string().nullable(),
  /** CHZ, decimal text: what it adds once it is released. */
  cashback_amount: z.string(),
  at: z.iso.datetime(),
});
export type Review = z.infer<typeof reviewSchema>;

/** What a buyer owes back for a purchase that was returned after its payout. docs/product.md#debt */
export const debtSchema = z.object({
  purchase_id: z.number(),
  store: z.string(),
  /** CHZ, decimal text. */
  amount: z.string(),
  at: z.iso.datetime(),
});
export type Debt = z.infer<typeof debtSchema>;

export const mintNftRequestSchema = z.object({
  user: addressSchema,
  purchase_id: idSchema,
  metadata_uri: z
    .string()
    .trim()
    // Only plain characters are accepted, so these are its bytes.
    .max(METADATA_URI_MAX_BYTES, limit("max_length", METADATA_URI_MAX_BYTES))
    .refine(
      (uri) => uri === "" || (isMetadataAddress(uri) && (uri.startsWith("ipfs:") || isPublicHttpsUrl(uri))),
      "must be a public https:// or an ipfs:// address of plain characters (others percent-encoded), or empty",
    )
    .optional()
    .default(""),
});
export const mintNftResponseSchema = answerOf({
  message: z.string(),
  purchase_id: z.number(),
  token_id: z.string(),
  /** `queued` until the ticket is indexed, then the purchase's status. */
  status: z.string(),
  tx_hash: z.string().nullable(),
});

export const confirmPurchaseRequestSchema = z.object({ purchase_id: idSchema });
export const confirmPurchaseResponseSchema = answerOf({
  message: z.string(),
  purchase_id: z.number(),
  status: z.string(),
});

export const distributeCashbackRequestSchema = z.object({
  user: addressSchema,
  amount: amountChzSchema,
  /** Why, for the log. */
  reason: z.string().trim().max(300, limit("max_length", 300)).optional(),
});
export const distributeCashbackResponseSchema = answerOf({
  message: z.string(),
  user: z.string(),
  /** CHZ, decimal text. */
  amount: z.string(),
  payments: z.array(
    z.object({ purchase_id: z.number(), amount: z.string(), status: z.string(), tx_hash: z.string().nullable() }),
  ),
  /** The first request, if some of it waits for a second person: those payments are `waiting`. */
  approval_id: z.number().optional(),
});
