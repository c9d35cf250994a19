import { z } from "zod";
import { answerOf } from "./common.ts";

/** What networks and feeds sent that waits for a person. docs/product.md#sales-unread */
export const networksResponseSchema = answerOf({
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
  /** Exchange rates that are used only once somebody accepts them, newest first, at most 200. Decimal text, in reais. */
  doubtful_rates: z.array(z.object({ currency: z.string(), day: z.string(), rate: z.string(), previous: z.string() })),
});
