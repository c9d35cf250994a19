import { type Kysely, sql } from "kysely";

/** The sales of one network by amount, for the panel. docs/product.md#panel-lists */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index if not exists sales_network_amount on sales (network, amount_micros, id)`.execute(db);
}
