import { z } from "zod";
import { limit } from "../field-rules.ts";
import { answerOf, givenReasonSchema, idSchema } from "./common.ts";
import { listQuerySchema } from "./lists.ts";

/**
 * `used`: the payout is queued with it. `renewed`: it was refused, and somebody has decided again since. `lapsed`: amount,
 * buyer or decider changed meanwhile.
 */
export const APPROVAL_STATES = ["open", "approved", "refused", "used", "renewed", "lapsed"] as const;
export const approvalsQuerySchema = listQuerySchema(APPROVAL_STATES, ["id", "amount"]);

/** A payout that takes a second person. */
export const approvalSchema = z.object({
  id: z.number(),
  purchase_id: z.number(),
  /** The recipient. */
  wallet: z.string(),
  /** CHZ, decimal text. */
  amount: z.string(),
  state: z.enum(APPROVAL_STATES),
  /** Whose decision leads to the payout: a wallet, or `service`. */
  asked_by: z.string(),
  decided_by: z.string().nullable(),
  decision_reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  decided_at: z.iso.datetime().nullable(),
});
export type Approval = z.infer<typeof approvalSchema>;

/** At most so many, the oldest, are decided together. */
export const DECIDED_TOGETHER = 1_000;

/** The open requests that one person's decisions led to, which another person reads and decides as one. */
export const approvalGroupSchema = approvalSchema.pick({ asked_by: true }).extend({
  count: z.number(),
  /** CHZ, decimal text: their sum, and the largest of them. */
  amount: z.string(),
  largest: z.string(),
  buyers: z.number(),
  oldest: z.iso.datetime(),
  newest: z.iso.datetime(),
  /** The newest of these requests. */
  until: z.number(),
});
export type ApprovalGroup = z.infer<typeof approvalGroupSchema>;
export const approvalGroupsResponseSchema = answerOf({
  groups: z.array(approvalGroupSchema),
});

/** Names what was read: if it is not what is open now, nothing is decided. */
export const decideTogetherRequestSchema = givenReasonSchema.extend({
  asked_by: z.string().max(100, limit("max_length", 100)),
  until: idSchema,
  count: z.number(),
  amount: z.string().max(100, limit("max_length", 100)),
});
