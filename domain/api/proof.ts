import { z } from "zod";

/** A wallet's tickets as the index has them: where a reader of the chain has to look. */
export const walletTicketsSchema = z.object({
  success: z.literal(true),
  tickets: z.array(
    z.object({
      token_id: z.number(),
      /** The payment that the index knows; CHZ, decimal text. */
      paid: z.object({ tx: z.string(), amount: z.string() }).nullable(),
    }),
  ),
  /** The id to ask for the next page with; null on the last. */
  next_before: z.number().nullable(),
});

/** The distributors' books since their first block, CHZ as decimal text. */
export const booksSchema = z.object({
  success: z.literal(true),
  data: z.object({
    /** Paid in by the shop. */
    funded: z.string(),
    /** Cashback that buyers have, at once or by withdrawing a credit. */
    paid: z.string(),
    /** Taken back by the treasurer. */
    withdrawn: z.string(),
  }),
});
