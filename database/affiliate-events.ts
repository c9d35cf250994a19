import type { Insertable } from "kysely";
import type { Schema } from "./schema.ts";
import type { Queries } from "./transaction.ts";

/** Returns false if the network reported this event before. */
export async function insertAffiliateEvent(
  queries: Queries,
  event: Insertable<Schema["affiliate_events"]>,
): Promise<boolean> {
  const inserted = await queries
    .insertInto("affiliate_events")
    .values(event)
    .onConflict((conflict) => conflict.columns(["network", "event_id"]).doNothing())
    .returning("event_id")
    .executeTakeFirst();
  return inserted !== undefined;
}
