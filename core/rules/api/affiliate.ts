import { z } from "zod";
import { sentenceOf } from "../broken-rule.ts";
import { limit, must } from "../field-rules.ts";
import { isAhead, type SaleReport } from "../sale/report.ts";
import { MAXIMUM_MICROS, readMicros } from "../sale/value.ts";
import { isPlainText } from "../text.ts";
import { answerOf, idSchema } from "./common.ts";
import { amountReaisSchema } from "./purchases.ts";
import { shortText } from "./short-text.ts";

const word = (maximum: number) =>
  shortText(maximum, `must be 1 to ${maximum} printable characters`).regex(
    /^[\x21-\x7e]+$/,
    `must be 1 to ${maximum} printable characters`,
  );

/** A decimal as a JSON number or text with a dot, in millionths. */
const microsSchema = z.union([z.number(), z.string()], { error: must("number") }).transform((value, context) => {
  const micros = readMicros(String(value));
  if (micros !== undefined && micros >= 0n && micros <= MAXIMUM_MICROS) return micros;
  context.addIssue({ code: "custom", message: "must be a decimal number from 0 to 1000000000, such as 12.50" });
  return z.NEVER;
});

const EARLIEST = Date.parse("2000-01-01T00:00:00Z");
const LATEST = Date.parse("2101-01-01T00:00:00Z");

const timeSchema = z
  .union([shortText(40).check(z.iso.datetime({ offset: true })), z.number().int().positive()], {
    error: "must be a time such as 2026-11-20T14:03:00Z, or milliseconds",
  })
  .transform((value) => (typeof value === "number" ? value : Date.parse(value)))
  .refine((time) => time >= EARLIEST && time < LATEST, "must be between the years 2000 and 2100")
  .transform(BigInt);
/** A change that is still to come would hide the next ones. */
const changedAtSchema = timeSchema.refine(
  (time) => !isAhead(time, BigInt(Date.now())),
  "must not be more than five minutes ahead",
);

const clickSchema = word(64);
const currencySchema = shortText(3, "must be a currency such as BRL").regex(
  /^[A-Z]{3}$/,
  "must be a currency such as BRL",
);

/** A shop reports the complete state of a sale: totals, never differences. */
export const directReportSchema = z.object({
  event_id: word(128),
  sale_key: word(128),
  click_id: clickSchema.nullish(),
  /** Which of the account's stores sold; must be named if there are several. */
  store_id: idSchema.nullish(),
  status: z.enum(["pending", "approved", "declined"], { error: "must be pending, approved or declined" }),
  /** Whether the shop pays for it now; if absent, the hold after the approval applies. */
  payable: z.boolean().nullish(),
  amount: microsSchema,
  currency: currencySchema.default("BRL"),
  parts: z
    .array(z.object({ group: word(128).nullish(), amount: microsSchema }))
    .max(100)
    .optional(),
  commission: microsSchema.nullish(),
  order_ref: z
    .string()
    .trim()
    .max(128, limit("max_length", 128))
    .refine((text) => isPlainText(text, 128), "must not contain control characters or half characters")
    .nullish(),
  occurred_at: timeSchema.nullish(),
  /** The shop's time of this change: the latest one counts, whatever the order of arrival. */
  changed_at: changedAtSchema,
});

/** The earlier format: one sale per click. `amount` is the network's own figure, in reais. */
export const affiliateEventSchema = z
  .object({
    event_id: word(128),
    type: z.enum(["report", "confirm", "reverse"], { error: "must be report, confirm or reverse" }),
    click_id: clickSchema,
    store_id: idSchema.nullish(),
    amount: amountReaisSchema.optional(),
  })
  .refine((event) => event.type === "reverse" || event.amount !== undefined, {
    path: ["amount"],
    message: "is missing: say what was bought for",
  });

/** Documents both formats. They are parsed separately, so that an error names its field. */
function inputShapes() {
  const shapes = [directReportSchema, affiliateEventSchema].map((schema) => {
    const { $schema: _dialect, ...shape } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    return shape;
  });
  return { anyOf: shapes };
}

const reportSchema = directReportSchema.transform(fromReport);
const earlierEventSchema = affiliateEventSchema.transform(fromEvent);

/** Either format, distinguished by `type`. */
export const affiliateHookSchema = z
  .unknown()
  .meta(inputShapes())
  .transform((value, context) => {
    const isEarlier = typeof value === "object" && value !== null && "type" in value;
    const result = (isEarlier ? earlierEventSchema : reportSchema).safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues)
      context.addIssue({ code: "custom", path: issue.path, message: sentenceOf(issue) });
    return z.NEVER;
  });

type EarlierEvent = z.output<typeof affiliateEventSchema>;
type DirectReport = z.output<typeof directReportSchema>;
export type DirectEvent = { eventId: string; kind: "report" | "confirm" | "reverse"; report: SaleReport };

const MICROS_PER_CENT = 10_000n;
const KINDS = { pending: "report", approved: "confirm", declined: "reverse" } as const;
/**
 * The earlier format has no times. Its events are ordered by the sale's life cycle, whatever the order of arrival, so
 * that nothing can undo a reversal.
 */
const EARLIER = {
  report: { status: "pending", changedAt: 1n },
  confirm: { status: "approved", changedAt: 2n },
  reverse: { status: "declined", changedAt: 3n },
} as const;

function fromReport(body: DirectReport): DirectEvent {
  return {
    eventId: body.event_id,
    kind: KINDS[body.status],
    report: {
      saleKey: body.sale_key,
      clickRef: body.click_id ?? null,
      // A direct shop's stores are known by their own ids.
      advertiserId: body.store_id == null ? null : String(body.store_id),
      orderRef: body.order_ref || null,
      status: body.status,
      payable: body.payable ?? null,
      amountMicros: body.amount,
      currency: body.currency,
      trackedBrlMicros: null,
      commissionMicros: body.commission ?? null,
      commissionCurrency: null,
      parts: (body.parts ?? []).map((part) => ({ group: part.group ?? null, amountMicros: part.amount })),
      occurredAt: body.occurred_at ?? null,
      changedAt: body.changed_at,
      reason: null,
      drift: null,
    },
  };
}

function fromEvent(body: EarlierEvent): DirectEvent {
  return {
    eventId: body.event_id,
    kind: body.type,
    report: {
      ...EARLIER[body.type],
      saleKey: body.click_id,
      clickRef: body.click_id,
      advertiserId: body.store_id == null ? null : String(body.store_id),
      orderRef: null,
      payable: null,
      amountMicros: (body.amount ?? 0n) * MICROS_PER_CENT,
      currency: "BRL",
      trackedBrlMicros: null,
      commissionMicros: null,
      commissionCurrency: null,
      parts: [],
      occurredAt: null,
      reason: null,
      drift: null,
    },
  };
}

export const affiliateResponseSchema = answerOf({
  message: z.string(),
  sale_id: z.number(),
  /** The newest purchase of the sale; null while it has none. */
  purchase_id: z.number().nullable(),
  /** True if this event was reported before; it had no effect this time. */
  duplicate: z.boolean(),
});

export const pushResponseSchema = answerOf({ message: z.string() });
