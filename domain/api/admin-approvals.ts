import { z } from "zod";
import { limit } from "../field-rules.ts";
import { givenReasonSchema, idSchema, PAGE_ROWS } from "./common.ts";
import { ERROR_CODES } from "./error-codes.ts";
import { listQuerySchema } from "./lists.ts";

/** `used`: the payout is queued with it. `lapsed`: amount, buyer or decider changed meanwhile. */
export const APPROVAL_STATES = ["open", "approved", "refused", "used", "lapsed"] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];
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

/** Several requests, approved by one decision. */
export const approveAllRequestSchema = givenReasonSchema.extend({
  ids: z.array(idSchema).min(1).max(PAGE_ROWS, limit("max", PAGE_ROWS)),
});
export const approveAllResponseSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  approved: z.number(),
  /** CHZ of those that were approved, decimal text. */
  amount: z.string(),
  /** Those that were not, with the reason. */
  refused: z.array(z.object({ id: z.number(), code: z.enum(ERROR_CODES), message: z.string() })),
});
