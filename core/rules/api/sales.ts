import { z } from "zod";
import { BONUS_STATES } from "../bonus-read.ts";
import { limit, must } from "../field-rules.ts";
import { recordOf } from "../records.ts";
import { DECISION_REFUSALS } from "../sale/decision-refusals.ts";
import { SALE_STATES } from "../sale/facts.ts";
import { HOLD_FIGURES, HOLD_REASONS, PROBLEM_CODES, PROBLEM_FIGURES } from "../sale/holds.ts";
import { SALE_PURCHASE_STAGES } from "../sale/plan.ts";
import { answerOf, givenReasonSchema, idSchema, pageQuerySchema } from "./common.ts";
import { listQuerySchema } from "./lists.ts";
import { amountReaisSchema } from "./purchases.ts";
import { shortText } from "./short-text.ts";

const CLICK_ID = shortText(32, must("click")).regex(/^(?:[a-z2-7]{26}|[0-9a-f]{32})$/, must("click"));

/** A click. */
export const clickSchema = z.object({
  id: z.string(),
  store_id: z.number(),
  store: z.string(),
  token_slug: z.string().nullable(),
  /** `open`: its bonus may still rise, once a balance can be read; `none`: it never could. docs/product.md#bonus-read */
  bonus_state: z.enum(BONUS_STATES).optional(),
  created_at: z.iso.datetime(),
  /** Sales after this do not count for this click. */
  expires_at: z.iso.datetime(),
  /** How many sales were reported for it. */
  sales: z.number(),
  /** How many of them were declined. */
  declined: z.number(),
  /** What the others are worth, in reais; null if there is none, or a rate is missing. */
  amount: z.string().nullable(),
  /** Their cashback in reais, exact; null with `amount`. */
  cashback: z.string().nullable(),
  /** When missing cashback can first be claimed. */
  claimable_at: z.iso.datetime(),
  /** How many days the store usually takes to report a sale; null while it has too few sales. */
  usual_days: z.number().nullable(),
});

export const clicksResponseSchema = answerOf({
  clicks: z.array(clickSchema),
  next_before: z.number().nullable(),
});

export const createClaimRequestSchema = z.strictObject({
  store_id: idSchema,
  click_id: CLICK_ID.nullish(),
  order_ref: z.string().trim().min(1, must("empty")).max(64, limit("max_length", 64)),
  amount: amountReaisSchema,
  date: shortText(10, must("day")).check(z.iso.date(must("day"))),
  note: z.string().trim().max(1_000, limit("max_length", 1_000)).nullish(),
});

const claimShape = {
  id: z.number(),
  store_id: z.number(),
  store: z.string(),
  click_id: z.string(),
  order_ref: z.string(),
  amount: z.string(),
  date: z.string(),
  note: z.string().nullable(),
  state: z.enum(["open", "matched", "refused"]),
  /** Why it was rejected. */
  reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  /** When an answer is expected at the latest. */
  answer_by: z.iso.datetime(),
  decided_at: z.iso.datetime().nullable(),
  has_picture: z.boolean(),
};
export const claimPictureResponseSchema = answerOf({
  /** As a `data:` URL. */
  picture: z.string(),
});
export const claimSchema = z.object(claimShape);
export const claimsResponseSchema = answerOf({
  claims: z.array(claimSchema),
  next_before: z.number().nullable(),
});
export const createClaimResponseSchema = answerOf({
  message: z.string(),
  claim: claimSchema,
});

export const adminClaimSchema = z.object({
  ...claimShape,
  wallet: z.string(),
  sale_id: z.number().nullable(),
  decided_by: z.string().nullable(),
});

/** What was not understood in a network's report: its field, and the value as it was sent. */
const problemSchema = z.object({
  code: z.enum(PROBLEM_CODES),
  ...recordOf(PROBLEM_FIGURES, () => z.string().optional()),
});
const holdSchema = z.object({
  reason: z.enum(HOLD_REASONS),
  /** Amounts are in cents; `problems` are of the reason `drift`. */
  figures: z.object({
    ...recordOf(HOLD_FIGURES, () => z.string().optional()),
    problems: z.array(problemSchema).optional(),
  }),
});

export const saleSchema = z.object({
  id: z.number(),
  network: z.string(),
  account: z.string(),
  sale_key: z.string(),
  order_ref: z.string().nullable(),
  state: z.enum(SALE_STATES),
  /** The network's status mapped to ours; `unknown` if it has no equivalent. */
  status: z.string(),
  payable: z.boolean(),
  /** Why it is held or declined, as a sentence in the language of `Accept-Language`: English, or Portuguese. */
  reason: z.string().nullable(),
  store_id: z.number().nullable(),
  wallet: z.string().nullable(),
  click_id: z.string().nullable(),
  /** Decimal text in its own currency. */
  amount: z.string(),
  currency: z.string(),
  /** In reais; null if there is no rate. */
  amount_brl: z.string().nullable(),
  commission: z.string().nullable(),
  /** What the buyer is entitled to, in reais. */
  cashback: z.string(),
  occurred_at: z.iso.datetime().nullable(),
  changed_at: z.iso.datetime().nullable(),
  released_by: z.string().nullable(),
  /** Why it is held, as codes with their figures, for a sentence of your own; empty if it is not. */
  held_for: z.array(holdSchema),
});

