import { type Kysely, sql } from "kysely";

/**
 * Two indexes of operations instead of four: each new operation, and each change of its status, writes fewer entries.
 * Due operations are found in an index that leaves out finished ones. docs/operations.md#measured
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index if not exists operations_due on operations (status, kind, not_before)
    where status in ('queued', 'waiting', 'failed')`.execute(db);
  await sql`create index if not exists operations_listed on operations (status, kind, id)`.execute(db);
  for (const name of ["operations_status", "operations_status_id", "operations_pay", "operations_pay_status"])
    await db.schema.dropIndex(name).ifExists().execute();
}
