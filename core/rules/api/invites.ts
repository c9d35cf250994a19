import { z } from "zod";
import { answerOf } from "./common.ts";

/** A user's link, and what it gives. docs/product.md#invite */
export const inviteResponseSchema = answerOf({
  url: z.string(),
  /** Friends who registered by it this month (UTC), and how many more count. */
  used: z.number(),
  left: z.number(),
  bonus_percent: z.string(),
  /** What the user's next click carries; null: nothing. */
  next_percent: z.string().nullable(),
});
export type Invite = z.infer<typeof inviteResponseSchema>;
