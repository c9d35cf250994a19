import { z } from "zod";
import { BOOST_DAYS, BOOST_STATES } from "../boost.ts";
import { DAY_MS } from "../iso-time.ts";
import { percentSchema } from "./catalogue.ts";
import { answerOf, doneSchema, idSchema } from "./common.ts";
import { listQuerySchema } from "./lists.ts";
import { shortText } from "./short-text.ts";

/** A moment with its offset, such as 2026-11-29T23:59:00-03:00, in milliseconds UTC. */
const MOMENT = "must be a time such as 2026-11-29T23:59:00-03:00";
export const momentSchema = shortText(40, MOMENT)
  .check(z.iso.datetime({ offset: true, error: MOMENT }))
  .transform((text) => BigInt(Date.parse(text)));

/** What a boost is: of the API and of a catalogue file. @see createBoostRequestSchema */
export const boostSpanShape = {
  /** More than 0 and at most 100. */
  percent: percentSchema.refine((bps) => bps > 0n, "must be more than 0"),
  ends_at: momentSchema,
};

/** A boost to plan. Without `category_id` it is for the whole store, without `starts_at` it starts now. */
export const createBoostRequestSchema = z.strictObject({
  ...boostSpanShape,
  category_id: idSchema.nullish(),
  starts_at: momentSchema.nullish(),
});

/** Why a span cannot be planned now; undefined if it can. Times are milliseconds UTC. */
export function spanProblem(
  { startsAt, endsAt }: { startsAt: bigint; endsAt: bigint },
  now: bigint,
): { field: "starts_at" | "ends_at"; message: string } | undefined {
  if (endsAt <= now) return { field: "ends_at", message: "ends_at must be in the future" };
  if (endsAt <= startsAt) return { field: "ends_at", message: "ends_at must be after starts_at" };
  if (endsAt > now + BigInt(BOOST_DAYS * DAY_MS))
    return { field: "ends_at", message: `ends_at must be within ${BOOST_DAYS} days` };
  return undefined;
}

export const boostSchema = z.object({
  id: z.number(),
  store_id: z.number(),
  /** The category; null if it is for the whole store. */
  category_id: z.number().nullable(),
  category: z.string().nullable(),
  /** Decimal text. */
  percent: z.string(),
  state: z.enum(BOOST_STATES),
  starts_at: z.iso.datetime(),
  /** When it ended, if it was ended early. */
  ends_at: z.iso.datetime(),
  /** The end that was planned. */
  planned_end_at: z.iso.datetime(),
  /** The admin who planned it. */
  planned_by: z.string(),
  created_at: z.iso.datetime(),
});
export type BoostRow = z.infer<typeof boostSchema>;

export const boostsResponseSchema = answerOf({
  /** Newest first. */
  boosts: z.array(boostSchema),
  /** Pass as `before` to get the next page; null on the last. */
  next_before: z.number().nullable(),
});

/** A boost that is planned, and whether it waits for a second person. */
export const createBoostResponseSchema = doneSchema.extend({ id: z.number(), boost: boostSchema });
export const boostWaitsResponseSchema = createBoostResponseSchema.extend({ approval_id: z.number() });

/** `lapsed`: the boost, the category or its percent changed meanwhile. */
export const PERCENT_APPROVAL_STATES = ["open", "approved", "refused", "lapsed"] as const;
export const percentApprovalsQuerySchema = listQuerySchema(PERCENT_APPROVAL_STATES, ["id"]);

/** A percent that takes a second person. */
export const percentApprovalSchema = z.object({
  id: z.number(),
  kind: z.enum(["boost", "category"]),
  store_id: z.number(),
  store: z.string(),
  boost_id: z.number().nullable(),
  /** The category; null for a boost of the whole store. */
  category: z.string().nullable(),
  /** Decimal text. */
  percent: z.string(),
  /** What is raised to it when it was asked; null for a boost and a new category. */
  from_percent: z.string().nullable(),
  /** What else of the category changes, by which other sales get another percent; null if nothing does. */
  change: z
    .object({
      group_code: z.string().nullable().optional(),
      is_default: z.boolean().optional(),
      is_deleted: z.literal(true).optional(),
    })
    .nullable(),
  /** Of a boost. */
  starts_at: z.iso.datetime().nullable(),
  ends_at: z.iso.datetime().nullable(),
  state: z.enum(PERCENT_APPROVAL_STATES),
  asked_by: z.string(),
  decided_by: z.string().nullable(),
  decision_reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  decided_at: z.iso.datetime().nullable(),
});
export type PercentApproval = z.infer<typeof percentApprovalSchema>;
