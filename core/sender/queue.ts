import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import { databaseNow } from "../database/clock.ts";
import { countRows } from "../database/counted.ts";
import type { Schema } from "../database/generated/schema.ts";
import { listNewest, type NewestPage } from "../database/newest.ts";
import type { OperationKind, OperationReason, OperationStatus } from "../database/operations.ts";
import { inStretch, type Stretch } from "../database/stretch.ts";
import type { Queries } from "../database/transaction.ts";

export type Operation = Selectable<Schema["operations"]>;

/** `afterMs` is the delay before it may be sent; none by default. `shareId`: whose share of a limit it takes. */
export type NewOperation = {
  kind: OperationKind;
  subjectId: bigint;
  afterMs?: bigint;
  amountGwei?: bigint;
  shareId?: bigint | undefined;
};

/**
 * Neither in a transaction nor finished: sent when due. A failed operation has a due time only if a retry makes sense.
 */
export const UNSENT = ["queued", "waiting", "failed"] as const satisfies readonly OperationStatus[];
/** The condition of the index of what is due. */
export const IS_UNSENT = sql<SqlBool>`operations.status in ('queued', 'waiting', 'failed')`;
/** The condition, in a status, of what may be sent with others: not what was refused, which is tried alone first. */
export function isBatched(status: OperationStatus): RawBuilder<SqlBool> {
  return status === "queued" ? sql`true` : sql`(reason is null or reason <> 'refused')`;
}

const INSERT_ROWS = 5_000;

/** The operations in a status, or of a kind in it, in the index that lists them. */
export function operationsIn(status: unknown, kind?: unknown): Stretch {
  const ofStatus = { column: sql.ref("operations.status"), value: status };
  return kind === undefined ? [ofStatus] : [ofStatus, { column: sql.ref("operations.kind"), value: kind }];
}

/** A time by the database's clock, because a process on another host may read it. */
export function inMs(queries: Queries, afterMs = 0n): RawBuilder<bigint> {
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
 * Adds operations to the queue. There is one row per kind and subject: adding it again changes nothing unless it was
 * withdrawn.
 */
export async function enqueue(queries: Queries, operations: readonly NewOperation[]): Promise<void> {
  for (const [kind, ofKind] of Map.groupBy(operations, (operation) => operation.kind)) {
    for (let start = 0; start < ofKind.length; start += INSERT_ROWS) {
      await insertFresh(queries, kind, ofKind.slice(start, start + INSERT_ROWS));
    }
  }
}

async function insertFresh(queries: Queries, kind: OperationKind, operations: readonly NewOperation[]): Promise<void> {
  const { list, column } = givenRows(
    queries,
    operations.map((one) => [one.subjectId, one.amountGwei ?? null, one.afterMs ?? 0n, one.shareId ?? null]),
  );
  const now = BigInt(Date.now());
  // `where true` keeps SQLite from reading ON as part of a join.
  await sql`insert into operations (kind, subject_id, amount_gwei, status, attempts, since, not_before, created_at, updated_at, share_id)
    select ${kind}, ${column(0)}, ${column(1)}, 'queued', 0, ${databaseNow(queries)}, ${databaseNow(queries)} + ${column(2)},
      cast(${now} as bigint), cast(${now} as bigint), ${column(3)} from ${list} where true
    on conflict (kind, subject_id) do update set status = excluded.status, transaction_id = null, attempts = 0, reason = null,
      error = null, batch_limit = null, amount_gwei = excluded.amount_gwei, share_id = excluded.share_id, since = excluded.since,
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

/** Deletes operations that were never sent from the outbox, so that they can be planned again. */
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

/** Makes operations that wait, were set aside or failed due now. */
export async function expedite(queries: Queries, kind: OperationKind, subjectIds: readonly bigint[]): Promise<void> {
  if (subjectIds.length === 0) return;
  await queries
    .updateTable("operations")
    .set(fresh(queries))
    .where("kind", "=", kind)
    .where(among(queries, "subject_id", subjectIds))
    .where("status", "in", UNSENT)
    .execute();
}

/** Makes operations that were set aside or failed due now: all of them, or those with one reason. Returns how many. */
export async function release(queries: Queries, only: { id?: bigint; reason?: OperationReason } = {}): Promise<bigint> {
  let update = queries.updateTable("operations").set(fresh(queries)).where("status", "in", ["waiting", "failed"]);
  if (only.id !== undefined) update = update.where("id", "=", only.id);
  if (only.reason !== undefined) update = update.where("reason", "=", only.reason);
  const { numUpdatedRows } = await update.executeTakeFirst();
  return numUpdatedRows;
}

/** Locks the operations of some subjects, so that none is sent before the transaction ends. */
export async function lockOperations(
  queries: Queries,
  subjectIds: readonly bigint[],
  kinds: readonly OperationKind[],
): Promise<Pick<Operation, "kind" | "subject_id" | "status">[]> {
  return queries
    .updateTable("operations")
    .set({ subject_id: sql`subject_id` })
    .where(among(queries, "subject_id", subjectIds))
    .where("kind", "in", kinds)
    .returning(["kind", "subject_id", "status"])
    .execute();
}

/** The operation of a kind for a subject; there is at most one. */
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
  { status, ...page }: NewestPage & { status: OperationStatus | readonly OperationStatus[] },
): Promise<Operation[]> {
  return listNewest(queries.selectFrom("operations").selectAll().where("status", "in", [status].flat()), "id", page);
}

/** How many operations are in a status; one more than `COUNTED` means more. */
export async function countOperations(
  queries: Queries,
  status: OperationStatus | readonly OperationStatus[],
): Promise<number> {
  const ofStatuses = [status]
    .flat()
    .map((one) => sql`select 1 from (select 1 from operations ${inStretch(queries, operationsIn(one))}) as stretch`);
  return countRows(queries, sql.join(ofStatuses, sql` union all `));
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
