import { z } from "zod";
import { answerOf } from "./common.ts";
import { listQuerySchema } from "./lists.ts";

export const OPERATION_STATES = ["queued", "assigned", "waiting", "done", "failed", "withdrawn"] as const;

/** An operation in the queue: a mint, a confirmation, a cancellation, a payout or a store's name. */
export const operationSchema = z.object({
  id: z.number(),
  kind: z.string(),
  /** A purchase id, or a store id for the kinds of stores. */
  subject_id: z.number(),
  /** CHZ, decimal text; null unless it is a payout. */
  amount: z.string().nullable(),
  state: z.enum(OPERATION_STATES),
  /** Why it waits or failed; null in every other state. */
  reason: z.string().nullable(),
  /** What the limit allows that is the reason, in CHZ; of `rate_too_high` in CHZ per real; null if it is none. */
  limit: z.string().nullable(),
  /** The reason as a sentence, with figures. */
  error: z.string().nullable(),
  attempts: z.number(),
  since: z.iso.datetime(),
  /** When it is retried automatically; null if it is not. */
  next_try_at: z.iso.datetime().nullable(),
});
export type OperationRecord = z.infer<typeof operationSchema>;

/** Without a state: all waiting and failed ones. */
export const operationsQuerySchema = listQuerySchema(OPERATION_STATES, ["id"]);

export const operationResponseSchema = answerOf({
  message: z.string(),
  operation: operationSchema,
});
