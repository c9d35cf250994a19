import { sql } from "kysely";
import { databaseNow } from "../database/clock.ts";
import type { OperationKind } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { type Operation, UNSENT } from "./queue.ts";
import type { Standing } from "./standing.ts";

/**
 * Due operations, oldest first, that can share a transaction. After a batch has reverted, its operations are retried in
 * halves.
 */
export async function listDue(queries: Queries, kind: OperationKind, limit: number): Promise<Operation[]> {
  const due = await queries
    .selectFrom("operations")
    .selectAll()
    .where("status", "in", UNSENT)
    .where("kind", "=", kind)
    .where("not_before", "<=", databaseNow(queries))
    .orderBy("id")
    .limit(limit)
    .execute();
  const batchLimit = due[0]?.batch_limit ?? null;
  const together = due.filter((operation) => operation.batch_limit === batchLimit);
  return batchLimit === null ? together : together.slice(0, Number(batchLimit));
}

/** For each kind, how many operations could be sent now, and how long the oldest has been waiting. */
export async function summarizeDue(
  queries: Queries,
): Promise<{ kind: OperationKind; count: bigint; waitedMs: bigint }[]> {
  const rows = await queries
    .selectFrom("operations")
    .select(({ fn }) => [
      "kind",
      fn.countAll<bigint>().as("count"),
      sql<bigint>`${databaseNow(queries)} - ${fn.min("not_before")}`.as("waited_ms"),
    ])
    .where("status", "in", UNSENT)
    .where("not_before", "<=", databaseNow(queries))
    .groupBy("kind")
    .execute();
  return rows.map((row) => ({ kind: row.kind, count: BigInt(row.count), waitedMs: BigInt(row.waited_ms) }));
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
