import { type RawBuilder, type Selectable, sql } from "kysely";
import { numberRows } from "../database/among.ts";
import { databaseNow } from "../database/clock.ts";
import type { OperationKind, OperationReason, OperationStatus, Schema } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { Standing } from "./standing.ts";

export type Operation = Selectable<Schema["operations"]>;

/** `afterMs` is the delay before it may be sent; none by default. */
export type NewOperation = { kind: OperationKind; subjectId: bigint; afterMs?: bigint; amountGwei?: bigint };

/** Tried when due. A failed operation has a time if a retry makes sense. */
const TRIED = ["queued", "waiting", "failed"] as const satisfies readonly OperationStatus[];
/** Not in a transaction and not finished. */
const UNSENT = TRIED;
/** Later than any clock: only a person can resume it. */
const NEVER = 9_000_000_000_000_000n;
const INSERT_ROWS = 5_000;
const COUNTED = 10_000;

/** A time by the database's clock, because a process with another clock may read it. */
function inMs(queries: Queries, afterMs = 0n): RawBuilder<bigint> {
  return sql<bigint>`${databaseNow(queries)} + ${afterMs}`;
}

/** The columns of a row that was just queued. */
function fresh(queries: Queries, afterMs?: bigint) {
  return {
    status: "queued" as const,
    transaction_id: null,
    attempts: 0n,
    reason: null,
    error: null,
    batch_limit: null,
    since: databaseNow(queries),
    not_before: inMs(queries, afterMs),
    updated_at: BigInt(Date.now()),
  };
}

/**
 * Adds operations to the queue. There is one row per kind and subject: a repetition changes nothing, unless the
 * operation was withdrawn.
 */
export async function enqueue(queries: Queries, operations: readonly NewOperation[]): Promise<void> {
  for (const [kind, ofKind] of Map.groupBy(operations, (operation) => operation.kind)) {
    for (let start = 0; start < ofKind.length; start += INSERT_ROWS) {
      await insertFresh(queries, kind, ofKind.slice(start, start + INSERT_ROWS));
    }
  }
}

async function insertFresh(queries: Queries, kind: OperationKind, operations: readonly NewOperation[]): Promise<void> {
  const { list, column } = numberRows(
    queries,
    operations.map(({ subjectId, amountGwei, afterMs }) => [subjectId, amountGwei ?? null, afterMs ?? 0n]),
  );
  const now = BigInt(Date.now());
  // `where true`: SQLite could read ON as a part of the join.
  await sql`insert into operations (kind, subject_id, amount_gwei, status, attempts, since, not_before, created_at, updated_at)
    select ${kind}, ${column(0)}, ${column(1)}, 'queued', 0, ${databaseNow(queries)}, ${databaseNow(queries)} + ${column(2)},
      cast(${now} as bigint), cast(${now} as bigint) from ${list} where true
    on conflict (kind, subject_id) do update set status = excluded.status, transaction_id = null, attempts = 0, reason = null,
      error = null, batch_limit = null, amount_gwei = excluded.amount_gwei, since = excluded.since,
      not_before = excluded.not_before, updated_at = excluded.updated_at
    where operations.status = 'withdrawn'`.execute(queries);
}

/** Queues a finished or failed operation again; does not touch one in progress. */
export async function enqueueAgain(queries: Queries, operation: NewOperation): Promise<void> {
  await enqueue(queries, [operation]);
  await queries
    .updateTable("operations")
    .set(fresh(queries, operation.afterMs))
    .where("kind", "=", operation.kind)
    .where("subject_id", "=", operation.subjectId)
    .where("status", "in", ["done", "failed", "waiting"])
    .execute();
}

