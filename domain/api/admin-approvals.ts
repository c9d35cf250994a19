import { z } from "zod";
import { listQuerySchema } from "./lists.ts";

/** Manual payouts that may need two people. */
export const APPROVAL_ACTIONS = [
  "operation.retry",
  "purchase.release",
  "cashback.distribute",
  "sale.release",
  "sale.assign",
  "claim.match",
] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

/** `lapsed`: not decided or not used within a day. */
export const APPROVAL_STATES = ["open", "approved", "refused", "used", "lapsed"] as const;
export const approvalsQuerySchema = listQuerySchema(APPROVAL_STATES, ["id", "amount"]);

/** A payout above the threshold for two-person approval. */
export const approvalSchema = z.object({
  id: z.number(),
  action: z.enum(APPROVAL_ACTIONS),
  /** The subject: `operation 7`, `purchase:7`, `user:0x…`, `sale:7` or `claim:7`. */
  subject: z.string(),
  /** Null if it concerns a sale or several purchases. */
  purchase_id: z.number().nullable(),
  /** The recipient. */
  wallet: z.string().nullable(),
  /** CHZ, decimal text. */
  amount: z.string(),
  state: z.enum(APPROVAL_STATES),
  asked_by: z.string(),
  reason: z.string().nullable(),
  decided_by: z.string().nullable(),
  decision_reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  decided_at: z.iso.datetime().nullable(),
  /** When an open request or an unused approval lapses; null once decided or used. */
  expires_at: z.iso.datetime().nullable(),
});
export type Approval = z.infer<typeof approvalSchema>;
