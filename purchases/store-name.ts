import { type RawBuilder, sql } from "kysely";

/** What the store of a row is called now, as its tickets say; what the row has frozen if the store is gone. */
export function storeNameNow(table: "purchases" | "clicks"): RawBuilder<string> {
  const row = sql.table(table);
  return sql`coalesce((select stores.name from stores where stores.id = ${row}.store_id), ${row}.store_name)`;
}
