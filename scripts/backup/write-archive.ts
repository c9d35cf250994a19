import { createHash } from "node:crypto";
import { createWriteStream, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sql } from "kysely";
import { connect, type Database, openSqlite } from "../../core/database/connect.ts";
import { TABLES, type TableName } from "../../core/database/generated/schema.ts";
import { migrationsOf, OtherSchemaError } from "../../core/database/migrate.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { finish, inUnfinished } from "./unfinished.ts";

export const ARCHIVE_FORMAT = "torcida-backup-1";
/** The web app's files, which every process puts there at its start. */
const NOT_KEPT: TableName = "site_files";
const ROWS_A_READ = 2_000;
/** Of text in one step of the compression, which costs a thread's turn each: a line a step takes five times as long. */
const CHUNK_CHARACTERS = 256 * 1024;
/** Level 6 takes a quarter longer, for a file that is a tenth smaller. */
const COMPRESSION_LEVEL = 3;

export type Row = Record<string, string | bigint | null>;
export type BackupResult = { file: string; rows: number; bytes: number };

/**
 * Writes a consistent snapshot of the database to one compressed file of JSON lines, which can be restored to either
 * engine. The system keeps running. The file gets its final name only when it is complete.
 */
export async function writeArchive(source: Database, file: string): Promise<BackupResult> {
  const rows = await inUnfinished(dirname(file), async (directory) => {
    const archive = join(directory, "archive");
    const count = await (source.engine === "sqlite"
      ? fromSqliteCopy(source, directory, archive)
      : fromSnapshot(source, archive));
    finish(archive, file);
    return count;
  });
  return { file, rows, bytes: statSync(file).size };
}

/**
 * Copies the file first, in one statement: a long read of the live file would block its checkpoints, and SQLite's
 * incremental backup restarts with every write of another process.
 */
async function fromSqliteCopy(source: Database, directory: string, archive: string): Promise<number> {
  const copyPath = join(directory, "copy.db");
  const live = openSqlite(source.location);
  try {
    live.prepare("vacuum into ?").run(copyPath);
  } finally {
    live.close();
  }
  const copy = await connect(copyPath);
  return await fromSnapshot(copy, archive).finally(() => copy.close());
}

async function fromSnapshot(source: Database, archive: string): Promise<number> {
  let rows = 0;
  const lines = async function* (queries: Queries) {
    const hash = createHash("sha256");
    const line = (value: unknown) => {
      const text = `${JSON.stringify(value)}\n`;
      hash.update(text);
      return text;
    };
    const migrations = await migrationsOf(queries);
    yield line({ format: ARCHIVE_FORMAT, engine: source.engine, createdAt: new Date().toISOString(), migrations });
    const keys = { ...TABLES, ...(await keysOfNewer(source.engine, queries)) };
    for (const [table, key] of Object.entries(keys).filter(([name]) => name !== NOT_KEPT)) {
      for await (const row of rowsOf(queries, table, key)) {
        rows++;
        yield line([table, Object.fromEntries(Object.entries(row).map(([name, value]) => [name, tagged(value)]))]);
      }
    }
    yield `${JSON.stringify({ rows, sha256: hash.digest("hex") })}\n`;
  };
  const isolation = source.engine === "postgres" ? ("repeatable read" as const) : undefined;
  const transaction = source.kysely.transaction();
  await (isolation ? transaction.setIsolationLevel(isolation) : transaction).execute((queries) =>
    pipeline(
      Readable.from(inChunks(lines(queries))),
      createGzip({ level: COMPRESSION_LEVEL }),
      createWriteStream(archive, { mode: 0o600 }),
    ),
  );
  return rows;
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

/** A table's rows in the order of its key, one page at a time, so that memory does not grow with the table. */
async function* rowsOf(queries: Queries, table: string, key: readonly string[]): AsyncGenerator<Row> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last: Row | undefined;
  for (;;) {
    const after: Row | undefined = last;
    const where = after ? sql`where (${columns}) > (${sql.join(key.map((column) => sql.val(after[column])))})` : sql``;
    const { rows } =
      await sql<Row>`select * from ${sql.table(table)} ${where} order by ${columns} limit ${ROWS_A_READ}`.execute(
        queries,
      );
    yield* rows;
    if (rows.length < ROWS_A_READ) return;
    last = rows.at(-1);
  }
}

/** JSON has no 64-bit integers: an integer is written as `i1`, text as `t1`. */
function tagged(value: string | bigint | null): string | null {
  return value === null ? null : typeof value === "bigint" ? `i${value}` : `t${value}`;
}

/**
 * The tables that a newer version has added, with their primary keys: what this version may work with, it also keeps.
 * @throws OtherSchemaError if one has none, because it would silently be left out
 */
async function keysOfNewer(engine: Database["engine"], queries: Queries): Promise<Record<string, string[]>> {
  const names = (await queries.introspection.getTables()).map(({ name }) => name);
  const newer = names.filter((name) => !(name in TABLES) && !name.startsWith("sqlite_"));
  const keys: Record<string, string[]> = {};
  for (const table of newer) {
    const key =
      engine === "sqlite"
        ? sql<{ name: string }>`select name from pragma_table_info(${table}) where pk > 0 order by pk`
        : sql<{ name: string }>`
            select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
            where indisprimary and indrelid = ${`"${table}"`}::text::regclass
            order by array_position(indkey::int2[], attnum)`;
    const columns = (await key.execute(queries)).rows.map(({ name }) => name);
    if (columns.length === 0)
      throw new OtherSchemaError(
        `The backup of this version cannot read ${table}: make it with the version that upgraded the database`,
      );
    keys[table] = columns;
  }
  return keys;
}
