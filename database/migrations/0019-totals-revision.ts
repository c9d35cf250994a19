import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

/** Counts the changes of a buyer's totals, so that a cached profile knows when it is stale. docs/product.md#api-cache */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  await db.schema
    .alterTable("buyer_totals")
    .addColumn("revision", engine === "sqlite" ? "integer" : "bigint", (c) => c.notNull().defaultTo(0))
    .execute();
}
