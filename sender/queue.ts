import { type RawBuilder, type Selectable, sql } from "kysely";
import { databaseNow } from "../database/clock.ts";
import type { OperationKind, Schema } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";

export type Operation = Selectable<Schema["operations"]>;

/** `afterMs` is how long it waits before it may be sent; without it, not at all. */
export type NewOperation = { kind: OperationKind; subjectId: bigint; afterMs?: bigint; amountGwei?: bigint };

/** A time from now on, by the database's clock: another process, whose own clock differs, may be the one to look. */
function inMs(queries: Queries, afterMs = 0n): RawBuilder<bigint> {
  return sql<bigint>`${databaseNow(queries)} + ${afterMs}`;
}

const INSERT_ROWS = 500;

/**
 * Puts operations into the outbox. One a kind and subject for ever: a repeat changes nothing, whoever asks.
 */
export async function enqueue(queries: Queries, operations: readonly NewOperation[]): Promise<void> {
  const now = BigInt(Date.now());
  for (let start = 0; start < operations.length; start += INSERT_ROWS) {
    await queries
      .insertInto("operations")
      .values(
        operations.slice(start, start + INSERT_ROWS).map((operation) => ({
          kind: operation.kind,
          subject_id: operation.subjectId,
          amount_gwei: operation.amountGwei ?? null,
          status: "queued" as const,
          not_before: inMs(queries, operation.afterMs),
          created_at: now,
          updated_at: now,
        })),
      )
      .onConflict((conflict) => conflict.columns(["kind", "subject_id"]).doNothing())
      .execute();
  }
}

/** Puts an operation that ended, well or badly, into the queue once more; one under way is left alone. */
export async function enqueueAgain(queries: Queries, operation: NewOperation): Promise<void> {
  const now = BigInt(Date.now());
  await enqueue(queries, [operation]);
  await queries
    .updateTable("operations")
    .set({
      status: "queued",
      transaction_id: null,
      attempts: 0n,
      error: null,
      not_before: inMs(queries, operation.afterMs),
      updated_at: now,
    })
    .where("kind", "=", operation.kind)
    .where("subject_id", "=", operation.subjectId)
    .where("status", "in", ["done", "failed"])
    .execute();
}

/** Takes an operation that has not left back out of the queue. Answers false where it is under way or done. */
export async function withdraw(
  queries: Queries,
  kind: OperationKind,
  subjectId: bigint,
  reason: string,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("operations")
    .set({ status: "failed", error: reason, updated_at: BigInt(Date.now()) })
    .where("kind", "=", kind)
    .where("subject_id", "=", subjectId)
    .where("status", "=", "queued")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Lets a queued operation go now instead of after its delay, and a failed one once more. */
export async function hasten(queries: Queries, kind: OperationKind, subjectId: bigint): Promise<void> {
  const now = BigInt(Date.now());
  await queries
    .updateTable("operations")
    .set({ status: "queued", not_before: inMs(queries), updated_at: now })
    .where("kind", "=", kind)
    .where("subject_id", "=", subjectId)
    .where("status", "in", ["queued", "failed"])
    .where("not_before", ">", 0n)
    .execute();
}

export async function findOperation(
  queries: Queries,
  kind: OperationKind,
  subjectId: bigint,
): Promise<Operation | undefined> {
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("kind", "=", kind)
    .where("subject_id", "=", subjectId)
    .executeTakeFirst();
}

/** The hash under which an operation was sent last, once it was. */
export async function findOperationHash(queries: Queries, operation: Operation): Promise<string | null> {
  if (operation.transaction_id === null) return null;
  const transaction = await queries
    .selectFrom("transactions")
    .select("mined_hash")
    .where("id", "=", operation.transaction_id)
    .executeTakeFirst();
  if (transaction?.mined_hash) return transaction.mined_hash;
  const latest = await queries
    .selectFrom("transaction_hashes")
    .select("hash")
    .where("transaction_id", "=", operation.transaction_id)
    .orderBy("created_at", "desc")
    .executeTakeFirst();
  return latest?.hash ?? null;
}

/** Queued operations whose time has come, oldest first. */
export async function listDue(queries: Queries, kind: OperationKind, limit: number): Promise<Operation[]> {
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("status", "=", "queued")
    .where("kind", "=", kind)
    .where("not_before", "<=", databaseNow(queries))
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** How many operations of each kind wait, and for how long the oldest of them could have gone. */
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
    .where("status", "=", "queued")
    .where("not_before", "<=", databaseNow(queries))
    .groupBy("kind")
    .execute();
  return rows.map((row) => ({ kind: row.kind, count: BigInt(row.count), waitedMs: BigInt(row.waited_ms) }));
}

/** Takes operations that still wait out of this round: to a later time, to done, or to failed with the reason. */
export async function resolveOperations(
  queries: Queries,
  ids: readonly bigint[],
  outcome: { status: "queued" | "done" | "failed"; afterMs?: bigint; error?: string | null },
): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable("operations")
    .set({
      status: outcome.status,
      ...(outcome.afterMs === undefined ? {} : { not_before: inMs(queries, outcome.afterMs) }),
      ...(outcome.error === undefined ? {} : { error: outcome.error }),
      updated_at: BigInt(Date.now()),
    })
    .where("id", "in", ids)
    .where("status", "=", "queued")
    .execute();
}

/** Transactions whose operations still wait for their outcome. */
export async function listUnfinishedTransactionIds(queries: Queries): Promise<Set<bigint>> {
  const rows = await queries
    .selectFrom("operations")
    .select("transaction_id")
    .distinct()
    .where("status", "=", "assigned")
    .execute();
  return new Set(rows.flatMap((row) => (row.transaction_id === null ? [] : [row.transaction_id])));
}

/** The operations of a transaction succeeded. */
export async function finishOperations(queries: Queries, transactionId: bigint): Promise<void> {
  await queries
    .updateTable("operations")
    .set({ status: "done", error: null, updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "assigned")
    .execute();
}

/** What a transaction was to do is undecided again, because its block was orphaned. */
export async function reopenOperations(queries: Queries, transactionId: bigint): Promise<void> {
  await queries
    .updateTable("operations")
    .set({ status: "assigned", updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "done")
    .execute();
}

/** A transaction reverted or lost its nonce: its operations wait again, and fail for good after `maximumAttempts`. */
export async function requeueOperations(
  queries: Queries,
  transactionId: bigint,
  parameters: { error: string; afterMs: bigint; maximumAttempts: bigint },
): Promise<void> {
  const now = BigInt(Date.now());
  const ofTransaction = () => queries.updateTable("operations").where("transaction_id", "=", transactionId);
  await ofTransaction()
    .set({ status: "failed", error: parameters.error, updated_at: now })
    .where("attempts", ">=", parameters.maximumAttempts - 1n)
    .where("status", "=", "assigned")
    .execute();
  await ofTransaction()
    .set((set) => ({
      status: "queued" as const,
      transaction_id: null,
      attempts: set("attempts", "+", 1n),
      error: parameters.error,
      not_before: inMs(queries, parameters.afterMs),
      updated_at: now,
    }))
    .where("status", "=", "assigned")
    .execute();
}
