import { z } from "zod";
import { pauseCauseSchema } from "../pause-cause.ts";
import { answerOf } from "./common.ts";

/** Figures for some days. Amounts are decimal text in reais, or in CHZ where stated. */
const periodShape = {
  users: z.number(),
  clicks: z.number(),
  purchases: z.number(),
  /** The value of the purchases, in reais. */
  amount: z.string(),
  /** The cashback promised for them, in reais. */
  cashback: z.string(),
  payouts: z.number(),
  /** CHZ. */
  paid: z.string(),
};
const periodSchema = z.object(periodShape);

const differenceSchema = z.object({
  kind: z.enum(["shortfall", "contradiction"]),
  purchase_id: z.number().nullable(),
});
export type ListedDifference = z.infer<typeof differenceSchema>;

/** Open tasks. Each count is capped at 10,001, which means "more". */
export const attentionSchema = z.object({
  held_sales: z.number(),
  unmatched_sales: z.number(),
  /** Sales that wait for their network longer than SALE_OVERDUE_DAYS. */
  overdue_sales: z.number(),
  /** Accounts whose payable sales wait because their money has not arrived, or their day is unusual. */
  waiting_accounts: z.number().default(0),
  /** Direct shops with the credit that they began with, which somebody should set. */
  unset_credits: z.number().default(0),
  open_claims: z.number(),
  /** Network accounts that cannot be read. */
  failing_accounts: z.number(),
  /** Rows of networks that could not be read. */
  unread_rows: z.number(),
  /** Exchange rates that somebody must accept. */
  doubtful_rates: z.number(),
  held_purchases: z.number(),
  /** Purchases whose next step failed to be decided. */
  undecided_purchases: z.number(),
  failed_payments: z.number(),
  waiting_payments: z.number(),
  /** Failed operations other than payouts. */
  failed_operations: z.number(),
  draft_stores: z.number(),
  /** Payouts waiting for a second person. */
  open_approvals: z.number(),
  /** Payouts that a second person refused, about which nobody has decided again. */
  refused_payouts: z.number(),
  /** Percents waiting for a second person. */
  open_percents: z.number(),
  /** Changes that move buyers or money, or cannot be undone, waiting for a second person or for their day; absent from 1.0.0. */
  open_proposals: z.number().optional(),
  /**
   * Accounts whose network would change too many stores at once, or lists more programmes than is read, and percents that no
   * commission covers; absent from 1.0.0.
   */
  withheld_rounds: z.number().optional(),
  large_lists: z.number().optional(),
  uncovered_percents: z.number().optional(),
  /** Wallets that run low: `operator` for gas, `distributor` for cashback. */
  low_balances: z.array(
    z.object({ wallet: z.enum(["operator", "minter", "confirmer", "payer", "distributor"]), balance: z.string() }),
  ),
  /** Why payouts are paused; null if they are not. */
  payouts_paused: z.string().nullable(),
  /** The same as a code, if it is one of the system's own reasons. */
  pause_cause: pauseCauseSchema.nullable(),
  /** Transactions of the operator's wallet that are not ours, and differences between database and chain. */
  foreign_transactions: z.number(),
  differences: z.number(),
  /** The first 20 of them, with the purchase; null for a balance or a nonce. */
  difference_list: z.array(differenceSchema),
  /** Faults of the installation that no count above tells: a FaultName, and the reason as an English sentence. */
  faults: z.array(z.object({ name: z.string(), text: z.string() })),
  /** How many of the above need a person, for the header: all except drafts and payouts that are retried. */
  total: z.number(),
});
export type Attention = z.infer<typeof attentionSchema>;

export const figuresResponseSchema = answerOf({
  data: z.object({
    /** Days are UTC; `today` began at midnight. */
    today: periodSchema,
    last_7_days: periodSchema,
    last_30_days: periodSchema,
    /** The 30 days, oldest first. */
    days: z.array(z.object({ day: z.string(), ...periodShape })),
    attention: attentionSchema,
  }),
});
export const attentionResponseSchema = answerOf({ attention: attentionSchema });

export const configurationResponseSchema = answerOf({
  settings: z.array(
    z.object({
      name: z.string(),
      /** The effective value; null if nothing is set, and always for a secret. */
      value: z.string().nullable(),
      is_secret: z.boolean(),
      /** Whether the environment sets it; otherwise it is the default. */
      is_set: z.boolean(),
    }),
  ),
});
