import { setTimeout as delay } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import { TorcidaError } from "../rules/torcida-error.ts";
import { codeOf } from "../rules/unknown-error.ts";
import type { Schema } from "./generated/schema.ts";

/** A connection or a transaction: what a query function needs. */
export type Queries = Kysely<Schema> | Transaction<Schema>;

const ATTEMPTS = 8;
/** Each time somebody else has got further. */
const FURTHER_ATTEMPTS = 100;
const BACKOFF_MS = 10;
/** PostgreSQL: serialization failure, deadlock. Not SQLITE_BUSY, which has already waited. */
const PASSING_CODES = new Set(["40001", "40P01", "SQLITE_BUSY_SNAPSHOT"]);

/** Others have changed what a transaction needs, and it cannot wait for the rest in its turn: it begins anew. */
export class BeginAnewError extends TorcidaError {
  override readonly docs = "docs/architecture.md#locks";
}

/** Runs `work` in one transaction, and retries it if the database asks for it. `work` must have no other effects. */
export async function inTransaction<T>(
  kysely: Kysely<Schema>,
  work: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await kysely.transaction().execute(work);
    } catch (error) {
      const isPassing = PASSING_CODES.has(databaseErrorCode(error) ?? "") && attempt < ATTEMPTS;
      if (!isPassing && !(error instanceof BeginAnewError && attempt < FURTHER_ATTEMPTS)) throw error;
      await delay(BACKOFF_MS * 2 ** Math.min(attempt, ATTEMPTS) * Math.random());
    }
  }
}

/** Errors of PostgreSQL's driver. By where they arose, because the sockets of strangers fail with the same codes. */
const FROM_POSTGRES = new WeakSet<Error>();

/** Remembers that an error arose in a connection to PostgreSQL, or while opening one. */
export function noteDatabaseError(error: unknown): void {
  if (error instanceof Error) FROM_POSTGRES.add(error);
}

function isOfDatabase(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return FROM_POSTGRES.has(error) || codeOf(error)?.startsWith("SQLITE_") === true;
}

/** The driver's error code: an SQLSTATE, or a name such as SQLITE_CONSTRAINT_UNIQUE. Undefined for any other error. */
export function databaseErrorCode(error: unknown): string | undefined {
  return isOfDatabase(error) ? codeOf(error) : undefined;
}

/** Whether an insert or update violated a unique constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === "23505" || code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY";
}

const AWAY_CODES =
  /^(SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT)|08|53|57P|25006|ECONN|EPIPE|ETIMEDOUT|40001|40P01)/;
const AWAY_MESSAGES = /timeout exceeded|Query read timeout|Connection terminated|not queryable/;

/** Whether the database is unavailable for any query. */
export function isDatabaseAway(error: unknown): boolean {
  if (AWAY_CODES.test(databaseErrorCode(error) ?? "")) return true;
  return isOfDatabase(error) && AWAY_MESSAGES.test(error.message);
}
