import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { sql } from "kysely";
import { type ErasedList, type Left, leaveAgain } from "../../api/people/erased-list.ts";
import { endSignIns } from "../../api/people/sessions.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { COMPUTED, type TableName } from "../../core/database/generated/schema.ts";
import { MIGRATIONS, migrateTo, migrationsOf, type SchemaMigration } from "../../core/database/migrate.ts";
import { writeSetting } from "../../core/database/settings.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { claimForNetwork } from "../../core/process/database-network.ts";
import type { Network } from "../../core/rules/networks.ts";
import { isRecord } from "../../core/rules/records.ts";
import { TorcidaError } from "../../core/rules/torcida-error.ts";
import { codeOf, messageOf } from "../../core/rules/unknown-error.ts";
import { beginRecovery } from "../../core/sender/payout-switch.ts";
import { ArchiveError } from "./archive-error.ts";
import { skipIds } from "./next-ids.ts";
import { ARCHIVE_FORMAT, type Row } from "./write-archive.ts";

const ROWS_A_WRITE = 500;
/** The longest row, a signed transaction with a full batch, is far shorter. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** A new database already has rows in these; the archive replaces them. */
const SEEDED: readonly TableName[] = ["shop_totals", "clubs", "club_names"];

type Head = { format: string; engine: string; createdAt: string; migrations: string[] };
/** `newer`: the tables and columns that a newer version had added, and this one does not have. */
export type RestoreResult = { rows: number; createdAt: string; left: Left; newer: string[] };

/**
 * Fills an empty database, of either engine, from an archive of this version or an earlier one, or of a database that a
 * newer version had upgraded: with the schema that it was made with, as far as this version knows it, which is then
 * upgraded; all of it or nothing. Nothing is sent until `npm run restored` has compared the
 * restored rows with the chain.
 * @throws Error that says why the file or the database is rejected
 */
export async function readArchive(
  file: string,
  into: { databaseUrl: string; network: Network; erased: ErasedList; idGap?: bigint },
  migrations = MIGRATIONS,
): Promise<RestoreResult> {
  const { migrations: applied } = await verify(file);
  const schema = schemaOf(file, applied, migrations);
  const database = await connect(into.databaseUrl);
  const { kysely, location } = database;
  try {
    return await kysely.transaction().execute(async (queries) => {
      await prepareSchema(queries, database, schema);
      const tables = new Set((await queries.introspection.getTables()).map(({ name }) => name));
      for (const table of SEEDED) if (tables.has(table)) await queries.deleteFrom(table).execute();
      const result = await copyRows(file, queries, (name) => migrations.some((one) => one.name === name));
      await migrateTo(queries, database, migrations);
      const left = await leaveAgain(queries, into.erased);
      await claimForNetwork({ kysely: queries, location: file }, into.network);
      await skipIds(database, queries, into.idGap);
      await endSignIns(queries);
      await queries.updateTable("leases").set({ expires_at: 0n }).execute();
      await writeSetting(queries, "recovery", "");
      await beginRecovery(queries, { code: "restored", created_at: result.createdAt });
      return { ...result, left };
    });
  } catch (error) {
    if (error instanceof TorcidaError) throw error;
    throw new ArchiveError(`${file} was not restored, and ${location} is as it was: ${messageOf(error)}`);
  } finally {
    await database.close();
  }
}

/** The migrations that made the database of the archive. */
function schemaOf(
  file: string,
  applied: readonly string[],
  migrations: readonly SchemaMigration[],
): readonly SchemaMigration[] {
  const known = migrations.filter(({ name }) => applied.includes(name));
  const isPrefix = known.every(({ name }, index) => name === migrations[index]?.name && name === applied[index]);
  const last = known.at(-1)?.name;
  // A newer version only appends.
  const isForward = applied.slice(known.length).every((name) => last !== undefined && name > last);
  if (!isPrefix || !isForward) throw ofOtherVersion(file, applied);
  return known;
}

const ofOtherVersion = (file: string, applied: readonly string[]) =>
  new ArchiveError(
    `${file} has the schema of another version (${applied.at(-1)}), which this one does not know: restore it with that version`,
  );

async function prepareSchema(queries: Queries, database: Database, schema: readonly SchemaMigration[]): Promise<void> {
  const { location } = database;
  const applied = await migrationsOf(queries);
  if (applied.length > 0) await refuseRows(queries, location);
  if (applied.length > schema.length) {
    throw new ArchiveError(
      `${location} has the schema of a newer version than the backup: set DATABASE_URL to a new database, which the restore creates and upgrades`,
    );
  }
  await migrateTo(queries, database, schema);
}

