import { z } from "zod";
import { CASHBACK_STATES, PURCHASE_STATUSES } from "../purchase/life.ts";
import { SITUATIONS } from "../purchase/situation.ts";
import { PURCHASE_STATES, STEP_KINDS, WAITS } from "../purchase/states.ts";
import { keysOf } from "../records.ts";
import { answerOf } from "./common.ts";
import { listQuerySchema } from "./lists.ts";
import { OPERATION_STATES } from "./operations.ts";
import { previewSchema } from "./sales.ts";

export const purchasesQuerySchema = listQuerySchema(PURCHASE_STATES, ["id", "amount"]);

/** A purchase as the panel sees it. Amounts in reais and CHZ are decimal text. */
export const adminPurchaseSchema = z.object({
  id: z.number(),
  wallet: z.string(),
  store_id: z.number(),
  store: z.string(),
  source: z.enum(["simulated", "live"]),
  /** Its sale, with the store's order number; null if it is simulated. */
  sale_id: z.number().nullable(),
  order_ref: z.string().nullable(),
  state: z.enum(PURCHASE_STATES),
  /** The ticket's status, as its buyer sees it. */
  status: z.enum(PURCHASE_STATUSES),
  cashback_state: z.enum(CASHBACK_STATES),
  /** Where it is, as its buyer reads it. docs/product.md#situations */
  situation: z.enum(keysOf(SITUATIONS)),
  situation_detail: z.string().nullish(),
  waits_for: z.enum(WAITS).nullable(),
  /** With `network_payment`: `credit_used` or `unusual_day`, if it waits for its account. docs/product.md#accounts */
  waits_detail: z.string().nullish(),
  /** With `set_aside` and `person`: the operation's reason; with `release`: the admin's reason. */
  wait_reason: z.string().nullable(),
  /** What the limit allows that is the reason, as `limit` of a payment. */
  wait_limit: z.string().nullable(),
  /** The reason as a sentence, with figures. */
  wait_text: z.string().nullable(),
  /** When its next step is expected; null if unknown, or if nothing is left to do. */
  expected_at: z.iso.datetime().nullable(),
  /** Reais. */
  amount: z.string(),
  cashback_percent: z.string(),
  bonus_percent: z.string(),
  total_percent: z.string(),
  token_slug: z.string().nullable(),
  /** The promised cashback, in reais and in CHZ; the CHZ amount is an estimate until the rate is frozen. */
  cashback_brl: z.string(),
  cashback: z.string(),
  is_rate_frozen: z.boolean(),
  /** CHZ kept to settle a debt, and CHZ paid. */
  kept: z.string(),
  paid: z.string(),
  /** Who holds it, since when and why. */
  held_by: z.string().nullable(),
  held_at: z.iso.datetime().nullable(),
  held_reason: z.string().nullable(),
  mint_tx: z.string().nullable(),
  status_tx: z.string().nullable(),
  payment_tx: z.string().nullable(),
  created_at: z.iso.datetime(),
  minted_at: z.iso.datetime().nullable(),
  confirmed_at: z.iso.datetime().nullable(),
  payable_at: z.iso.datetime().nullable(),
  paid_at: z.iso.datetime().nullable(),
});
export type AdminPurchase = z.infer<typeof adminPurchaseSchema>;

export const purchaseStepSchema = z.object({
  at: z.iso.datetime(),
  /** Where it is recorded. */
  source: z.enum(["database", "chain"]),
  kind: z.enum(STEP_KINDS).exclude(["invited"]),
  /** The part of its buyer in the invitation that it came with; `kind` has the word that 1.0.0 knew. */
  invited_as: z.string().optional(),
  /** For a transaction: mint, confirm, cancel or pay. For a chain event: its name. */
  subject: z.string().nullable(),
  tx_hash: z.string().nullable(),
  /** CHZ, decimal text. */
  amount: z.string().nullable(),
  /** One plain sentence in English. */
  text: z.string(),
});

/** A decision to preview. */
export const purchaseQuerySchema = z.object({ decision: z.enum(["release"]).optional() });

export const adminPurchaseResponseSchema = answerOf({
  /** Of the `decision` that was asked about, to those who may make it. */
  preview: previewSchema.optional(),
  purchase: adminPurchaseSchema.extend({
    /** Its history, oldest first. */
    steps: z.array(purchaseStepSchema),
    /** What is still in progress, in plain sentences. */
    open: z.array(z.string()),
  }),
});

export const paymentsQuerySchema = listQuerySchema(OPERATION_STATES, ["id", "amount"]);

/** A payout in the queue. */
export const paymentSchema = z.object({
  /** The operation's id, to retry it. */
  id: z.number(),
  purchase_id: z.number(),
  wallet: z.string(),
  store: z.string(),
  /** CHZ, decimal text. */
  amount: z.string(),
  state: z.enum(OPERATION_STATES),
  /** Why it waits or failed; null in every other state. */
  reason: z.string().nullable(),
  /** What the limit allows that is the reason, in CHZ; of `rate_too_high` in CHZ per real; null if it is none. */
  limit: z.string().nullable(),
  /** The reason as a sentence, with figures. */
  error: z.string().nullable(),
  attempts: z.number(),
  since: z.iso.datetime(),
  created_at: z.iso.datetime(),
  /** When it is retried; null if it is not. */
  next_try_at: z.iso.datetime().nullable(),
  tx_hash: z.string().nullable(),
});
export type Payment = z.infer<typeof paymentSchema>;