/** What a decision of the caller's would change, beside what it names. docs/product.md#decision-preview */
export const previewSchema = z.object({
  /** The code with which it would be refused; null if it would be made. */
  refused: z.enum(["OWN_SALE", "SALE_CHANGED", "DECISION_REFUSED", "NOT_HELD"]).nullable(),
  /** More about `DECISION_REFUSED`. */
  why: z.enum(DECISION_REFUSALS).nullable(),
  /** Whether what it frees takes the caller's day above the limit, so that payouts wait for a second person. */
  second_person: z.boolean(),
  /** Each sale that it changes: others of the order, others of a buyer who owes something. */
  changes: z.array(
    z.object({
      sale_id: z.number(),
      wallet: z.string().nullable(),
      was: z.enum(SALE_STATES),
      state: z.enum(SALE_STATES),
      /** What may be paid to the wallet more than before, in reais, and in CHZ at the rate of now. */
      adds: z.string(),
      adds_chz: z.string(),
      /** Whether it is paid earlier than before. */
      is_sooner: z.boolean(),
      /** The wallet's debt that goes, and that arises, in CHZ. */
      debt_lifted: z.string(),
      debt_added: z.string(),
    }),
  ),
  /** Of a held purchase's release: the other purchases of its sale, which it lets go on too. */
  purchases: z.array(z.number()).optional(),
});
export type Preview = z.output<typeof previewSchema>;

/** A decision to preview; `click_id` belongs to `assign`, `claim_id` to `match`. */
export const saleQuerySchema = z.object({
  decision: z.enum(["release", "decline", "assign", "match"]).optional(),
  click_id: CLICK_ID.optional(),
  claim_id: idSchema.optional(),
});

export const saleResponseSchema = answerOf({
  /** Of the `decision` that was asked about, to those who may make it. */
  preview: previewSchema.optional(),
  sale: saleSchema.extend({
    /** Commission groups that no category of the store names. */
    unknown_groups: z.string().nullable(),
    /** Why it is held, or was before it was released: what a decision names. */
    holds: z.array(z.string()),
    /** Stands for these reasons with their figures, such as the other sales of the order; a decision may name it. */
    holds_key: z.string().optional(),
    /** The last revision that counts; named in a decision, it is refused if the network changed the sale since. */
    revision: z.number().nullable(),
    revisions: z.array(
      z.object({
        id: z.number(),
        source: z.string(),
        status: z.string(),
        payable: z.boolean().nullable(),
        amount: z.string(),
        currency: z.string(),
        changed_at: z.iso.datetime().nullable(),
        read_at: z.iso.datetime(),
        /** False if a later state had already been read. */
        applied: z.boolean(),
      }),
    ),
    purchases: z.array(
      z.object({
        id: z.number(),
        stage: z.enum(SALE_PURCHASE_STAGES),
        withdrawn: z.boolean(),
        amount: z.string(),
        cashback: z.string(),
        /** The debt for it, in CHZ. */
        owed_back: z.string(),
      }),
    ),
  }),
});

export const salesQuerySchema = listQuerySchema(SALE_STATES, ["id", "amount"]).extend({
  network: z.string().max(32).optional(),
});
export const claimsQuerySchema = listQuerySchema(["open", "matched", "refused"], ["id", "amount"]);
export const clicksQuerySchema = pageQuerySchema;

export const reasonRequestSchema = z.strictObject({
  reason: z.string().trim().min(1, must("empty")).max(300, limit("max_length", 300)),
});
/** What the decision is based on: the sale's revision, and the reasons to hold it, with their figures by `holds_key`. */
const REVISION = {
  revision: idSchema.optional(),
  holds: z.array(z.string().max(32)).max(20).optional(),
  holds_key: z.string().max(64).optional(),
};
export const releaseRequestSchema = givenReasonSchema.extend(REVISION).default({});
export const declineRequestSchema = reasonRequestSchema.extend(REVISION);
export const assignRequestSchema = givenReasonSchema.extend({ ...REVISION, click_id: CLICK_ID });
export const matchRequestSchema = givenReasonSchema.extend({ sale_id: idSchema });

const MONTH = shortText(7, must("month")).regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, must("month"));
export const marginQuerySchema = z.object({ from: MONTH.optional(), to: MONTH.optional() });

const marginFigures = {
  sales: z.number(),
  /** All amounts in reais. */
  amount: z.string(),
  commission_pending: z.string(),
  commission_earned: z.string(),
  cashback_promised: z.string(),
  /** Sent or kept to settle debt, less new debt. */
  cashback_paid: z.string(),
  /** Commission, pending or earned, less the promised cashback. */
  margin: z.string(),
};
export const marginResponseSchema = answerOf({
  from: z.string(),
  to: z.string(),
  rows: z.array(
    z.object({
      network: z.string(),
      account: z.string(),
      store_id: z.number().nullable(),
      store: z.string().nullable(),
      month: z.string(),
      ...marginFigures,
    }),
  ),
  totals: z.object(marginFigures),
  /** By account and month. docs/product.md#margin-loss */
  accounts: z
    .array(
      z.object({
        network: z.string(),
        account: z.string(),
        month: z.string(),
        commission_pending: z.string(),
        commission_earned: z.string(),
        cashback_promised: z.string(),
        /** By how much cashback without boosts is above the commission, of sales that go on all the same. */
        lost: z.string(),
      }),
    )
    .optional(),
  /** What an account may lose in a month before such sales are held. */
  loss_limit: z.string().optional(),
});
