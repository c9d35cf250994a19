import type { Kysely } from "kysely";

/** The claims of a visit: looked at whenever a visit is stored or deleted, because claims refer to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("claims_click").ifNotExists().on("claims").column("click_id").execute();
}
