import { type Kysely, sql } from "kysely";

/**
 * Drops an index that nothing uses any more, and limits another to rows that need it; both slowed down every
 * registration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex("purchases_open").ifExists().execute();
  await db.schema.dropIndex("operations_transaction_id").ifExists().execute();
  await db.schema
    .createIndex("operations_transaction_id")
    .on("operations")
    .column("transaction_id")
    .where(sql.ref("transaction_id"), "is not", null)
    .execute();
}
