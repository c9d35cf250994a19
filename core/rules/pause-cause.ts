import { z } from "zod";

/**
 * Why payouts are paused if no person gave a reason: by `PAYOUTS_PAUSED`, by an admin without a reason, after a
 * difference between database and chain, after a transaction of ours lost its nonce, after a backup was restored, after
 * the database was moved back or the chain had a call of ours that the database does not know, and after `npm run restored` until a person resumes them.
 */
export const pauseCauseSchema = z.discriminatedUnion("code", [
  z.object({ code: z.literal("environment") }),
  z.object({ code: z.literal("unsaid") }),
  z.object({ code: z.literal("differences"), detail: z.string() }),
  z.object({ code: z.literal("lost_nonce"), key: z.string(), nonce: z.number() }),
  z.object({ code: z.literal("restored"), created_at: z.string() }),
  z.object({ code: z.literal("chain_ahead"), key: z.string(), nonce: z.number(), call: z.string() }),
  z.object({ code: z.literal("moved_back") }),
  z.object({ code: z.literal("recovered") }),
]);
export type PauseCause = z.infer<typeof pauseCauseSchema>;
