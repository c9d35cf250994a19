import { z } from "zod";
import { EVENT_KINDS, UNREAD_MOST } from "../events.ts";
import { answerOf, idSchema, pageQuerySchema } from "./common.ts";

export const eventSchema = z.object({
  id: z.number(),
  kind: z.enum(EVENT_KINDS),
  /** Of a claim's events, null. */
  purchase_id: z.number().nullable(),
  store: z.string(),
  /** What was paid to the store, in reais. */
  value: z.string(),
  /** The cashback, payout, credit or debt, in CHZ; null if there is none, or its rate is not known yet. */
  amount: z.string().nullable(),
  /** Why a claim was refused. */
  reason: z.string().nullable(),
  is_read: z.boolean(),
  created_at: z.iso.datetime(),
});

export const eventsQuerySchema = pageQuerySchema;

export const eventsResponseSchema = answerOf({
  events: z.array(eventSchema),
  /** How many are unread, at most the number given. */
  unread: z.number().max(UNREAD_MOST),
  next_before: z.number().nullable(),
});

/** Marks events up to this one as read. */
export const readEventsRequestSchema = z.strictObject({ through: idSchema });
