import { type Kysely, sql } from "kysely";

/**
 * Splits the index of payouts by amount: new entries land anywhere in it, and most payouts are done. A new one is now
 * written into a small index, and enters the large one once. docs/product.md#panel-lists
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [name, status] of [
    ["operations_pay_amount_done", sql`status = 'done'`],
    ["operations_pay_amount_open", sql`status <> 'done'`],
  ] as const)
    await sql`create index if not exists ${sql.ref(name)} on operations (amount_gwei, id)
      where kind = 'pay' and ${status}`.execute(db);
  await db.schema.dropIndex("operations_pay_amount").ifExists().execute();
}
