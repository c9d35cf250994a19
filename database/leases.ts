import { sql } from "kysely";
import type { Database } from "./connect.ts";
import type { Queries } from "./transaction.ts";

/**
 * The right to be the only one who does a thing, such as indexing or sending. It is a row, not a lock of the database's
 * own, so that it works alike in SQLite, PostgreSQL and engines that speak its language.
 */
export type Lease = {
  name: string;
  holder: string;
  /** Grows with every new holder: a writer that shows a smaller one than the row's is refused. */
  fencingToken: bigint;
};

/** Another process holds the lease by now; nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** The database's own clock in milliseconds, so that hosts whose clocks differ agree on when a lease ends. */
function databaseNow(engine: Database["engine"]) {
  return engine === "sqlite"
    ? sql<bigint>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<bigint>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
}

/** Takes the lease where it is free or has run out; undefined where another holds it. */
export async function acquireLease(
  { kysely, engine }: Database,
  name: string,
  holder: string,
  durationMs: number,
): Promise<Lease | undefined> {
  const now = databaseNow(engine);
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
  return row && { name, holder, fencingToken: row.fencing_token };
}

/** Keeps the lease for another while; false where another took it. */
export async function renewLease({ kysely, engine }: Database, lease: Lease, durationMs: number): Promise<boolean> {
  const result = await kysely
    .updateTable("leases")
    .set({ expires_at: sql`${databaseNow(engine)} + ${BigInt(durationMs)}` })
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
 * To be called inside a holder's writing transaction. It locks the row until the commit, so that nobody can take the
 * lease between this check and the commit.
 * @throws LeaseLostError
 */
export async function assertLease(transaction: Queries, lease: Lease): Promise<void> {
  const result = await transaction
    .updateTable("leases")
    .set({ holder: lease.holder })
    .where("name", "=", lease.name)
    .where("fencing_token", "=", lease.fencingToken)
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) throw new LeaseLostError(`Another process has taken over the lease ${lease.name}`);
}
