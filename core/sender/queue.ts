import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import { COUNTED, countOf } from "../database/capped-count.ts";
import { databaseNow } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import { inStretch, type Stretch } from "../database/index-range.ts";
import {
  LIMIT_REASONS,
  OPERATION_KINDS,
  OPERATION_REASONS,
  type OperationKind,
  type OperationReason,
  type OperationStatus,
} from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import { atMostEvery } from "../process/at-most-every.ts";
import { traceparentNow } from "../process/tracing.ts";
import type { OperationRecord } from "../rules/api/operations.ts";
import { isoTime } from "../rules/iso-time.ts";
import { chzTextFromGwei } from "../rules/money.ts";
import { isMove } from "../rules/purchase/life.ts";
import type { FaultName, SystemFault } from "../rules/system-faults.ts";

export type Operation = Selectable<Schema["operations"]>;

/** `afterMs` is the delay before it may be sent; none by default. `shareId`: whose share of a limit it takes. */
export type NewOperation = {
  kind: OperationKind;
  subjectId: bigint;
  afterMs?: bigint;
  amountGwei?: bigint;
  shareId?: bigint | undefined;
  /** The trace that it belongs to; the one that runs now by default. */
  traceparent?: string | null | undefined;
};

/**
 * Neither in a transaction nor finished: sent when due. A failed operation has a due time only if a retry makes sense.
 */
export const UNSENT = ["queued", "waiting", "failed"] as const satisfies readonly OperationStatus[];
/** The condition of the index of what is due. */
export const IS_UNSENT = sql<SqlBool>`operations.status in ('queued', 'waiting', 'failed')`;
/** The condition, in a status, of what may be sent with others: not what was refused, which is tried alone first. */
export const IS_BATCHED: Readonly<Record<(typeof UNSENT)[number], RawBuilder<SqlBool>>> = {
  queued: sql`true`,
  waiting: sql`(reason is null or reason <> 'refused')`,
  failed: sql`(reason is null or reason <> 'refused')`,
};

const INSERT_ROWS = 5_000;

