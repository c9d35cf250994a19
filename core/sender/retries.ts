import { type RawBuilder, sql } from "kysely";
import { databaseNow } from "../database/clock.ts";
import type { OperationKind, OperationReason, OperationStatus } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import { updateAssigned } from "./assigned.ts";
import { inMs, isBatched, type Operation, UNSENT } from "./queue.ts";

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

/** A foreign transaction used their nonce: sends them again at once. */
export async function requeue(queries: Queries, operations: readonly Operation[], error: string): Promise<void> {
  await updateAssigned(queries, operations, { status: "queued", error, not_before: inMs(queries) });
}

/** From this size on, a reverted batch is retried in smaller ones before its operations are sent alone. */
const ALONE_BELOW = 10;

/**
 * Their transaction reverted despite the simulation. A batch is retried at once in about as many batches as each has
 * operations, so that the one that fails is alone after two more; alone, it is retried with backoff.
 */
export async function requeueReverted(queries: Queries, operations: readonly Operation[]): Promise<void> {
  const error = "The transaction reverted";
  const [only] = operations;
  if (operations.length > 1 || !only) {
    const size = operations.length < ALONE_BELOW ? 1 : Math.floor(Math.sqrt(operations.length));
    const change = { status: "queued" as const, reason: null, batch_limit: BigInt(size) };
    return updateAssigned(queries, operations, { ...change, error, not_before: inMs(queries) });
  }
  const attempts = only.attempts + 1n;
  const { hasFailed, afterMs } = retryOf(attempts);
  const status = hasFailed ? "failed" : "waiting";
  // From now on it is sent alone, so that it costs nobody else a reverted transaction.
  const change = { status, reason: "reverted", attempts, error, batch_limit: 1n } as const;
  await updateAssigned(queries, [only], { ...change, not_before: inMs(queries, afterMs) });
}

/** A call of several operations was refused: each waits, no longer in any batch, until it was tried alone. */
export async function suspect(queries: Queries, ids: readonly bigint[], text: string): Promise<void> {
  const change = asWaiting(queries, { reason: "refused", text, afterMs: 0n });
  await updateUnsent(queries, ids, { ...change, attempts: 0n });
}

/** Refused alone: out of everybody's way, and tried again after a growing delay. docs/product.md#sender-parked */
export async function park(queries: Queries, { id, ...known }: Operation, text: string): Promise<void> {
  const attempts = known.attempts + 1n;
  const { hasFailed, afterMs } = retryOf(attempts);
  const status = hasFailed ? "failed" : "waiting";
  await updateUnsent(queries, [id], {
    status,
    reason: "refused",
    error: text,
    attempts,
    since: sinceOf(queries, status, "refused"),
    not_before: inMs(queries, afterMs),
  });
}

/** Back in the queue, in batches of at most this size. */
export async function resume(queries: Queries, ids: readonly bigint[], batchLimit: number | null): Promise<void> {
  await updateUnsent(queries, ids, {
    status: "queued",
    reason: null,
    error: null,
    batch_limit: batchLimit === null ? null : BigInt(batchLimit),
    since: databaseNow(queries),
    not_before: inMs(queries),
  });
}

/** Operations of a refused call that were not tried alone yet, or parked ones whose time has come; the longest due. */
export async function listRefused(
  queries: Queries,
  kinds: readonly OperationKind[],
  { isParked, limit }: { isParked: boolean; limit: number },
): Promise<Operation[]> {
  if (kinds.length === 0) return [];
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("status", "in", ["waiting", "failed"])
    .where("kind", "in", kinds)
    .where("reason", "=", "refused")
    .where("attempts", isParked ? ">" : "=", 0n)
    .where("not_before", "<=", databaseNow(queries))
    .orderBy("not_before")
    .limit(limit)
    .execute();
}

/** At most this many of them in one transaction from now on. */
export async function limitBatch(queries: Queries, ids: readonly bigint[], batchLimit: bigint): Promise<void> {
  await updateUnsent(queries, ids, { batch_limit: batchLimit });
}

/** Operations that were removed from a batch because they had already happened. */
export async function markDone(queries: Queries, ids: readonly bigint[]): Promise<void> {
  await updateUnsent(queries, ids, { status: "done", reason: null, error: null, since: databaseNow(queries) });
}

/** The contracts can never accept them as is: a person must act. */
export async function markFailed(queries: Queries, ids: readonly bigint[], error: string): Promise<void> {
  await updateUnsent(queries, ids, {
    status: "failed" as const,
    reason: "invalid" as const,
    error,
    since: sinceOf(queries, "failed", "invalid"),
    not_before: NEVER,
  });
}

export type SetAside = { reason: OperationReason; text: string; limit?: string; afterMs: bigint };

/** Cannot be sent now: retried later, without delaying others. */
export async function setAside(queries: Queries, ids: readonly bigint[], why: SetAside): Promise<void> {
  await updateUnsent(queries, ids, asWaiting(queries, why));
}

const SET_ASIDE_AT_ONCE = 5_000;

/** Sets aside the due operations of a kind; of more than 5,000, those that have been due longest. */
export async function setKindAside(queries: Queries, kind: OperationKind, why: SetAside): Promise<void> {
  const stretches = UNSENT.map(
    (status) => sql`select * from (select id from operations where status = ${sql.lit(status)} and kind = ${kind}
      and not_before <= ${databaseNow(queries)} and ${isBatched(status)} order by not_before
      limit ${sql.lit(SET_ASIDE_AT_ONCE)}) as ${sql.ref(status)}`,
  );
  await queries
    .updateTable("operations")
    .set(asWaiting(queries, why))
    .where(
      "id",
      "in",
      sql<bigint>`(select id from (${sql.join(stretches, sql` union all `)}) as due limit ${sql.lit(SET_ASIDE_AT_ONCE)})`,
    )
    .execute();
}

function asWaiting(queries: Queries, { reason, text, limit, afterMs }: SetAside) {
  return {
    status: "waiting" as const,
    reason,
    limit_chz: limit ?? null,
    error: text,
    since: sinceOf(queries, "waiting", reason),
    not_before: inMs(queries, afterMs),
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

/**
 * Operations set aside for one of these reasons, up to an amount, and not retried yet: all of them, oldest first; of more
 * than 500 the smallest, so that one that fits is found behind any number that do not.
 */
export async function listSetAside(
  queries: Queries,
  kind: OperationKind,
  { reasons, atMostGwei, limit = RECONSIDERED }: SetAsideQuery,
): Promise<Operation[]> {
  const fits = atMostGwei === undefined ? sql`true` : sql`amount_gwei <= ${atMostGwei}`;
  const stretches = reasons.map(
    (reason) => sql`select * from (select * from operations where status = 'waiting' and kind = ${kind}
      and reason = ${reason} and ${fits} and not_before > ${databaseNow(queries)}
      order by amount_gwei limit ${limit}) as ${sql.ref(reason)}`,
  );
  const { rows } = await sql<Operation>`${sql.join(stretches, sql` union all `)}
    order by amount_gwei limit ${limit}`.execute(queries);
  return rows.toSorted((one, other) => Number(one.id - other.id));
}

type SetAsideQuery = { reasons: readonly OperationReason[]; atMostGwei?: bigint; limit?: number };

/** Retries operations that were set aside in this round. */
export async function reconsider(queries: Queries, ids: readonly bigint[]): Promise<void> {
  await updateUnsent(queries, ids, { not_before: inMs(queries) });
}
