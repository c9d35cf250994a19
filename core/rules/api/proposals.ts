import { z } from "zod";
import { PROPOSAL_KINDS, PROPOSAL_STATES } from "../proposals.ts";
import { doneSchema } from "./common.ts";
import { listQuerySchema } from "./lists.ts";

/** `coming`: those that a second person has agreed to, and whose day is still to come. */
export const proposalsQuerySchema = listQuerySchema([...PROPOSAL_STATES, "coming"], ["id"]);

/** A change that moves buyers or money without naming an amount, or cannot be undone. docs/product.md#proposals */
export const proposalSchema = z.object({
  id: z.number(),
  kind: z.enum(PROPOSAL_KINDS),
  /** A store's or fan token's id, a wallet, or what another kind is about. */
  subject_id: z.union([z.number(), z.string()]),
  /** The name of the store or fan token; null for others. */
  subject: z.string().nullable(),
  /** Before and after; null for none. Several fields are joined by ` · `. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  changes: z.array(z.object({ field: z.string(), from: z.string().nullable(), to: z.string().nullable() })),
  asked_by: z.string(),
  reason: z.string().nullable(),
  state: z.enum(PROPOSAL_STATES),
  /** Null: only when a second person agrees. */
  takes_effect_at: z.iso.datetime().nullable(),
  /** Whether a second person must agree, whatever the day. */
  needs_second: z.boolean(),
  created_at: z.iso.datetime(),
  decided_by: z.string().nullable(),
  decision_reason: z.string().nullable(),
  decided_at: z.iso.datetime().nullable(),
});
export type ProposalRow = z.infer<typeof proposalSchema>;

/** It is not in force yet. */
export const proposedSchema = doneSchema.extend({
  proposal_id: z.number(),
  takes_effect_at: z.iso.datetime().nullable(),
});