/** The operations in a status, or of a kind in it, in the index that lists them. */
export function operationsIn(status: unknown, kind?: unknown): Stretch {
  const ofStatus = { column: sql.ref("operations.status"), value: status };
  return kind === undefined ? [ofStatus] : [ofStatus, { column: sql.ref("operations.kind"), value: kind }];
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
    not_before: databaseNow(queries, afterMs),
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
  const active = traceparentNow();
  const { list, column } = givenRows(
    queries,
    operations.map((one) => ({
      subject: one.subjectId,
      gwei: one.amountGwei ?? null,
      afterMs: one.afterMs ?? 0n,
      share: one.shareId ?? null,
      traceparent: one.traceparent ?? active ?? "",
    })),
  );
  const now = BigInt(Date.now());
  // What follows a purchase's mint belongs to the trace that asked for it.
  const ofMint =
    active !== undefined && isMove(kind)
      ? sql`(select mint.traceparent from operations as mint where mint.kind = 'mint' and mint.subject_id = ${column.subject})`
      : sql`null`;
  const traceparent = sql`coalesce(nullif(${column.traceparent}, ''), ${ofMint})`;
  // `where true` keeps SQLite from reading ON as part of a join.
  await sql`insert into operations (kind, subject_id, amount_gwei, status, attempts, since, not_before, created_at, updated_at, share_id,
      traceparent)
    select ${kind}, ${column.subject}, ${column.gwei}, 'queued', 0, ${databaseNow(queries)}, ${databaseNow(queries)} + ${column.afterMs},
      cast(${now} as bigint), cast(${now} as bigint), ${column.share}, ${traceparent} from ${list} where true
    on conflict (kind, subject_id) do update set status = excluded.status, transaction_id = null, attempts = 0, reason = null,
      error = null, batch_limit = null, amount_gwei = excluded.amount_gwei, share_id = excluded.share_id, since = excluded.since,
      not_before = excluded.not_before, updated_at = excluded.updated_at, traceparent = excluded.traceparent
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

/** Counting the due operations of a kind stops here; far more than one round sends. */
const COUNTED_DUE = 5_000;

/**
 * Operations that have been due longest, and can share a transaction: first those that may go with any others, then
 * those of a reverted batch, in smaller ones. Each status is one range of an index, so a long queue costs no more than a
 * short one.
 */
export async function listDue(queries: Queries, kind: OperationKind, limit: number): Promise<Operation[]> {
  const free = await listStretches(queries, kind, { isLimited: false, limit });
  if (free.length > 0) return free;
  const due = await listStretches(queries, kind, { isLimited: true, limit });
  const batchLimit = due[0]?.batch_limit ?? null;
  return due.filter((operation) => operation.batch_limit === batchLimit).slice(0, Number(batchLimit));
}

async function listStretches(
  queries: Queries,
  kind: OperationKind,
  { isLimited, limit }: { isLimited: boolean; limit: number },
): Promise<Operation[]> {
  // Literals, because the planner cannot match a parameter with the condition of the partial index.
  const limited = isLimited ? sql`batch_limit is not null` : sql`batch_limit is null`;
  const stretches = UNSENT.map(
    (status) => sql`select * from (select * from operations where status = ${sql.lit(status)} and kind = ${kind}
      and not_before <= ${databaseNow(queries)} and ${limited} and ${IS_BATCHED[status]}
      order by not_before limit ${limit}) as ${sql.ref(status)}`,
  );
  const { rows } = await sql<Operation>`${sql.join(stretches, sql` union all `)}
    order by not_before limit ${limit}`.execute(queries);
  return rows.toSorted((one, other) => Number(one.id - other.id));
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
  const isDue = sql`operations.status = statuses.name and operations.kind = kinds.name and ${IS_UNSENT}
    and not_before <= ${databaseNow(queries)} and (statuses.name = 'queued' or ${IS_BATCHED.waiting})`;
  const { rows } = await sql<{ kind: OperationKind; count: bigint; waited_ms: bigint | null }>`
    select kinds.name as kind,
      (select count(*) from (select 1 from operations where ${isDue} limit ${COUNTED_DUE}) as some_due) as count,
      ${databaseNow(queries)} - (select min(not_before) from operations where ${isDue}) as waited_ms
    from (${namesOf(kinds)}) as kinds cross join (${namesOf(UNSENT)}) as statuses`.execute(queries);
  const due = rows.filter((row) => row.waited_ms !== null);
  return [...Map.groupBy(due, (row) => row.kind)].map(([kind, ofKind]) => ({
    kind,
    count: ofKind.reduce((sum, row) => sum + BigInt(row.count), 0n),
    waitedMs: ofKind.reduce((most, { waited_ms: ms }) => (ms !== null && ms > most ? ms : most), 0n),
  }));
}

/**
 * The number of unfinished operations, counted up to 10,000, and the age of the oldest, by kind, status and reason. For
 * a longer queue of operations without a reason, it is the oldest among those counted.
 */
export async function summarizeQueue(queries: Queries): Promise<QueueSummary[]> {
  const kinds = sql`(${namesOf(OPERATION_KINDS)}) as kinds`;
  const isIn = sql`operations.status = statuses.name and operations.kind = kinds.name`;
  const all = inStretch(queries, operationsIn(sql`statuses.name`, sql`kinds.name`));
  const moving = sql`select since from operations ${all} limit ${sql.lit(COUNTED + 1)}`;
  // The second condition is that of the partial index.
  const stuck = sql`from operations where ${isIn} and operations.reason = reasons.name
    and operations.status in ('waiting', 'failed')`;
  const { rows } =
    await sql<SummaryRow>`select kind, status, reason, error, count, ${databaseNow(queries)} - since as oldest_ms
    from (
      select kinds.name as kind, statuses.name as status, null as reason,
        (select count(*) from (${moving}) as counted) as count, (select min(since) from (${moving}) as counted) as since,
        null as error
      from ${kinds} cross join (${namesOf(["queued", "assigned"])}) as statuses
      union all
      select kinds.name, statuses.name, reasons.name, ${countOf(sql`select 1 ${stuck}`)},
        (select min(since) ${stuck}), (select error ${stuck} order by since limit 1)
      from ${kinds} cross join (${namesOf(["waiting", "failed"])}) as statuses
        cross join (${namesOf(OPERATION_REASONS)}) as reasons
    ) as summary where since is not null order by kind, status, reason`.execute(queries);
  return rows.map(({ count, oldest_ms, ...row }) => ({
    ...row,
    count: Number(count),
    oldestMs: Math.max(0, Number(oldest_ms)),
  }));
}

type SummaryRow = Pick<QueueSummary, "kind" | "status" | "reason" | "error"> & { count: bigint; oldest_ms: bigint };

function namesOf(values: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    values.map((value) => sql`select cast(${sql.lit(value)} as text) as name`),
    sql` union all `,
  );
}

/** Unfinished operations of one kind, status and reason. */
export type QueueSummary = {
  kind: OperationKind;
  status: OperationStatus;
  reason: OperationReason | null;
  /** Counted up to 10,000; one more means more. */
  count: number;
  /** The age of the oldest. */
  oldestMs: number;
  /** A readable reason, from one of them. */
  error: string | null;
};

const KEPT_MS = 1_000;

/** Reads the state of the operations, at most once a second. */
export const queueSummaryReader = (queries: Queries): (() => Promise<QueueSummary[]>) =>
  atMostEvery(KEPT_MS, () => summarizeQueue(queries));

/** One sentence per kind and reason for which operations wait or failed. */
export function queueFaults(summary: readonly QueueSummary[]): SystemFault[] {
  return summary
    .filter(({ status }) => status === "waiting" || status === "failed")
    .map((one) => {
      const { kind, status, reason, count, oldestMs, error } = one;
      const many = count > COUNTED ? `more than ${COUNTED}` : count;
      const what = `${kind}: ${many} ${count === 1 ? "operation" : "operations"} ${status} (${reason})`;
      return { name: nameOf(one), text: `${what}, the oldest for ${Math.round(oldestMs / 1_000)} s: ${error}` };
    });
}

function nameOf({ kind, status, reason }: QueueSummary): FaultName {
  if (status === "failed") return "operations_failed";
  if (reason === "refused") return "operations_refused";
  return kind === "pay" ? "payouts_wait" : "operations_wait";
}

const LATEST_DATE = 8_640_000_000_000_000n;

/** What the limit that an operation waits for allows; null if it waits for none. The column outlives its reason. */
export const limitOf = ({ reason, limit_chz }: Pick<Operation, "reason" | "limit_chz">): string | null =>
  LIMIT_REASONS.includes(reason) ? limit_chz : null;

/** An operation as admins see it. */
export function toOperationRecord(operation: Operation): OperationRecord {
  const isTried = ["queued", "waiting", "failed"].includes(operation.status) && operation.not_before < LATEST_DATE;
  return {
    id: Number(operation.id),
    kind: operation.kind,
    subject_id: Number(operation.subject_id),
    amount: operation.amount_gwei === null ? null : chzTextFromGwei(operation.amount_gwei),
    state: operation.status,
    reason: operation.reason,
    limit: limitOf(operation),
    error: operation.error,
    attempts: Number(operation.attempts),
    since: isoTime(operation.since),
    next_try_at: isTried ? isoTime(operation.not_before) : null,
  };
}

/** The subject of an operation, as fields of a log line. */
export function subjectOf({ kind, subject_id, amount_gwei }: Operation): Record<string, string | number | undefined> {
  const subject = isMove(kind) ? { purchase: Number(subject_id) } : { store: Number(subject_id) };
  return { kind, ...subject, ...(amount_gwei === null ? {} : { chz: chzTextFromGwei(amount_gwei) }) };
}
