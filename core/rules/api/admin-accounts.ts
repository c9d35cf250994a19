import { z } from "zod";
import { limit, must } from "../field-rules.ts";
import { CATALOGUE_FILE_BYTES } from "../uploads.ts";
import { answerOf } from "./common.ts";
import { amountReaisSchema } from "./purchases.ts";
import { shortText } from "./short-text.ts";

/** A day that exists, `2026-11-28`. */
const daySchema = shortText(10, must("day")).check(z.iso.date(must("day")));
const referenceSchema = z.string().trim().min(1, must("empty")).max(140, limit("max_length", 140));

/** An account's books. Amounts are reais, decimal text. docs/product.md#accounts */
export const accountSchema = z.object({
  network: z.string(),
  account: z.string(),
  /** What its payable sales cost that has not arrived. */
  promised: z.string(),
  booked: z.string(),
  /** What passed the gate, less what came back from buyers' debts. */
  paid: z.string(),
  waiting: z.string(),
  /** What may be paid before it has arrived; null: any sum. */
  credit_reais: z.string().nullable(),
  /** False: it is what the account began with, or what its kind has. */
  is_credit_set: z.boolean(),
  /** Whether somebody should set it: the account began with what its largest 30 days paid. */
  needs_credit: z.boolean(),
  day_share_percent: z.number(),
  /** How many days after the approval its stores' sales are usually paid; null while they are too few. */
  usual_days: z.number().nullable(),
  /** The UTC day on which it asked for ten times the usual; null if nothing is stopped. */
  stopped_on: z.string().nullable(),
  /** What was paid before this is not in these figures. */
  began_at: z.iso.datetime(),
});
export type AccountRow = z.infer<typeof accountSchema>;
export const accountsResponseSchema = answerOf({ rows: z.array(accountSchema) });

export const bookingSchema = z.object({
  id: z.number(),
  /** Negative in a row that reverses another. */
  amount: z.string(),
  arrived_on: z.string(),
  reference: z.string(),
  /** The booking that this row reverses, and whether another row reverses this one. */
  reverses: z.number().nullable(),
  is_reversed: z.boolean(),
  booked_by: z.string(),
  agreed_by: z.string().nullable(),
  created_at: z.iso.datetime(),
});
export type BookingRow = z.infer<typeof bookingSchema>;
export const bookingsResponseSchema = answerOf({ rows: z.array(bookingSchema) });

export const bookingRequestSchema = z.object({
  amount: amountReaisSchema,
  arrived_on: daySchema,
  reference: referenceSchema,
});
export const reverseRequestSchema = z.object({ reason: referenceSchema });

/** `content` is a bank's CSV; nothing is booked unless `apply` is true. docs/admin.md#accounts */
export const bookingFileRequestSchema = z.object({
  format: z.literal("csv"),
  content: z.string().min(1, must("empty")).max(CATALOGUE_FILE_BYTES, limit("max_length", CATALOGUE_FILE_BYTES)),
  apply: z.boolean().default(false),
});
export const bookingFileResponseSchema = answerOf({
  /** The lines that are money in. */
  rows: z.array(
    z.object({
      line: z.number(),
      amount: z.string(),
      arrived_on: z.string(),
      reference: z.string(),
      /** Booked before, from this line of this or an earlier file. */
      is_known: z.boolean(),
    }),
  ),
  /** What is new, in reais. */
  total: z.string(),
  /** Lines that are money out, or no booking at all. */
  left_out: z.number(),
  applied: z.boolean(),
});

export const salesDayRequestSchema = z.object({ day: daySchema });
