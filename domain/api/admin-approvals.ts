import { z } from "zod";
import { listQuerySchema } from "./lists.ts";

export const APPROVAL_STATES = ["open", "approved", "refused", "used"] as const;
export const approvalsQuerySchema = listQuerySchema(APPROVAL_STATES, ["id"]);

/** A payment above the sum that takes two people. */
export const approvalSchema = z.object({
  id: z.number(),
  /** What is asked for: `operation.retry`, `purchase.release` or `cashback.distribute`. */
  action: z.string(),
  subject: z.string(),
  /** CHZ, decimal text. */
  amount: z.string(),
  state: z.enum(APPROVAL_STATES),
  asked_by: z.string(),
  decided_by: z.string().nullable(),
  created_at: z.iso.datetime(),
  decided_at: z.iso.datetime().nullable(),
});
