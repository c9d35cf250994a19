import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresDialect,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import pg from "pg";
import type { Schema } from "./schema.ts";

export type DatabaseEngine = "sqlite" | "postgres";

export type Database = {
  engine: DatabaseEngine;
  kysely: Kysely<Schema>;
  /** Where it is, for messages; without a password. */
  location: string;
  close(): Promise<void>;
};

/** The database could not be opened; the message says which and what to do. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

const BUSY_TIMEOUT_MS = 5_000;
const STATEMENT_CACHE_SIZE = 500;
const POOL_SIZE = 10;
const INT8_TYPE = 20;

/**
 * Opens SQLite for a file path or `sqlite:` URL, PostgreSQL for `postgres://` and `postgresql://`.
 * Design, section 5.
 * @throws DatabaseUnavailableError
 */
export async function connect(databaseUrl: string): Promise<Database> {
  return /^postgres(ql)?:\/\//.test(databaseUrl) ? connectPostgres(databaseUrl) : connectSqlite(databaseUrl);
}

function connectSqlite(databaseUrl: string): Database {
  const file = databaseUrl.replace(/^(sqlite|file):(\/\/)?/, "");
  const sqlite = openSqlite(file);
  const kysely = new Kysely<Schema>({ dialect: new ImmediateSqliteDialect(sqlite) });
  return { engine: "sqlite", kysely, location: file, close: () => kysely.destroy() };
}

/** Opens the file with the pragmas of design, section 5, and 64-bit integers. */
export function openSqlite(file: string): Sqlite.Database {
  try {
    if (file !== ":memory:") ensureDirectory(dirname(file));
    const sqlite = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
    sqlite.defaultSafeIntegers(true);
    sqlite.pragma("journal_mode = WAL");
    sqlite.pragma("synchronous = FULL");
    sqlite.pragma("foreign_keys = ON");
    return sqlite;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseUnavailableError(
      `The database ${file} could not be opened (${reason}); check DATABASE_URL, the folder's rights and that it is a SQLite file`,
    );
  }
}

/** Not `recursive`: that never ends below /proc. */
function ensureDirectory(directory: string): void {
  if (existsSync(directory)) return;
  ensureDirectory(dirname(directory));
  mkdirSync(directory);
}

async function connectPostgres(databaseUrl: string): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    connectionTimeoutMillis: BUSY_TIMEOUT_MS,
    types: { getTypeParser: (oid, format) => (oid === INT8_TYPE ? BigInt : pg.types.getTypeParser(oid, format)) },
  });
  // A connection that dies while idle is replaced by the pool; the next query says whether the server is away.
  pool.on("error", () => {});
  const location = withoutPassword(databaseUrl);
  try {
    await pool.query("select 1");
  } catch (error) {
    await pool.end();
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseUnavailableError(`The database ${location} did not answer (${reason}); check DATABASE_URL`);
  }
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { engine: "postgres", kysely, location, close: () => kysely.destroy() };
}

function withoutPassword(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return "DATABASE_URL";
  const url = new URL(databaseUrl);
  url.password = "";
  return url.toString();
}

/** Takes the write lock when a transaction begins, so that a read followed by a write never meets SQLITE_BUSY_SNAPSHOT. */
class ImmediateSqliteDialect extends SqliteDialect {
  readonly #sqlite: Sqlite.Database;

  constructor(sqlite: Sqlite.Database) {
    super({ database: withStatementCache(sqlite) });
    this.#sqlite = sqlite;
  }

  override createDriver(): Driver {
    return new ImmediateSqliteDriver({ database: withStatementCache(this.#sqlite) });
  }
}

class ImmediateSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

/** Kysely prepares every query anew; the statements of a running process are few and are kept. */
function withStatementCache(sqlite: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, Sqlite.Statement<unknown[]>>();
  return {
    close: () => sqlite.close(),
    prepare(sql) {
      const known = statements.get(sql);
      if (known) return known;
      if (statements.size >= STATEMENT_CACHE_SIZE) statements.clear();
      const statement = sqlite.prepare<unknown[]>(sql);
      statements.set(sql, statement);
      return statement;
    },
  };
}
