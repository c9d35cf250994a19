import { z } from "zod";
import { amountReaisSchema } from "./purchases.ts";

/** A store's affiliate network reports a sale. `amount` is the network's own figure, in reais. */
export const affiliateEventSchema = z.object({
  event_id: z.string().regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 printable characters"),
  type: z.enum(["report", "confirm", "reverse"], { error: "must be report, confirm or reverse" }),
  click_id: z.string().regex(/^[0-9a-f]{32}$/, "must be the click_id that the buyer was sent with"),
  amount: amountReaisSchema.optional(),
});
export type AffiliateEvent = z.output<typeof affiliateEventSchema>;

export const affiliateResponseSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  purchase_id: z.number(),
  /** True if this event was reported before; it changed nothing again. */
  duplicate: z.boolean(),
});
