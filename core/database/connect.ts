import { existsSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely, PostgresDialect } from "kysely";
import { type DocsAnchor, TorcidaError } from "../rules/torcida-error.ts";
import { messageOf } from "../rules/unknown-error.ts";
import type { Schema } from "./generated/schema.ts";
import { openPool } from "./postgres.ts";
import { withoutPassword } from "./postgres-url.ts";
import { ensureDirectory, ensurePrivateFile } from "./private-files.ts";
import { Replica, type ReplicaStatus } from "./replica.ts";
import { TurnsDialect } from "./sqlite/dialect.ts";
import { openSqliteReader } from "./sqlite/reader.ts";
import { startSqliteThread } from "./sqlite/thread.ts";
import { databaseErrorCode } from "./transaction.ts";
import { rememberFile } from "./watch-file.ts";

export type DatabaseEngine = "sqlite" | "postgres";

export type Database = {
  engine: DatabaseEngine;
  kysely: Kysely<Schema>;
  /**
   * For long reads: on SQLite a separate thread, so that they delay nothing; on PostgreSQL the same as `kysely`, or with a
   * replica that one, for calls that it may serve.
   */
  reader: Kysely<Schema>;
  /** PostgreSQL with `readUrl`: behind `reader`. docs/operations.md#a-read-replica */
  replica?: Replica;
  /** The location for messages, without a password. */
  location: string;
  /** SQLite: lets a migration edit the stored text of the schema, or no longer. */
  schemaEditor?: (isAllowed: boolean) => void;
  close(): Promise<void>;
};

export type ConnectOptions = {
  /** Timeout of a query in PostgreSQL; on SQLite of the wait for its lock, at most five seconds. */
  queryTimeoutMs?: number;
  /** SQLite: a thread copies the write-ahead log into the file, so that no commit of a serving process has to. */
  checkpointsInThread?: boolean;
  /** PostgreSQL: a read replica, and who is told when it begins or ends to serve. */
  readUrl?: string;
  onReplica?: (status: ReplicaStatus) => void;
  /** Fails if there is no SQLite file, instead of creating one. */
  mustExist?: boolean;
};

/** The database could not be opened; the message names it and says what to do. */
export class DatabaseUnavailableError extends TorcidaError {
  override readonly docs: DocsAnchor = "docs/runbook/database-away.md";
}

/** SQLite: how long a write waits for another process's lock. */
export const BUSY_TIMEOUT_MS = 5_000;
/** Long enough for the largest write of a backfill; callers that serve requests set a shorter one. */
const QUERY_TIMEOUT_MS = 60_000;
/** 64 MiB: if commits fill the log faster than the thread copies it, a commit copies the rest and restarts the log. */
const LATE_CHECKPOINT_PAGES = 16_384;

/**
 * Opens SQLite for a file path or `sqlite:` URL, PostgreSQL for `postgres://` and `postgresql://`.
 * docs/product.md#database-engines.
 * @throws DatabaseUnavailableError
 */
export async function connect(databaseUrl: string, options: ConnectOptions = {}): Promise<Database> {
  return isPostgres(databaseUrl) ? connectPostgres(databaseUrl, options) : connectSqlite(databaseUrl, options);
}

export function isPostgres(databaseUrl: string): boolean {
  return /^postgres(ql)?:\/\//.test(databaseUrl);
}

/** For messages, without a password; of SQLite the file. */
export function locationOf(databaseUrl: string): string {
  return isPostgres(databaseUrl) ? withoutPassword(databaseUrl) : databaseUrl.replace(/^(sqlite|file):(\/\/)?/, "");
}

