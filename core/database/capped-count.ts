import { type RawBuilder, sql } from "kysely";
import type { Queries } from "./transaction.ts";

/** Every count stops here; one more means "more than this". */
export const COUNTED = 10_000;

/** How many rows a `select` finds, as an expression. */
export function countOf(rows: RawBuilder<unknown>): RawBuilder<bigint> {
  return sql<bigint>`(select count(*) from ${someOf(rows, COUNTED)})`;
}

/** The same, counted. */
export async function countRows(queries: Queries, rows: RawBuilder<unknown>, atMost = COUNTED): Promise<number> {
  const counted = await sql<{ n: bigint }>`select count(*) as n from ${someOf(rows, atMost)}`.execute(queries);
  return Number(counted.rows[0]?.n ?? 0n);
}

function someOf(rows: RawBuilder<unknown>, atMost: number): RawBuilder<unknown> {
  return sql`(select 1 from (${rows}) as k limit ${sql.lit(atMost + 1)}) as counted`;
}
