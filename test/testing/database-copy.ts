import { sql } from "kysely";
import type { Database } from "../../core/database/connect.ts";
import { COMPUTED, TABLE_NAMES, type TableName } from "../../core/database/generated/schema.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";

type Row = Record<string, unknown>;
/** Every row of a small database, by table. */
export type DatabaseCopy = ReadonlyMap<TableName, readonly Row[]>;

/** Copies a small database at once: many of them are made and put back in a test. */
export async function copyDatabase({ kysely }: Database): Promise<DatabaseCopy> {
  return inTransaction(kysely, async (queries) => {
    const copy = new Map<TableName, readonly Row[]>();
    for (const table of await filledTables(queries)) {
      const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(queries);
      copy.set(table, rows);
    }
    return copy;
  });
}

/** Puts a copy back in place of what the database has; rows of the tables to `keep` stay. */
export async function putBack(
  { kysely }: Database,
  copy: DatabaseCopy,
  keep: ReadonlySet<TableName> = new Set(),
): Promise<void> {
  await inTransaction(kysely, async (queries) => {
    // Each table is below those that its rows refer to.
    for (const table of (await filledTables(queries)).toReversed())
      if (!keep.has(table)) await queries.deleteFrom(table).execute();
    for (const [table, rows] of copy) if (!keep.has(table)) await insertRows(queries, table, rows);
  });
}

async function filledTables(queries: Queries): Promise<TableName[]> {
  const columns = TABLE_NAMES.map(
    (table) => sql`exists (select 1 from ${sql.table(table)}) as ${sql.ref(`has_${table}`)}`,
  );
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(columns)}`.execute(queries);
  return TABLE_NAMES.filter((table) => Boolean(Number(rows[0]?.[`has_${table}`])));
}

async function insertRows(queries: Queries, table: TableName, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => !COMPUTED.has(column));
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => sql.val(row[column])))})`);
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((one) => sql.ref(one)))}) values ${sql.join(values)}`.execute(
    queries,
  );
}
