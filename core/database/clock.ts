import { type RawBuilder, SqliteAdapter, sql } from "kysely";
import type { DatabaseEngine } from "./connect.ts";
import type { Queries } from "./transaction.ts";

/**
 * The database's clock in milliseconds, so that hosts with different clocks agree on what is due. In PostgreSQL it is
 * the statement's time: `clock_timestamp()` may differ from row to row, so an index cannot be searched by it.
 */
export function clockOf(engine: DatabaseEngine): RawBuilder<bigint> {
  return engine === "sqlite"
    ? sql<bigint>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<bigint>`cast(extract(epoch from statement_timestamp()) * 1000 as bigint)`;
}

/** The same, for the database of these queries; or the time in so many milliseconds. */
export function databaseNow(queries: Queries, afterMs?: bigint): RawBuilder<bigint> {
  const now = clockOf(engineOf(queries));
  return afterMs === undefined ? now : sql<bigint>`${now} + ${afterMs}`;
}

export function engineOf(queries: Queries): DatabaseEngine {
  return queries.getExecutor().adapter instanceof SqliteAdapter ? "sqlite" : "postgres";
}

/** The current time of the database's clock, in milliseconds. */
export async function readClock(queries: Queries): Promise<number> {
  const { rows } = await sql<{ now: bigint }>`select ${databaseNow(queries)} as now`.execute(queries);
  return Number(rows[0]?.now);
}
