import { sql } from "kysely";
import { databaseNow } from "../database/clock.ts";
import type { OperationKind } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { type Operation, UNSENT } from "./queue.ts";
import type { Standing } from "./standing.ts";

/** Counting the due operations of a kind stops here; far more than one round sends. */
const COUNTED = 5_000;

/**
 * Operations that have been due longest, and can share a transaction. After a batch has reverted, its operations are
 * retried in halves. Each status is one range of an index, so a long queue costs no more than a short one.
 */
export async function listDue(queries: Queries, kind: OperationKind, limit: number): Promise<Operation[]> {
  const stretches = UNSENT.map(
    (status) => sql`select * from (select * from operations where status = ${status} and kind = ${kind}
      and not_before <= ${databaseNow(queries)} order by not_before limit ${limit}) as ${sql.ref(status)}`,
  );
  const { rows } = await sql<Operation>`${sql.join(stretches, sql` union all `)}
    order by not_before limit ${limit}`.execute(queries);
  const due = rows.toSorted((one, other) => Number(one.id - other.id));
  const batchLimit = due[0]?.batch_limit ?? null;
  const together = due.filter((operation) => operation.batch_limit === batchLimit);
  return batchLimit === null ? together : together.slice(0, Number(batchLimit));
}

/**
 * For each of these kinds, how many operations could be sent now (counted up to 5,000 in each status), and how long the
 * oldest has been waiting.
 */
export async function summarizeDue(
  queries: Queries,
  kinds: readonly OperationKind[],
): Promise<{ kind: OperationKind; count: bigint; waitedMs: bigint }[]> {
  if (kinds.length === 0) return [];
  const listOf = (values: readonly string[]) =>
    sql.join(
      values.map((value) => sql`select cast(${value} as text) as name`),
      sql` union all `,
    );
  const isDue = sql`operations.status = statuses.name and operations.kind = kinds.name
    and not_before <= ${databaseNow(queries)}`;
  const { rows } = await sql<{ kind: OperationKind; count: bigint; waited_ms: bigint | null }>`
    select kinds.name as kind,
      (select count(*) from (select 1 from operations where ${isDue} limit ${COUNTED}) as some_due) as count,
      ${databaseNow(queries)} - (select min(not_before) from operations where ${isDue}) as waited_ms
    from (${listOf(kinds)}) as kinds cross join (${listOf(UNSENT)}) as statuses`.execute(queries);
  const due = rows.filter((row) => row.waited_ms !== null);
  return [...Map.groupBy(due, (row) => row.kind)].map(([kind, ofKind]) => ({
    kind,
    count: ofKind.reduce((sum, row) => sum + BigInt(row.count), 0n),
    waitedMs: ofKind.reduce((most, { waited_ms: ms }) => (ms !== null && ms > most ? ms : most), 0n),
  }));
}

/** The number and age of unfinished operations, by kind, status and reason. */
export async function summarizeStanding(queries: Queries): Promise<Standing[]> {
  const rows = await queries
    .selectFrom("operations")
    .select(({ fn }) => [
      "kind",
      "status",
      "reason",
      fn.countAll<bigint>().as("count"),
      sql<bigint>`${databaseNow(queries)} - ${fn.min("since")}`.as("oldest_ms"),
      fn.max("error").as("error"),
    ])
    .where("status", "in", [...UNSENT, "assigned"])
    .groupBy(["kind", "status", "reason"])
    .orderBy("kind")
    .orderBy("status")
    .orderBy("reason")
    .execute();
  return rows.map((row) => ({
    kind: row.kind,
    status: row.status,
    reason: row.reason,
    error: row.error,
    count: Number(row.count),
    oldestMs: Math.max(0, Number(row.oldest_ms)),
  }));
}

/** The sum of a kind's operations in transactions that have no receipt yet. */
export async function sumInFlight(queries: Queries, kind: OperationKind): Promise<bigint> {
  const row = await queries
    .selectFrom("operations")
    .innerJoin("transactions", "transactions.id", "operations.transaction_id")
    .select(sql<bigint | string | null>`sum(operations.amount_gwei)`.as("gwei"))
    .where("operations.status", "=", "assigned")
    .where("operations.kind", "=", kind)
    .where("transactions.status", "=", "signed")
    .executeTakeFirst();
  return BigInt(row?.gwei ?? 0n);
}
