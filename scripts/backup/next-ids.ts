import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { Queries } from "../../database/transaction.ts";
import { highestIds } from "../../reconcile/ledger.ts";
import { NUMBERED, type TableName } from "./tables.ts";

/** More purchases than are made between two backups; their ids may be tickets on chain by now. */
export const PURCHASE_GAP = 100_000n;

/**
 * Sets the next id of each numbered table. Skips `purchaseGap` purchase ids, which may have been assigned and minted
 * after the backup was made.
 */
export async function setNextIds(queries: Queries, engine: Database["engine"], purchaseGap: bigint): Promise<void> {
  for (const table of NUMBERED) {
    const { rows } = await sql<{ last: bigint }>`select coalesce(max(id), 0) as last from ${sql.table(table)}`.execute(
      queries,
    );
    const gap = table === "purchases" ? purchaseGap : 0n;
    await setLastId(queries, engine, table, BigInt(rows[0]?.last ?? 0n) + gap);
  }
}

/** Lets the next purchase id be far above every purchase and every ticket; never lower than it is. Returns it. */
export async function skipPurchaseIds({ engine }: Pick<Database, "engine">, queries: Queries): Promise<bigint> {
  const { purchase, token } = await highestIds(queries);
  const last = (purchase > token ? purchase : token) + PURCHASE_GAP;
  const present = await lastPurchaseId(queries, engine);
  if (present < last) await setLastId(queries, engine, "purchases", last);
  return (present < last ? last : present) + 1n;
}

async function lastPurchaseId(queries: Queries, engine: Database["engine"]): Promise<bigint> {
  const read =
    engine === "postgres"
      ? sql<{ last: bigint | null }>`select pg_sequence_last_value(pg_get_serial_sequence('purchases', 'id')) as last`
      : sql<{ last: bigint | null }>`select seq as last from sqlite_sequence where name = 'purchases'`;
  const { rows } = await read.execute(queries);
  return BigInt(rows[0]?.last ?? 0n);
}

async function setLastId(queries: Queries, engine: Database["engine"], table: TableName, last: bigint): Promise<void> {
  if (engine === "postgres") {
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last + 1n}, false)`.execute(queries);
  } else {
    await sql`delete from sqlite_sequence where name = ${table}`.execute(queries);
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(queries);
  }
}
