import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

/**
 * Running totals of purchases, and when each purchase is due. Existing purchases are due at once; processing them also
 * counts them.
 */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  const integer = engine === "sqlite" ? sql`integer` : sql`bigint`;
  const table = (name: string) => {
    const builder = db.schema.createTable(name);
    return engine === "sqlite" ? builder.modifyEnd(sql`strict`) : builder;
  };
  for (const column of ["due_at", "due_block", "counted_status", "counted_wei_per_cent"])
    await db.schema.alterTable("purchases").addColumn(column, integer).execute();
  for (const column of ["counted_cent_bps", "counted_paid_gwei", "counted_open"])
    await db.schema
      .alterTable("purchases")
      .addColumn(column, integer, (c) => c.notNull().defaultTo(0))
      .execute();
  for (const column of ["due_at", "due_block"])
    await db.schema
      .createIndex(`purchases_${column}`)
      .on("purchases")
      .column(column)
      .where(sql.ref(column), "is not", null)
      .execute();

  let totals = table("buyer_totals").addColumn("wallet", "text", (c) => c.primaryKey().notNull());
  for (const column of [
    "processing",
    "pending",
    "confirmed",
    "cancelled",
    "pending_gwei",
    "pending_cent_bps",
    "confirmed_gwei",
    "confirmed_cent_bps",
    "paid_gwei",
  ])
    totals = totals.addColumn(column, integer, (c) => c.notNull().defaultTo(0));
  await totals.execute();
  await table("shop_totals")
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("slot", integer, (c) => c.notNull())
    .addColumn("value", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("shop_totals_key", ["name", "slot"])
    .execute();

  await sql`insert into shop_totals (name, slot, value) select 'users', 0, count(*) from users where erased_at is null`.execute(
    db,
  );
  for (const [unit, part] of [
    ["chz", sql`amount_gwei / 1000000000`],
    ["gwei", sql`amount_gwei % 1000000000`],
  ] as const)
    await sql`insert into shop_totals (name, slot, value)
      select 'payouts_' || state || ${sql.lit(`_${unit}`)}, 0, sum(${part}) from payouts group by state`.execute(db);
  await sql`update purchases set due_at = 0`.execute(db);

  // Finds payouts above a block: a buyer's newest payouts, and those that a comparison with the chain has not covered
  // yet.
  await db.schema.createIndex("payouts_block").on("payouts").columns(["block_number", "log_index"]).execute();
  await db.schema.createIndex("payouts_recipient").on("payouts").columns(["recipient", "block_number"]).execute();
  await db.schema.createIndex("sessions_created_at").on("sessions").column("created_at").execute();
  await db.schema.createIndex("idempotency_keys_created_at").on("idempotency_keys").column("created_at").execute();
}
