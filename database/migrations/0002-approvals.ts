import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

/** Approvals by affiliate networks, and the running sums of the distributor's deposits and withdrawals. */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  const integer = engine === "sqlite" ? sql`integer` : sql`bigint`;
  await db.schema.alterTable("purchases").addColumn("approved_at", integer).execute();
  await db.schema
    .createIndex("purchases_reversed")
    .on("purchases")
    .column("reversed_at")
    .where(sql.ref("reversed_at"), "is not", null)
    .execute();
  await db.schema.createIndex("affiliate_events_click_id").on("affiliate_events").column("click_id").execute();
}
