import { type EventRow, listEvents, markRead, readUnread } from "../../core/purchases/events.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import { eventsQuerySchema, eventsResponseSchema, readEventsRequestSchema } from "../../core/rules/api/events.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei, reaisText } from "../../core/rules/money.ts";
import { nextBefore, type Route, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";

/** What happened to the user's purchases and claims. docs/product.md#events */
export function eventRoutes({ database: { kysely, reader } }: Services): Route[] {
  return [
    route.get("/api/events", {
      access: "user",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "What happened to the signed-in user's purchases and claims, newest first",
      query: eventsQuerySchema,
      responses: { 200: eventsResponseSchema },
      async handle({ identity, query }) {
        const { wallet } = visitorOf(identity);
        const [rows, { readThrough, unread }] = await Promise.all([
          listEvents(reader, wallet, query),
          readUnread(kysely, wallet),
        ]);
        return {
          body: {
            success: true,
            events: rows.map((row) => toWire(row, readThrough)),
            unread,
            next_before: nextBefore(rows, query.limit, (row) => row.id),
          },
        };
      },
    }),
    route.post("/api/events/read", {
      access: "user",
      cost: { thread: 0.6, node: 0, stored: 100, mail: 0 },
      summary: "Marks the signed-in user's events up to one as read",
      body: readEventsRequestSchema,
      responses: { 200: doneSchema },
      async handle({ identity, body }) {
        await markRead(kysely, visitorOf(identity).wallet, body.through);
        return { body: { success: true, message: "Marked as read" } };
      },
    }),
  ];
}

function toWire(row: EventRow, readThrough: bigint) {
  const isOfClaim = row.kind === "claim_accepted" || row.kind === "claim_refused";
  return {
    id: Number(row.id),
    kind: row.kind,
    purchase_id: isOfClaim ? null : Number(row.subject_id),
    store: row.store_name,
    value: reaisText(row.amount_cents),
    amount: row.amount_gwei === null ? null : chzTextFromGwei(row.amount_gwei),
    reason: row.reason,
    is_read: row.id <= readThrough,
    created_at: isoTime(row.created_at),
  };
}
