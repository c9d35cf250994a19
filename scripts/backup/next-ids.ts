import { sql } from "kysely";
import type { Database } from "../../core/database/connect.ts";
import { NUMBERED, type TableName } from "../../core/database/generated/schema.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { highestIds } from "../../core/reconcile/ledger.ts";

/** More rows than are made between two backups. Their ids were given out: as tickets, in notices, in pages that are open. */
export const ID_GAP = 100_000n;
/** Its ids have 16 bits. `StoreIds` skips those that are registered on chain; no other store was ever on offer. */
const WITHOUT_GAP: TableName = "stores";

/**
 * Lets the next id of each numbered table be far above every row, and of purchases above every ticket; never lower than
 * it is. Returns the next purchase id.
 */
export async function skipIds(
  { engine }: Pick<Database, "engine">,
  queries: Queries,
  gap: bigint = ID_GAP,
): Promise<bigint> {
  for (const table of NUMBERED) {
    const last = (await highestId(queries, table)) + (table === WITHOUT_GAP ? 0n : gap);
    if ((await lastId(queries, engine, table)) < last) await setLastId(queries, engine, table, last);
  }
  return (await lastId(queries, engine, "purchases")) + 1n;
}

async function highestId(queries: Queries, table: TableName): Promise<bigint> {
  if (table === "purchases") {
    const { purchase, token } = await highestIds(queries);
    return purchase > token ? purchase : token;
  }
  const { rows } = await sql<{ id: bigint | null }>`select max(id) as id from ${sql.table(table)}`.execute(queries);
  return BigInt(rows[0]?.id ?? 0n);
}

async function lastId(queries: Queries, engine: Database["engine"], table: TableName): Promise<bigint> {
  const read =
    engine === "postgres"
      ? sql<{ last: bigint | null }>`select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')) as last`
      : sql<{ last: bigint | null }>`select seq as last from sqlite_sequence where name = ${table}`;
  const { rows } = await read.execute(queries);
  return BigInt(rows[0]?.last ?? 0n);
}

async function setLastId(queries: Queries, engine: Database["engine"], table: TableName, last: bigint): Promise<void> {
  if (engine === "postgres") {
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last})`.execute(queries);
  } else {
    await sql`delete from sqlite_sequence where name = ${table}`.execute(queries);
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(queries);
  }
}
