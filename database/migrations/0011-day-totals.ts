import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

const DAY_MS = 86_400_000;

/** Daily counters, updated in the transactions they count. docs/product.md#panel-figures */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  const integer = engine === "sqlite" ? sql`integer` : sql`bigint`;
  const table = db.schema.createTable("day_totals");
  await (engine === "sqlite" ? table.modifyEnd(sql`strict`) : table)
    .addColumn("day", integer, (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("slot", integer, (c) => c.notNull())
    .addColumn("value", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("day_totals_key", ["day", "name", "slot"])
    .execute();
  for (const [name, from, at, value] of [
    ["users", "users", "created_at", "count(*)"],
    ["clicks", "clicks", "created_at", "count(*)"],
    ["purchases", "purchases", "created_at", "count(*)"],
    ["amount_cents", "purchases", "created_at", "sum(amount_cents)"],
    ["cashback_cent_bps", "purchases", "created_at", "sum(cashback_cent_bps)"],
    ["payouts", "payouts where state = 'paid'", "paid_at", "count(*)"],
    ["paid_gwei", "payouts where state = 'paid'", "paid_at", "sum(amount_gwei)"],
  ] as const)
    await sql`insert into day_totals (day, name, slot, value)
      select ${sql.raw(at)} / ${sql.lit(DAY_MS)}, ${sql.lit(name)}, 0, cast(${sql.raw(value)} as ${integer}) from ${sql.raw(from)}
      group by ${sql.raw(at)} / ${sql.lit(DAY_MS)}`.execute(db);
}
