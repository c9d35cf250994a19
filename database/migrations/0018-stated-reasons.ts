import type { Kysely } from "kysely";

/** The figures of a sale's hold reasons, which the panel words itself. docs/product.md#sales-held */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("sales").addColumn("hold_figures", "text").execute();
}
