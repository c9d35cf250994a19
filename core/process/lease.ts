import { setTimeout as delay } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { clockOf, databaseNow } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import type { Queries } from "../database/transaction.ts";
import { TorcidaError } from "../rules/torcida-error.ts";

/**
 * The exclusive right to do one thing, such as indexing or sending. It is a row, not a database lock, so it works the
 * same on SQLite, PostgreSQL and compatible engines. docs/product.md#sender-lease.
 */
export type Lease = {
  name: string;
  holder: string;
  /** Incremented for every new holder; a writer with a smaller token than the row's is rejected. */
  fencingToken: bigint;
  durationMs: number;
  engine: Database["engine"];
};

/** Held by the process that writes the index. */
export const INDEXER_LEASE = "indexer";

/** Another process holds the lease now; nothing was written. */
export class LeaseLostError extends TorcidaError {
  override readonly docs = "docs/product.md#sender-lease";
}

/** A unique name for this process. */
export function newLeaseHolder(role: string): string {
  return `${role}:${process.pid}:${crypto.randomUUID()}`;
}

/** A statement that waits for the row has an older time than the holder, who renews the lease meanwhile. */
const RENEWED_MS = 60_000n;

/**
 * Takes the lease if it is free or expired; undefined if another process holds it. One that would last much longer than
 * it can was taken before the clock was set back.
 */
export async function acquireLease(
  { kysely, engine }: Database,
  name: string,
  holder: string,
  durationMs: number,
): Promise<Lease | undefined> {
  const now = clockOf(engine);
  const row = await kysely
    .insertInto("leases")
    .values({ name, holder, fencing_token: 1n, expires_at: sql`${now} + ${BigInt(durationMs)}` })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({
          holder,
          fencing_token: sql`leases.fencing_token + 1`,
          expires_at: sql`${now} + ${BigInt(durationMs)}`,
        })
        .where(sql<boolean>`leases.expires_at not between ${now} + 1 and ${now} + ${BigInt(durationMs) + RENEWED_MS}`),
    )
    .returning("fencing_token")
    .executeTakeFirst();
  return row && { name, holder, fencingToken: row.fencing_token, durationMs, engine };
}

/** Whether any process holds the lease now. */
export async function isHeld({ kysely, engine }: Database, name: string): Promise<boolean> {
  const held = await kysely
    .selectFrom("leases")
    .select("name")
    .where("name", "=", name)
    .where("expires_at", ">", clockOf(engine))
    .executeTakeFirst();
  return held !== undefined;
}

/** Renews the lease; false if another process took it. */
export async function renewLease({ kysely, engine }: Database, lease: Lease, durationMs: number): Promise<boolean> {
  const result = await kysely
    .updateTable("leases")
    .set({ expires_at: sql`${clockOf(engine)} + ${BigInt(durationMs)}` })
    .where("name", "=", lease.name)
    .where("fencing_token", "=", lease.fencingToken)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Releases the lease, so that the next holder need not wait for its expiry. */
export async function releaseLease({ kysely }: Database, lease: Lease): Promise<void> {
  await kysely
    .updateTable("leases")
    .set({ expires_at: 0n })
    .where("name", "=", lease.name)
    .where("fencing_token", "=", lease.fencingToken)
    .execute();
}

/** Of leases whose names begin with this, each process that is alive holds one of its own. */
const ALIVE = "alive ";

/** Says that this process of a role is alive for `durationMs`, and returns how many of the role are. */
export async function sayAlive(
  { kysely, engine }: Database,
  role: string,
  holder: string,
  durationMs: number,
): Promise<number> {
  const now = clockOf(engine);
  const expires_at = sql<bigint>`${now} + ${BigInt(durationMs)}`;
  await kysely
    .insertInto("leases")
    .values({ name: `${ALIVE}${holder}`, holder, fencing_token: 1n, expires_at })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ expires_at }))
    .execute();
  const { count } = await kysely
    .selectFrom("leases")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("name", "like", `${ALIVE}${role}:%`)
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Forgets that this process is alive; without a holder, all that are no longer. */
export async function forgetAlive({ kysely, engine }: Database, holder?: string): Promise<void> {
  const named = kysely.deleteFrom("leases").where("name", "like", `${ALIVE}${holder ?? "%"}`);
  await (holder === undefined ? named.where("expires_at", "<", clockOf(engine)) : named).execute();
}

/**
 * Must be the first statement of a holder's writing transaction. It renews the lease and locks the row until the commit,
 * so that no other process can take the lease in between.
 * @throws LeaseLostError
 */
