import { type RawBuilder, sql } from "kysely";
import { databaseNow } from "../database/clock.ts";
import { COUNTED, countOf } from "../database/counted.ts";
import {
  OPERATION_KINDS,
  OPERATION_REASONS,
  type OperationKind,
  type OperationReason,
  type OperationStatus,
} from "../database/operations.ts";
import { inStretch } from "../database/stretch.ts";
import type { Queries } from "../database/transaction.ts";
import type { FaultName, SystemFault } from "../rules/system-faults.ts";
import { IS_UNSENT, isBatched, type Operation, operationsIn, UNSENT } from "./queue.ts";

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
      and not_before <= ${databaseNow(queries)} and ${limited} and ${isBatched(status)}
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
    and not_before <= ${databaseNow(queries)} and (statuses.name = 'queued' or ${isBatched("waiting")})`;
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
export function queueSummaryReader(queries: Queries): () => Promise<QueueSummary[]> {
  let known: { at: number; summary: Promise<QueueSummary[]> } | undefined;
  return () => {
    if (!known || performance.now() - known.at >= KEPT_MS)
      known = { at: performance.now(), summary: summarizeQueue(queries) };
    return known.summary;
  };
}

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
