import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

/** The subject of an approval, and the reasons for the request and the decision. docs/product.md#panel-approvals */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  const integer = engine === "sqlite" ? sql`integer` : sql`bigint`;
  for (const column of ["purchase_id", "cent_bps"])
    await db.schema.alterTable("approvals").addColumn(column, integer).execute();
  for (const column of ["wallet", "reason", "decision_reason"])
    await db.schema.alterTable("approvals").addColumn(column, "text").execute();
  await sql`update approvals set purchase_id = cast(substr(subject, 10) as ${integer}) where action = 'purchase.release'`.execute(
    db,
  );
  await sql`update approvals set purchase_id = (select subject_id from operations
    where operations.id = cast(substr(approvals.subject, 11) as ${integer})) where action = 'operation.retry'`.execute(
    db,
  );
  await sql`update approvals set wallet = case when action = 'cashback.distribute' then substr(subject, 6)
    else (select purchases.wallet from purchases where purchases.id = approvals.purchase_id) end`.execute(db);
  await db.schema.dropIndex("approvals_state").ifExists().execute();
  for (const columns of [
    ["state", "created_at"],
    ["state", "decided_at"],
    ["purchase_id", "id"],
    ["wallet", "id"],
    ["asked_by", "id"],
    ["amount_gwei", "id"],
  ])
    await db.schema
      .createIndex(`approvals_${columns[0]}_${columns[1]}`)
      .ifNotExists()
      .on("approvals")
      .columns(columns)
      .execute();
}
