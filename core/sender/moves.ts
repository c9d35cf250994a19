import { type RawBuilder, sql } from "kysely";
import { databaseNow } from "../database/clock.ts";
import { dayOf } from "../database/day-totals.ts";
import type { OperationKind, OperationReason, OperationStatus } from "../database/operations.ts";
import { databaseErrorCode, type Queries } from "../database/transaction.ts";
import { idsOf } from "../rules/records.ts";
import type { Encoder } from "./encoder.ts";
import { enqueueAgain, IS_BATCHED, type Operation, UNSENT } from "./queue.ts";

/** Every move of a queued operation: into a transaction, out of it again, and while it is in none. */

const BACKOFF_MS = 2_000n;
const LONGEST_BACKOFF_MS = 3_600_000n;
/** An operation that reverted or was refused alone this often needs a person; it is still retried once an hour. */
const MAX_ATTEMPTS = 6n;
/** Never due by itself: only a person can resume it. */
const NEVER = 9_000_000_000_000_000n;

/** When to retry an operation that reverted or was refused alone for the nth time, and whether it needs a person. */
export function retryOf(attempts: bigint): { afterMs: bigint; hasFailed: boolean } {
  const hasFailed = attempts >= MAX_ATTEMPTS;
  const backoffMs = BACKOFF_MS * 2n ** attempts;
  return { hasFailed, afterMs: hasFailed || backoffMs > LONGEST_BACKOFF_MS ? LONGEST_BACKOFF_MS : backoffMs };
}

/** Assigns operations to their transaction, and counts what is sent of accounts' shares of the day. Returns false if one of them changed since it was read. */
export async function assign(
  queries: Queries,
  operations: readonly Operation[],
  transactionId: bigint,
): Promise<boolean> {
  if (operations.length === 0) return true;
  const ids = idsOf(operations);
  const { numUpdatedRows } = await queries
    .updateTable("operations")
    .set({
      status: "assigned" as const,
      transaction_id: transactionId,
      reason: null,
      since: databaseNow(queries),
      updated_at: BigInt(Date.now()),
    })
    .where("id", "in", ids)
    .where("status", "in", UNSENT)
    .executeTakeFirst();
  if (numUpdatedRows !== BigInt(ids.length)) return false;
  const amounts = new Map(operations.map((operation) => [operation.id, operation.amount_gwei]));
  const assigned = await listAssigned(queries, transactionId);
  if (!assigned.every((row) => row.amount_gwei === amounts.get(row.id))) return false;
  await noteSentShares(queries, assigned);
  return true;
}

/** The operations of a transaction that has no outcome yet, in the order of their ids. */
export async function listAssigned(queries: Queries, transactionId: bigint): Promise<Operation[]> {
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "assigned")
    .orderBy("id")
    .execute();
}

/** Why a transaction can no longer complete its operations. */
export type Failure = "reverted" | "nonce_lost";

/** What a transaction came to; `orphaned`: its block was, and it is sent again. */
export type TransactionEnd = "succeeded" | "orphaned" | Failure;

