import { z } from "zod";
import { must } from "../field-rules.ts";
import { answerOf } from "./common.ts";
import { previewSchema } from "./sales.ts";
import { shortText } from "./short-text.ts";

/** A doubtful rate to preview: what its acceptance would change. */
export const networksQuerySchema = z.object({
  currency: z.string().max(3).optional(),
  day: shortText(10, must("day"))
    .check(z.iso.date(must("day")))
    .optional(),
});

/** What networks and feeds sent that waits for a person. docs/product.md#sales-unread */
export const networksResponseSchema = answerOf({
  /** Of the rate that was asked about, to those who may accept it; of the sales that wait for it, at most 200 an account. */
  preview: previewSchema.optional(),
  /** Accounts that cannot be read, with the network's last words. */
  failing: z.array(z.object({ network: z.string(), account: z.string(), reason: z.string(), since: z.iso.datetime() })),
  /** Rows that could not be read or stored, newest first, at most 200. */
  unread_rows: z.array(
    z.object({
      network: z.string(),
      account: z.string(),
      sale_key: z.string().nullable(),
      /** The row, shortened. */
      text: z.string(),
      problem: z.string(),
      first_at: z.iso.datetime(),
      /** Null if it has no key to ask for: it is read when the network sends it again. */
      retry_at: z.iso.datetime().nullable(),
    }),
  ),
  /** How the reading of each account's programmes goes; absent from 1.0.0. docs/product.md#programmes */
  programmes: z
    .array(
      z.object({
        network: z.string(),
        account: z.string(),
        /** Null until the first round. */
        read_at: z.iso.datetime().nullable(),
        next_at: z.iso.datetime(),
        /** How many stores the last round would have changed at once, and did not; null: none too many. */
        withheld: z.number().nullable(),
        /** Why they could not be read. */
        problem: z.string().nullable(),
        /** Its list is larger than is read: it is asked for again the next day, or when a person asks. */
        is_too_large: z.boolean(),
      }),
    )
    .optional(),
  /** Exchange rates that are used only once somebody accepts them, newest first, at most 200. Decimal text, in reais. */
  doubtful_rates: z.array(z.object({ currency: z.string(), day: z.string(), rate: z.string(), previous: z.string() })),
});