/** Removes an operation that is not in a transaction from the queue. Returns false if it is in progress or done. */
export async function withdraw(
  queries: Queries,
  kind: OperationKind,
  subjectId: bigint,
  error: string,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("operations")
    .set({ status: "withdrawn", reason: null, error, since: databaseNow(queries), updated_at: BigInt(Date.now()) })
    .where("kind", "=", kind)
    .where("subject_id", "=", subjectId)
    .where("status", "in", UNSENT)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Takes operations that never left out of the outbox, so that they can be planned again. */
export async function forgetOperations(
  queries: Queries,
  kinds: readonly OperationKind[],
  subjectId: bigint,
): Promise<void> {
  await queries
    .deleteFrom("operations")
    .where("kind", "in", kinds)
    .where("subject_id", "=", subjectId)
    .where("status", "not in", ["assigned", "done"])
    .execute();
}

/** Makes an operation due now that waits, was set aside, or failed. */
export async function hasten(queries: Queries, kind: OperationKind, subjectId: bigint): Promise<void> {
  await queries
    .updateTable("operations")
    .set(fresh(queries))
    .where("kind", "=", kind)
    .where("subject_id", "=", subjectId)
    .where("status", "in", UNSENT)
    .execute();
}

/** Makes operations due now that were set aside or failed: all of them, or those with one reason. Returns how many. */
export async function release(queries: Queries, only: { id?: bigint; reason?: OperationReason } = {}): Promise<bigint> {
  let update = queries.updateTable("operations").set(fresh(queries)).where("status", "in", ["waiting", "failed"]);
  if (only.id !== undefined) update = update.where("id", "=", only.id);
  if (only.reason !== undefined) update = update.where("reason", "=", only.reason);
  const { numUpdatedRows } = await update.executeTakeFirst();
  return numUpdatedRows;
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

export async function findOperationById(queries: Queries, id: bigint): Promise<Operation | undefined> {
  return queries.selectFrom("operations").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Operations in a status, newest first, one page at a time. */
export async function listOperations(
  queries: Queries,
  page: { status: OperationStatus | readonly OperationStatus[]; limit: number; before?: bigint | undefined },
): Promise<Operation[]> {
  let query = queries.selectFrom("operations").selectAll().where("status", "in", [page.status].flat());
  if (page.before !== undefined) query = query.where("id", "<", page.before);
  return query.orderBy("id", "desc").limit(page.limit).execute();
}

/** How many operations are in a status; one more than `COUNTED` means more. */
export async function countOperations(
  queries: Queries,
  status: OperationStatus | readonly OperationStatus[],
): Promise<number> {
  const rows = queries
    .selectFrom("operations")
    .select("id")
    .where("status", "in", [status].flat())
    .limit(COUNTED + 1);
  const { count } = await queries
    .selectFrom(rows.as("rows"))
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The last transaction hash of an operation, if it was sent. */
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

/**
 * Due operations, oldest first, that may share a transaction: after a batch reverted, its operations are
 * retried in halves.
 */
export async function listDue(queries: Queries, kind: OperationKind, limit: number): Promise<Operation[]> {
  const due = await queries
    .selectFrom("operations")
    .selectAll()
    .where("status", "in", TRIED)
    .where("kind", "=", kind)
    .where("not_before", "<=", databaseNow(queries))
    .orderBy("id")
    .limit(limit)
    .execute();
  const batchLimit = due[0]?.batch_limit ?? null;
  const together = due.filter((operation) => operation.batch_limit === batchLimit);
  return batchLimit === null ? together : together.slice(0, Number(batchLimit));
}

/** For each kind, how many operations could be sent now, and how long the oldest has waited for it. */
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
    .where("status", "in", TRIED)
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
    .where("status", "in", [...TRIED, "assigned"])
    .groupBy(["kind", "status", "reason"])
    .orderBy("kind")
    .orderBy("status")
    .orderBy("reason")
    .execute();
  return rows.map((row) => ({
    ...{ kind: row.kind, status: row.status, reason: row.reason, error: row.error },
    count: Number(row.count),
    oldestMs: Math.max(0, Number(row.oldest_ms)),
  }));
}

/** Operations that were removed from a batch because they have happened already. */
export async function markDone(queries: Queries, ids: readonly bigint[]): Promise<void> {
  await updateUnsent(queries, ids, { status: "done", reason: null, error: null, since: databaseNow(queries) });
}

/** The contracts can never accept them as they are: a person must act. */
export async function markFailed(queries: Queries, ids: readonly bigint[], error: string): Promise<void> {
  await updateUnsent(queries, ids, {
    ...{ status: "failed" as const, reason: "invalid" as const, error },
    ...{ since: sinceOf(queries, "failed", "invalid"), not_before: NEVER },
  });
}

export type SetAside = { reason: OperationReason; text: string; afterMs: bigint };

/** Cannot be sent now: retried later, without delaying others. */
export async function setAside(queries: Queries, ids: readonly bigint[], why: SetAside): Promise<void> {
  await updateUnsent(queries, ids, asWaiting(queries, why));
}

/** The same for all due operations of a kind. */
export async function setKindAside(queries: Queries, kind: OperationKind, why: SetAside): Promise<void> {
  await queries
    .updateTable("operations")
    .set(asWaiting(queries, why))
    .where("status", "in", TRIED)
    .where("kind", "=", kind)
    .where("not_before", "<=", databaseNow(queries))
    .execute();
}

function asWaiting(queries: Queries, { reason, text, afterMs }: SetAside) {
  return {
    ...{ status: "waiting" as const, reason, error: text },
    ...{ since: sinceOf(queries, "waiting", reason), not_before: inMs(queries, afterMs) },
    updated_at: BigInt(Date.now()),
  };
}

/** Unchanged if status and reason are. */
function sinceOf(queries: Queries, status: OperationStatus, reason: OperationReason): RawBuilder<bigint> {
  return sql<bigint>`case when status = ${status} and reason = ${reason} then since else ${databaseNow(queries)} end`;
}

type UnsentChange = Partial<
  Pick<Operation, "status" | "reason" | "error"> & Record<"since" | "not_before", bigint | RawBuilder<bigint>>
>;

async function updateUnsent(queries: Queries, ids: readonly bigint[], change: UnsentChange): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable("operations")
    .set({ ...change, updated_at: BigInt(Date.now()) })
    .where("id", "in", ids)
    .where("status", "in", UNSENT)
    .execute();
}

const RECONSIDERED = 500;

/** Operations set aside for one of these reasons, up to an amount, oldest first; not retried yet. */
export async function listSetAside(
  queries: Queries,
  kind: OperationKind,
  only: { reasons: readonly OperationReason[]; atMostGwei?: bigint },
): Promise<Operation[]> {
  let query = queries
    .selectFrom("operations")
    .selectAll()
    .where("status", "=", "waiting")
    .where("kind", "=", kind)
    .where("not_before", ">", databaseNow(queries))
    .where("reason", "in", only.reasons);
  if (only.atMostGwei !== undefined) query = query.where("amount_gwei", "<=", only.atMostGwei);
  return query.orderBy("id").limit(RECONSIDERED).execute();
}

/** Retries operations that were set aside in this round. */
export async function reconsider(queries: Queries, ids: readonly bigint[]): Promise<void> {
  await updateUnsent(queries, ids, { not_before: inMs(queries) });
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

/** Assigns operations to their transaction. Returns false if one of them changed since it was read. */
export async function assign(
  queries: Queries,
  operations: readonly Operation[],
  transactionId: bigint,
): Promise<boolean> {
  if (operations.length === 0) return true;
  const ids = operations.map((operation) => operation.id);
  const { numUpdatedRows } = await queries
    .updateTable("operations")
    .set({
      ...{ status: "assigned" as const, transaction_id: transactionId, reason: null },
      ...{ since: databaseNow(queries), updated_at: BigInt(Date.now()) },
    })
    .where("id", "in", ids)
    .where("status", "in", UNSENT)
    .executeTakeFirst();
  if (numUpdatedRows !== BigInt(ids.length)) return false;
  const amounts = new Map(operations.map((operation) => [operation.id, operation.amount_gwei]));
  return (await listAssigned(queries, transactionId)).every((row) => row.amount_gwei === amounts.get(row.id));
}

export async function listAssigned(queries: Queries, transactionId: bigint): Promise<Operation[]> {
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "assigned")
    .orderBy("id")
    .execute();
}

/** Transactions whose operations have no outcome yet. */
export async function listUnfinishedTransactionIds(queries: Queries): Promise<Set<bigint>> {
  const rows = await queries
    .selectFrom("operations")
    .select("transaction_id")
    .distinct()
    .where("status", "=", "assigned")
    .execute();
  return new Set(rows.flatMap((row) => (row.transaction_id === null ? [] : [row.transaction_id])));
}

/** The operations of a transaction succeeded. Returns those that were not known to have. */
export async function finishOperations(queries: Queries, transactionId: bigint): Promise<Operation[]> {
  return queries
    .updateTable("operations")
    .set({ status: "done", error: null, since: databaseNow(queries), updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "assigned")
    .returningAll()
    .execute();
}

/** Reopens the operations of a transaction whose block was orphaned. */
export async function reopenOperations(queries: Queries, transactionId: bigint): Promise<void> {
  await queries
    .updateTable("operations")
    .set({ status: "assigned", updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "done")
    .execute();
}

/** A foreign transaction used their nonce: they are sent again at once. */
export async function requeue(queries: Queries, operations: readonly Operation[], error: string): Promise<void> {
  await updateAssigned(queries, operations, { status: "queued", error, not_before: inMs(queries) });
}

const BACKOFF_MS = 2_000n;
const LONGEST_BACKOFF_MS = 3_600_000n;
/** An operation that reverted alone this often needs a person; it is still retried once an hour. */
const MAX_ATTEMPTS = 6n;

/**
 * Their transaction reverted despite the simulation. A batch is retried in halves, so that the refused operation
 * ends up alone; alone, it is retried with increasing delays.
 */
export async function requeueReverted(queries: Queries, operations: readonly Operation[]): Promise<void> {
  const error = "The transaction reverted";
  const [only] = operations;
  if (operations.length > 1 || !only) {
    const batchLimit = BigInt(Math.floor(operations.length / 2));
    const change = { status: "queued" as const, reason: null, batch_limit: batchLimit };
    return updateAssigned(queries, operations, { ...change, error, not_before: inMs(queries, BACKOFF_MS) });
  }
  const attempts = only.attempts + 1n;
  const backoffMs = BACKOFF_MS * 2n ** attempts;
  const hasFailed = attempts >= MAX_ATTEMPTS;
  const afterMs = hasFailed || backoffMs > LONGEST_BACKOFF_MS ? LONGEST_BACKOFF_MS : backoffMs;
  const status = hasFailed ? "failed" : "waiting";
  const change = { status, reason: "reverted", attempts, error, not_before: inMs(queries, afterMs) } as const;
  await updateAssigned(queries, [only], change);
}

/** They are no longer wanted. */
export async function withdrawAssigned(
  queries: Queries,
  operations: readonly Operation[],
  error: string,
): Promise<void> {
  await updateAssigned(queries, operations, { status: "withdrawn", error });
}

type AssignedChange = Partial<
  Pick<Operation, "status" | "reason" | "error" | "attempts" | "batch_limit"> & { not_before: RawBuilder<bigint> }
>;

async function updateAssigned(
  queries: Queries,
  operations: readonly Operation[],
  change: AssignedChange,
): Promise<void> {
  if (operations.length === 0) return;
  await queries
    .updateTable("operations")
    .set({ ...change, transaction_id: null, since: databaseNow(queries), updated_at: BigInt(Date.now()) })
    .where(
      "id",
      "in",
      operations.map((operation) => operation.id),
    )
    .where("status", "=", "assigned")
    .execute();
}