export async function assertLease(transaction: Queries, lease: Lease): Promise<void> {
  if (lease.engine === "postgres") await endWhenIdle(lease).execute(transaction);
  const { rows } = await fence(transaction, lease).execute(transaction);
  if (rows.length !== 1) throw leaseLost(lease);
}

/** The statement of `assertLease`, for writers that prepare their own statements: it must return one row. */
export function fence(queries: Queries, lease: Lease): RawBuilder<{ fencing_token: bigint }> {
  return sql<{ fencing_token: bigint }>`
    update leases set expires_at = ${databaseNow(queries)} + ${BigInt(lease.durationMs)}
    where name = ${lease.name} and fencing_token = ${lease.fencingToken}
    returning fencing_token`;
}

/**
 * PostgreSQL only, for the current transaction: a holder that is paused inside it would keep the row locked and block
 * its successor, so the server ends the session when the lease would have expired.
 */
export function endWhenIdle(lease: Lease): RawBuilder<unknown> {
  return sql`select set_config('idle_in_transaction_session_timeout', ${`${lease.durationMs}ms`}, true)`;
}

export function leaseLost({ name, fencingToken }: Lease): LeaseLostError {
  return new LeaseLostError(
    `Another process has taken over the lease ${name}; token ${fencingToken} is no longer valid`,
  );
}

export type LeadParameters = {
  database: Database;
  name: string;
  holder: string;
  ttlMs: number;
  signal: AbortSignal;
  /** Called when this process starts to wait for another holder, and when it does so again after `onError`. */
  onStandby?: () => void;
  /** Called when the database fails to take or renew the lease; it is retried. */
  onError?: (error: unknown) => void;
};

const SIGNS_OF_LIFE_PER_DURATION = 4;

/**
 * Runs `work` whenever this process holds the lease, until `signal` aborts. The signal passed to `work` aborts when the
 * lease is lost. `work` must then return; it is called again when the lease is reacquired. If `work` returns or throws
 * on its own, this function releases the lease and does the same.
 * @example
 * await leadWhileHeld({ database, name: "reader", holder: newLeaseHolder("reader"), ttlMs: 8_000, signal }, async (lease, held) => {
 *   while (!held.aborted) await inTransaction(database.kysely, (queries) => writeUnder(queries, lease));
 * });
 */
export async function leadWhileHeld(
  { database, name, holder, ttlMs, signal, onStandby, onError }: LeadParameters,
  work: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  for (let isTold = false; !signal.aborted; ) {
    let lease: Lease | undefined;
    try {
      lease = await acquireLease(database, name, holder, ttlMs);
      if (!lease && !isTold) onStandby?.();
      isTold = !lease;
    } catch (error) {
      isTold = false;
      onError?.(error);
    }
    if (lease) {
      if ((await workUnderLease({ database, signal, onError }, lease, work)) === "ended") return;
      continue;
    }
    await pause(ttlMs / SIGNS_OF_LIFE_PER_DURATION, signal);
  }
}

async function workUnderLease(
  { database, signal, onError }: Pick<LeadParameters, "database" | "signal" | "onError">,
  lease: Lease,
  work: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<"ended" | "lost"> {
  const lost = new AbortController();
  const ended = new AbortController();
  const renewing = keepRenewing({
    database,
    lease,
    lost,
    until: AbortSignal.any([lost.signal, ended.signal]),
    onError,
  });
  try {
    await work(lease, AbortSignal.any([signal, lost.signal]));
    return lost.signal.aborted && !signal.aborted ? "lost" : "ended";
  } catch (error) {
    if (!(error instanceof LeaseLostError) && !lost.signal.aborted) throw error;
    return signal.aborted ? "ended" : "lost";
  } finally {
    ended.abort();
    await renewing;
    await releaseLease(database, lease).catch((error: unknown) => onError?.(error));
  }
}

type KeepRenewingParameters = Pick<LeadParameters, "database" | "onError"> & {
  lease: Lease;
  lost: AbortController;
  until: AbortSignal;
};

async function keepRenewing({ database, lease, lost, until, onError }: KeepRenewingParameters): Promise<void> {
  while (!until.aborted) {
    await pause(lease.durationMs / SIGNS_OF_LIFE_PER_DURATION, until);
    if (until.aborted) return;
    try {
      if (!(await renewLease(database, lease, lease.durationMs))) lost.abort(leaseLost(lease));
    } catch (error) {
      // The next write is fenced anyway; a temporary database fault is no reason to stop.
      onError?.(error);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
