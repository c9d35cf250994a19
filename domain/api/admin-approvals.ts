import { z } from "zod";
import { listQuerySchema } from "./lists.ts";

/** Payments by hand that may take two people. */
export const APPROVAL_ACTIONS = [
  "operation.retry",
  "purchase.release",
  "cashback.distribute",
  "sale.release",
  "sale.assign",
  "claim.match",
] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

/** `lapsed`: a day went by before it was decided, or before it was used. */
export const APPROVAL_STATES = ["open", "approved", "refused", "used", "lapsed"] as const;
export const approvalsQuerySchema = listQuerySchema(APPROVAL_STATES, ["id", "amount"]);

/** A payment above the sum that takes two people. */
export const approvalSchema = z.object({
  id: z.number(),
  action: z.enum(APPROVAL_ACTIONS),
  /** What is asked about: `operation 7`, `purchase:7`, `user:0x…`, `sale:7` or `claim:7`. */
  subject: z.string(),
  /** Null where it is about a sale or several purchases. */
  purchase_id: z.number().nullable(),
  /** Who is paid. */
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
  /** When an open request or an unused approval lapses; null where it is over. */
  expires_at: z.iso.datetime().nullable(),
});
export type Approval = z.infer<typeof approvalSchema>;
