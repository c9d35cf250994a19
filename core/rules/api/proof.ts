import { z } from "zod";
import { addressSchema, answerOf, pageQuerySchema } from "./common.ts";

/** A wallet's tickets from the index: where to look on chain. */
export const walletTicketsSchema = answerOf({
  tickets: z.array(
    z.object({
      token_id: z.number(),
      /** The payout that the index knows; CHZ, decimal text. */
      paid: z.object({ tx: z.string(), amount: z.string() }).nullable(),
    }),
  ),
  /** The id to pass for the next page; null on the last. */
  next_before: z.number().nullable(),
});

export const walletBooksQuerySchema = pageQuerySchema.extend({ wallet: addressSchema });

/**
 * A wallet's published books: the tickets for which less was paid than value × percent × rate, and the returns for which
 * it was kept. CHZ as decimal text.
 */
export const walletBooksSchema = answerOf({
  purchases: z.array(
    z.object({
      token_id: z.number(),
      /** By the sale's last report, at the frozen rate: 0 if it was declined before the payout. */
      cashback: z.string(),
      /** Kept back from it for the wallet's debt. */
      kept: z.string(),
      /** What its return made the wallet owe, as far as it was kept from other tickets. */
      owed: z.string(),
    }),
  ),
  /** The id to pass for the next page; null on the last. */
  next_before: z.number().nullable(),
});

/** The distributors' books since their first block, CHZ as decimal text. */
export const booksSchema = answerOf({
  data: z.object({
    /** Deposited by the shop. */
    funded: z.string(),
    /** Cashback received by buyers, directly or by withdrawing a credit. */
    paid: z.string(),
    /** Swept by the treasurer. */
    withdrawn: z.string(),
  }),
});