function connectSqlite(
  databaseUrl: string,
  { mustExist = false, checkpointsInThread = false, queryTimeoutMs = BUSY_TIMEOUT_MS }: ConnectOptions,
): Database {
  const file = locationOf(databaseUrl);
  if (mustExist && !existsSync(file)) {
    throw new DatabaseUnavailableError(
      `There is no database ${file}: start the system once, or correct DATABASE_URL and DATA_DIR; if it was lost, restore a backup`,
    );
  }
  const sqlite = openSqlite(file);
  const patienceMs = Math.min(queryTimeoutMs, BUSY_TIMEOUT_MS);
  const requireSameFile = file === ":memory:" ? () => {} : fileGuard(file);
  const kysely = new Kysely<Schema>({ dialect: new TurnsDialect({ sqlite, patienceMs, requireSameFile }) });
  const reader = file === ":memory:" ? kysely : openSqliteReader(file);
  if (checkpointsInThread) sqlite.pragma(`wal_autocheckpoint = ${LATE_CHECKPOINT_PAGES}`);
  const checkpointer = checkpointsInThread ? startCheckpointer(file) : undefined;
  const close = async () => {
    await checkpointer?.end();
    await reader.destroy();
    await kysely.destroy();
  };
  const schemaEditor = (isAllowed: boolean) => void sqlite.unsafeMode(isAllowed);
  return { engine: "sqlite", kysely, reader, location: file, schemaEditor, close };
}

/** The returned function throws `DatabaseReplacedError` once the file at the path was deleted or replaced. */
function fileGuard(path: string): () => void {
  const findReplacement = rememberFile(path);
  return () => {
    const replacement = findReplacement();
    if (replacement) throw replacement;
  };
}

/** Opens the file with its pragmas and 64-bit integers. docs/product.md#database-engines. @throws DatabaseUnavailableError */
export function openSqlite(file: string): Sqlite.Database {
  try {
    if (file !== ":memory:") {
      ensureDirectory(dirname(file));
      ensurePrivateFile(file);
    }
    const sqlite = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
    sqlite.defaultSafeIntegers(true);
    sqlite.pragma("journal_mode = WAL");
    sqlite.pragma("synchronous = FULL");
    sqlite.pragma("foreign_keys = ON");
    return sqlite;
  } catch (error) {
    const reason = messageOf(error);
    throw new DatabaseUnavailableError(
      `The database ${file} could not be opened (${reason}); check DATABASE_URL, the folder's rights and that it is a SQLite file`,
    );
  }
}

async function connectPostgres(databaseUrl: string, options: ConnectOptions): Promise<Database> {
  const pool = openPool(databaseUrl, options.queryTimeoutMs ?? QUERY_TIMEOUT_MS);
  const location = locationOf(databaseUrl);
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    const reason = messageOf(error);
    throw new DatabaseUnavailableError(`The database ${location} did not answer (${reason}); check DATABASE_URL`, {
      cause: error,
    });
  }
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const opened = { engine: "postgres", kysely, reader: kysely, location, close: () => kysely.destroy() } as const;
  const { readUrl, onReplica, queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  if (readUrl === undefined) return opened;
  const replica = new Replica(kysely, { primary: pool, replica: openPool(readUrl, queryTimeoutMs) }, onReplica);
  await replica.watch();
  const close = async () => {
    await replica.end();
    await kysely.destroy();
  };
  return { ...opened, reader: replica.reader, replica, close };
}

/**
 * Copies committed pages from the write-ahead log into the file, in a thread with its own connection. Otherwise the
 * commit that fills the log's next thousand pages would copy them while all requests wait.
 */
function startCheckpointer(file: string): { end(): Promise<void> } {
  const { worker, end } = startSqliteThread(new URL("./sqlite/checkpointer-thread.ts", import.meta.url), file);
  // Without the thread, commits copy the pages: later, and more at a time.
  worker.on("error", () => {});
  worker.unref();
  return { end };
}

const PASSING_CODES =
  /^(08|40001|40P01|25P03|57P0|53|25006|SQLITE_BUSY|SQLITE_PROTOCOL|SQLITE_FULL|SQLITE_IOERR_WRITE|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/;
const PASSING_MESSAGES =
  /connection terminated|connection error|timeout exceeded when trying to connect|query read timeout|not queryable/i;

/** Whether the fault is temporary: the database is down, starting, or locked, or its disk is full. */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError && error.cause !== undefined) return isPassingFault(error.cause);
  const code = databaseErrorCode(error);
  if (code && PASSING_CODES.test(code)) return true;
  return error instanceof Error && PASSING_MESSAGES.test(error.message);
}
