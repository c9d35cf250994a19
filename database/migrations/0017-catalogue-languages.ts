import type { Kysely } from "kysely";

const STORE_TEXTS = ["country_en", "category_en", "description_en", "terms", "terms_en"];

/** English texts of stores, and their cashback exclusions. docs/product.md#store-languages */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of STORE_TEXTS) await db.schema.alterTable("stores").addColumn(column, "text").execute();
  await db.schema.alterTable("store_cashbacks").addColumn("category_en", "text").execute();
}
