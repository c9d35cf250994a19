import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

/**
 * Moves the due time of a purchase to a table of its own, so that a check does not write the purchase and all its
 * indexes. The columns stay for processes of an earlier version, and go with a later release.
 */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  const integer = engine === "sqlite" ? sql`integer` : sql`bigint`;
  const table = db.schema.createTable("due_purchases");
  await (engine === "sqlite" ? table.modifyEnd(sql`strict`) : table)
    .addColumn("purchase_id", integer, (c) => c.primaryKey().notNull())
    .addColumn("due_at", integer)
    .addColumn("due_block", integer)
    .addCheckConstraint("due_purchases_due", sql`due_at is not null or due_block is not null`)
    .execute();
  await sql`insert into due_purchases (purchase_id, due_at, due_block)
    select id, due_at, due_block from purchases where due_at is not null or due_block is not null`.execute(db);
  for (const column of ["due_at", "due_block"]) {
    await db.schema
      .createIndex(`due_purchases_${column}`)
      .on("due_purchases")
      .column(column)
      .where(sql.ref(column), "is not", null)
      .execute();
  }
  await sql`update purchases set due_at = null, due_block = null where due_at is not null or due_block is not null`.execute(
    db,
  );
}