/** What becomes of a transaction's operations. Returns those that are done by now, and were not before. */
export async function applyEnd(
  queries: Queries,
  encoders: readonly Encoder[],
  transaction: { id: bigint; data: string },
  end: TransactionEnd,
): Promise<Operation[]> {
  if (end === "succeeded") return concludeOperations(queries, encoders, transaction);
  if (end !== "orphaned") {
    await requeueOperations(queries, encoders, transaction.id, end);
    return [];
  }
  await queries
    .updateTable("operations")
    .set({ status: "assigned", updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transaction.id)
    .where("status", "=", "done")
    .execute();
  return [];
}

/**
 * A transaction succeeded: its operations are done, except those whose subject changed while it was in flight. These
 * are queued again.
 */
export async function concludeOperations(
  queries: Queries,
  encoders: readonly Encoder[],
  { id, data }: { id: bigint; data: string },
): Promise<Operation[]> {
  const finished = await queries
    .updateTable("operations")
    .set({ status: "done", error: null, since: databaseNow(queries), updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", id)
    .where("status", "=", "assigned")
    .returningAll()
    .execute();
  const encoder = encoders.find((one) => one.kind === finished[0]?.kind);
  if (!encoder?.canChange || (await isSame(queries, encoder, finished, data))) return finished;
  for (const { kind, subject_id } of finished) await enqueueAgain(queries, { kind, subjectId: subject_id });
  return finished;
}

/** Whether operations would be sent as they were. What cannot even be encoded any more is not sent again. */
async function isSame(
  queries: Queries,
  encoder: Encoder,
  operations: readonly Operation[],
  data: string,
): Promise<boolean> {
  try {
    return (await encoder.encode(queries, operations)).data === data;
  } catch (error) {
    if (databaseErrorCode(error) !== undefined) throw error;
    return true;
  }
}

/**
 * A transaction failed: its operations are queued again, except those that are no longer wanted. A purchase
 * may have been returned in the meantime.
 */
export async function requeueOperations(
  queries: Queries,
  encoders: readonly Encoder[],
  transactionId: bigint,
  failure: Failure,
): Promise<void> {
  const operations = await listAssigned(queries, transactionId);
  const encoder = encoders.find((one) => one.kind === operations[0]?.kind);
  await encoder?.lock?.(queries, operations);
  const unwanted = (await encoder?.listUnwanted?.(queries, operations, { isLocked: true })) ?? [];
  await takeOut(queries, unwanted, "withdrawn");
  const wanted = operations.filter((operation) => !unwanted.includes(operation));
  await takeOut(queries, wanted, failure);
  await encoder?.reconsider?.(queries, operations);
}

/** From this size on, a reverted batch is retried in smaller ones before its operations are sent alone. */
const ALONE_BELOW = 10;

/**
 * Takes operations out of their transaction, with what becomes of them: withdrawn ones are no longer wanted; those whose
 * nonce a foreign transaction used are sent again at once. A batch that reverted despite the simulation is retried at once
 * in about as many batches as each has operations, so that the one that fails is alone after two more; alone, it is
 * retried with backoff.
 */
export async function takeOut(
  queries: Queries,
  operations: readonly Operation[],
  why: "withdrawn" | Failure,
): Promise<void> {
  if (operations.length === 0) return;
  await forgetSentShares(queries, operations);
  await queries
    .updateTable("operations")
    .set({
      ...takenOut(queries, operations, why),
      transaction_id: null,
      since: databaseNow(queries),
      updated_at: BigInt(Date.now()),
    })
    .where("id", "in", idsOf(operations))
    .where("status", "=", "assigned")
    .execute();
}

function takenOut(queries: Queries, operations: readonly Operation[], why: "withdrawn" | Failure): UnsentChange {
  if (why === "withdrawn") return { status: "withdrawn", error: "Withdrawn" };
  if (why === "nonce_lost") {
    return { status: "queued", error: "Its nonce was used by another program", not_before: databaseNow(queries) };
  }
  const error = "The transaction reverted";
  const [only] = operations;
  if (operations.length > 1 || !only) {
    const size = operations.length < ALONE_BELOW ? 1 : Math.floor(Math.sqrt(operations.length));
    return { status: "queued", reason: null, error, batch_limit: BigInt(size), not_before: databaseNow(queries) };
  }
  const attempts = only.attempts + 1n;
  const { hasFailed, afterMs } = retryOf(attempts);
  const status = hasFailed ? "failed" : "waiting";
  // From now on it is sent alone, so that it costs nobody else a reverted transaction.
  return { status, reason: "reverted", attempts, error, batch_limit: 1n, not_before: databaseNow(queries, afterMs) };
}

// While in no transaction --------------------------------------------------------------------------------------------------

export type SetAside = { reason: OperationReason; text: string; limit?: string; afterMs: bigint };

/** What becomes of operations that are in no transaction. */
export type Move =
  /** No longer wanted. */
  | { to: "withdrawn" }
  /** They had already happened. */
  | { to: "done" }
  /** The contracts can never accept them as they are: a person must act. */
  | { to: "failed"; text: string }
  /** Cannot be sent now: tried again later, without delaying others. */
  | ({ to: "waiting" } & SetAside)
  /** A call of several was refused: each waits, no longer in any batch, until it was tried alone. */
  | { to: "untried"; text: string }
  /** Refused alone, so often before: out of everybody's way, and tried again after a growing delay. docs/product.md#sender-parked */
  | { to: "parked"; attempts: bigint; text: string }
  /** Back in the queue, in batches of at most this size. */
  | { to: "queued"; batchLimit: bigint | null }
  /** As before, but at most so many in one transaction from now on. */
  | { to: "smaller"; batchLimit: bigint }
  /** As before, but due now. */
  | { to: "due" };

/** Moves these, or those of a kind that are due: of more than 5,000, those that have been due longest. */
export async function moveUnsent(queries: Queries, of: readonly bigint[] | OperationKind, move: Move): Promise<void> {
  if (of.length === 0) return;
  const moved = queries.updateTable("operations").set({ ...changeOf(queries, move), updated_at: BigInt(Date.now()) });
  if (typeof of !== "string") {
    await moved.where("id", "in", of).where("status", "in", UNSENT).execute();
    return;
  }
  const stretches = UNSENT.map(
    (status) => sql`select * from (select id from operations where status = ${sql.lit(status)} and kind = ${of}
      and not_before <= ${databaseNow(queries)} and ${IS_BATCHED[status]} order by not_before
      limit ${sql.lit(MOVED_AT_ONCE)}) as ${sql.ref(status)}`,
  );
  const due = sql`select id from (${sql.join(stretches, sql` union all `)}) as due limit ${sql.lit(MOVED_AT_ONCE)}`;
  await moved.where("id", "in", sql<bigint>`(${due})`).execute();
}

const MOVED_AT_ONCE = 5_000;

function changeOf(queries: Queries, move: Move): UnsentChange {
  const now = databaseNow(queries);
  switch (move.to) {
    case "withdrawn":
      return { status: "withdrawn", reason: null, error: "Withdrawn", since: now };
    case "done":
      return { status: "done", reason: null, error: null, since: now };
    case "failed": {
      const since = sinceOf(queries, "failed", "invalid");
      return { status: "failed", reason: "invalid", error: move.text, since, not_before: NEVER };
    }
    case "waiting":
      return asWaiting(queries, move);
    case "untried":
      return { ...asWaiting(queries, { reason: "refused", text: move.text, afterMs: 0n }), attempts: 0n };
    case "parked": {
      const attempts = move.attempts + 1n;
      const { hasFailed, afterMs } = retryOf(attempts);
      const status = hasFailed ? "failed" : "waiting";
      const since = sinceOf(queries, status, "refused");
      return {
        status,
        reason: "refused",
        error: move.text,
        attempts,
        since,
        not_before: databaseNow(queries, afterMs),
      };
    }
    case "queued": {
      const fresh = { status: "queued" as const, reason: null, error: null, batch_limit: move.batchLimit };
      return { ...fresh, since: now, not_before: databaseNow(queries) };
    }
    case "smaller":
      return { batch_limit: move.batchLimit };
    case "due":
      return { not_before: databaseNow(queries) };
  }
}

function asWaiting(queries: Queries, { reason, text, limit, afterMs }: SetAside) {
  return {
    status: "waiting" as const,
    reason,
    limit_chz: limit ?? null,
    error: text,
    since: sinceOf(queries, "waiting", reason),
    not_before: databaseNow(queries, afterMs),
    updated_at: BigInt(Date.now()),
  };
}

/** The time is unchanged if status and reason are. */
function sinceOf(queries: Queries, status: OperationStatus, reason: OperationReason): RawBuilder<bigint> {
  return sql<bigint>`case when status = ${status} and reason = ${reason} then since else ${databaseNow(queries)} end`;
}

type UnsentChange = Partial<
  Pick<Operation, "status" | "reason" | "limit_chz" | "error" | "attempts" | "batch_limit"> &
    Record<"since" | "not_before", bigint | RawBuilder<bigint>>
>;

// Accounts' shares of the day --------------------------------------------------------------------------------------------

const KEPT_DAYS = 2n;

/** Counts what is sent now of each account, in the transaction that stores its bytes. docs/product.md#day-share */
export async function noteSentShares(queries: Queries, operations: readonly Operation[]): Promise<void> {
  const today = dayOf(BigInt(Date.now()));
  const sent = sharesOf(operations);
  if (sent.size === 0) return;
  await queries
    .deleteFrom("account_sent")
    .where("day", "<", today - KEPT_DAYS)
    .execute();
  await queries
    .insertInto("account_sent")
    .values([...sent].map(([account_id, gwei]) => ({ day: today, account_id, gwei })))
    .onConflict((conflict) =>
      conflict.columns(["day", "account_id"]).doUpdateSet({ gwei: sql<bigint>`account_sent.gwei + excluded.gwei` }),
    )
    .execute();
}

/** Their transaction failed: nothing of it was paid on the day on which it was sent. */
async function forgetSentShares(queries: Queries, operations: readonly Operation[]): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(operations, ({ since }) => dayOf(since))) {
    for (const [account, gwei] of sharesOf(ofDay)) {
      await queries
        .updateTable("account_sent")
        .set({ gwei: sql<bigint>`gwei - ${gwei}` })
        .where("day", "=", day)
        .where("account_id", "=", account)
        .execute();
    }
  }
}

function sharesOf(operations: readonly Operation[]): Map<bigint, bigint> {
  const sums = new Map<bigint, bigint>();
  for (const { share_id, amount_gwei } of operations) {
    if (share_id !== null) sums.set(share_id, (sums.get(share_id) ?? 0n) + (amount_gwei ?? 0n));
  }
  return sums;
}
