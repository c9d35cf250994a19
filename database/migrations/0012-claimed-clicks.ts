import type { Kysely } from "kysely";

/** An index of claims by click: storing or deleting a visit checks the claims that reference it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("claims_click").ifNotExists().on("claims").column("click_id").execute();
}