/** Reads the whole file before a database is touched: no row of a changed file is imported. */
async function verify(file: string): Promise<Head> {
  const lines = verifiedLines(file);
  const { value } = await lines.next();
  const head = parsedHead(value ?? "");
  if (!head) throw new ArchiveError(`${file} is not a backup of Torcida`);
  if (head.format !== ARCHIVE_FORMAT)
    throw new ArchiveError(`${file} is ${head.format}; this version reads ${ARCHIVE_FORMAT}`);
  for await (const _ of lines);
  return head;
}

/** Every line except the last, which has their hash; throws at the end if they do not have it. */
async function* verifiedLines(file: string): AsyncGenerator<string> {
  const hash = createHash("sha256");
  let last: string | undefined;
  let count = 0;
  for await (const line of linesOf(file)) {
    if (last !== undefined) {
      hash.update(`${last}\n`);
      yield last;
      count++;
    }
    last = line;
  }
  if (last !== JSON.stringify({ rows: count - 1, sha256: hash.digest("hex") }))
    throw new ArchiveError(`${file} is cut off or was changed: nothing was restored; use another backup`);
}

function parsedHead(line: string): Head | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isHead(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHead(value: unknown): value is Head {
  if (!(isRecord(value) && typeof value.format === "string" && Array.isArray(value.migrations))) return false;
  const { createdAt, migrations } = value;
  const isTime = typeof createdAt === "string" && !Number.isNaN(Date.parse(createdAt));
  return isTime && migrations.length > 0 && migrations.every((name) => typeof name === "string");
}

async function refuseRows(queries: Queries, location: string): Promise<void> {
  for (const { name: table } of await queries.introspection.getTables()) {
    if (table.startsWith("sqlite_") || SEEDED.some((seeded) => seeded === table)) continue;
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(queries);
    if (rows.length > 0) {
      throw new ArchiveError(
        `${location} is not empty (${table} has rows): set DATABASE_URL to a new database, so that nothing is overwritten`,
      );
    }
  }
}

async function copyRows(
  file: string,
  queries: Queries,
  isKnown: (migration: string) => boolean,
): Promise<Omit<RestoreResult, "left">> {
  const lines = verifiedLines(file);
  const head: Head = JSON.parse((await lines.next()).value);
  let rows = 0;
  let waiting: Row[] = [];
  let waitingFor: string | undefined;
  const isNewer = !head.migrations.every(isKnown);
  const newer = new Set<string>();
  const tables = new Map(
    (await queries.introspection.getTables()).map(({ name, columns }) => [
      name,
      new Set(columns.map((one) => one.name)),
    ]),
  );
  const flush = async () => {
    if (waitingFor && waiting.length > 0) await insertRows(queries, waitingFor, waiting);
    waiting = [];
  };
  for await (const line of lines) {
    const [table, row]: [string, Record<string, string | null>] = JSON.parse(line);
    const columns = tables.get(table);
    if (!columns && isNewer) {
      newer.add(table);
      continue;
    }
    if (!columns) throw new ArchiveError(`${file} has rows of ${table}, a table that its version does not have`);
    if (table !== waitingFor || waiting.length >= ROWS_A_WRITE) await flush();
    waitingFor = table;
    const read = Object.entries(row).map(([name, text]) => [name, untagged(text)] as const);
    const asked = table === "settings" && row.name === "tschema_requires" ? (row.value?.slice(1) ?? "") : "";
    if (asked !== "" && !isKnown(asked)) throw ofOtherVersion(file, head.migrations);
    if (isNewer)
      for (const [name] of read) if (!(columns.has(name) || COMPUTED.has(name))) newer.add(`${table}.${name}`);
    waiting.push(Object.fromEntries(isNewer ? read.filter(([name]) => columns.has(name)) : read));
    rows++;
  }
  await flush();
  return { rows, createdAt: head.createdAt, newer: [...newer] };
}

async function insertRows(queries: Queries, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => !COMPUTED.has(column));
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(rows.map((row) => sql`(${sql.join(columns.map((column) => sql.val(row[column])))})`));
  await sql`insert into ${sql.table(table)} (${names}) values ${values}`.execute(queries);
}

/** Splits at line feeds only: `readline` would also split at U+2028, which a name may contain. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const input = pipeline(createReadStream(file), createGunzip().setEncoding("utf8"), () => {
    // The reader of the lines gets the error from the stream itself.
  });
  let rest = "";
  try {
    for await (const chunk of input) {
      const [first, ...others]: string[] = chunk.split("\n");
      rest += first;
      for (const line of others) {
        yield rest;
        rest = line;
      }
      if (rest.length > LONGEST_LINE) break;
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw error;
    throw new ArchiveError(`${file} is cut off or was changed (${messageOf(error)}): use another backup`);
  }
  if (rest.length > LONGEST_LINE)
    throw new ArchiveError(`${file} has a line of more than ${LONGEST_LINE} characters: it is not a backup of Torcida`);
  if (rest !== "") yield rest;
}

function untagged(text: string | null): string | bigint | null {
  return text === null ? null : text.startsWith("i") ? BigInt(text.slice(1)) : text.slice(1);
}
