import { type RawBuilder, SqliteAdapter, sql } from "kysely";
import type { DatabaseEngine } from "./connect.ts";
import type { Queries } from "./transaction.ts";

/** The database's own clock in milliseconds, so that processes on hosts whose clocks differ agree on what is due. */
export function clockOf(engine: DatabaseEngine): RawBuilder<bigint> {
  return engine === "sqlite"
    ? sql<bigint>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<bigint>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
}

/** The same, of the database that these queries go to. */
export function databaseNow(queries: Queries): RawBuilder<bigint> {
  return clockOf(engineOf(queries));
}

export function engineOf(queries: Queries): DatabaseEngine {
  return queries.getExecutor().adapter instanceof SqliteAdapter ? "sqlite" : "postgres";
}

/** What the database's clock says now, in milliseconds. */
export async function readClock(queries: Queries): Promise<number> {
  const { rows } = await sql<{ now: bigint }>`select ${databaseNow(queries)} as now`.execute(queries);
  return Number(rows[0]?.now);
}
