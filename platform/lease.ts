import { setTimeout as delay } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { clockOf } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import type { Queries } from "../database/transaction.ts";

/**
 * The right to be the only one who does a thing, such as indexing or sending. It is a row, not a lock of the database's
 * own, so that it works alike in SQLite, PostgreSQL and engines that speak its language.
 */
export type Lease = {
  name: string;
  holder: string;
  /** Grows with every new holder: a writer that shows a smaller one than the row's is refused. */
  fencingToken: bigint;
  /** How long it lasts without a sign of life. */
  durationMs: number;
  engine: Database["engine"];
};

/** Another process holds the lease by now; nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** A name for this process that no other process has. */
export function newLeaseHolder(role: string): string {
  return `${role}:${process.pid}:${crypto.randomUUID()}`;
}

/** Takes the lease where it is free or has run out; undefined where another holds it. */
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
        .where("leases.expires_at", "<=", now),
    )
    .returning("fencing_token")
    .executeTakeFirst();
  return row && { name, holder, fencingToken: row.fencing_token, durationMs, engine };
}

/** Keeps the lease for another while; false where another took it. */
export async function renewLease({ kysely, engine }: Database, lease: Lease, durationMs: number): Promise<boolean> {
  const result = await kysely
    .updateTable("leases")
    .set({ expires_at: sql`${clockOf(engine)} + ${BigInt(durationMs)}` })
    .where("name", "=", lease.name)
    .where("fencing_token", "=", lease.fencingToken)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Gives the lease back, so that the next one need not wait for it to run out. */
export async function releaseLease({ kysely }: Database, lease: Lease): Promise<void> {
  await kysely
    .updateTable("leases")
    .set({ expires_at: 0n })
    .where("name", "=", lease.name)
    .where("fencing_token", "=", lease.fencingToken)
    .execute();
}

/**
 * To be called first inside a holder's writing transaction. It is a sign of life, and it locks the row until the commit,
 * so that nobody can take the lease between this check and the commit.
 * @throws LeaseLostError
 */
export async function assertLease(transaction: Queries, lease: Lease): Promise<void> {
  if (lease.engine === "postgres") await endWhenIdle(lease).execute(transaction);
  const { rows } = await fence(lease).execute(transaction);
  if (rows.length !== 1) throw leaseLost(lease);
}

/** The statement behind `assertLease`, for writers with prepared statements of their own: it must answer one row. */
export function fence(lease: Lease): RawBuilder<{ fencing_token: bigint }> {
  return sql<{ fencing_token: bigint }>`
    update leases set expires_at = ${clockOf(lease.engine)} + ${BigInt(lease.durationMs)}
    where name = ${lease.name} and fencing_token = ${lease.fencingToken}
    returning fencing_token`;
}

/**
 * PostgreSQL, until the transaction's end: a holder that is paused in the middle of it would keep the row locked and its
 * successor waiting, so the server ends its session when the lease would have run out.
 */
export function endWhenIdle(lease: Lease): RawBuilder<unknown> {
  return sql`select set_config('idle_in_transaction_session_timeout', ${`${lease.durationMs}ms`}, true)`;
}

export function leaseLost({ name, fencingToken }: Lease): LeaseLostError {
  return new LeaseLostError(`Another process has taken over the lease ${name}; token ${fencingToken} is over`);
}

export type LeadParameters = {
  database: Database;
  name: string;
  holder: string;
  /** How long the lease lasts without a sign of life. */
  ttlMs: number;
  /** Ends the work and gives the lease back. */
  signal: AbortSignal;
  /** Called when this process begins to wait for another holder. */
  onStandby?: () => void;
  /** Called when the database fails an attempt to take or renew the lease; it is tried again. */
  onError?: (error: unknown) => void;
};

const SIGNS_OF_LIFE_PER_DURATION = 4;

/**
 * Runs `work` whenever this process holds the lease, until `signal` aborts. The signal that `work` is given aborts when
 * the lease is lost; `work` is to return then, and is started anew when the lease is taken again. When `work` returns or
 * throws by itself, so does this, and the lease is given back.
 */
export async function leadWhileHeld(
  { database, name, holder, ttlMs, signal, onStandby, onError }: LeadParameters,
  work: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  for (let isTold = false; !signal.aborted; ) {
    const lease = await acquireLease(database, name, holder, ttlMs).catch((error: unknown) => onError?.(error));
    if (lease) {
      if ((await workUnderLease({ database, signal, onError }, lease, work)) === "ended") return;
      isTold = false;
      continue;
    }
    if (!isTold) onStandby?.();
    isTold = true;
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
      // The next write is fenced anyhow; a passing fault of the database is no reason to stop.
      onError?.(error);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
