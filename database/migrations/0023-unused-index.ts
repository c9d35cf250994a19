import type { Kysely } from "kysely";

/** Drops an index that no query uses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex("purchases_reversed").ifExists().execute();
}
