import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

/** Columns whose words 1.0.0 closed with a check. From now on only their types in `core/database/generated/schema.ts` say them. */
const WORDS = {
  sessions: ["kind"],
  sign_in_nonces: ["purpose"],
  store_boosts: ["decision"],
  percent_approvals: ["state"],
  sales: ["status", "state"],
  sale_revisions: ["source"],
  claims: ["state"],
  affiliate_events: ["kind"],
  purchases: ["source"],
  mails: ["kind"],
  transactions: ["status"],
  operations: ["status"],
  nfts: ["status"],
  payouts: ["state"],
  approvals: ["state"],
} as const;

/**
 * Takes the checks off, so that a later version may have a new word without making its table anew. The rows stay as they are,
 * so it takes no longer with a million of them, and the version before goes on beside it. docs/decisions/0014-open-words.md
 */
export async function openWords(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  if (engine === "postgres") {
    for (const [table, columns] of Object.entries(WORDS))
      for (const column of columns)
        await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_${column}_check`)}`.execute(db);
    return;
  }
  await sql`pragma writable_schema = on`.execute(db);
  for (const [table, columns] of Object.entries(WORDS))
    for (const column of columns) await dropCheck(db, table, column);
  const { rows } = await sql<{ schema_version: bigint }>`pragma schema_version`.execute(db);
  // Tells the other connections to read the schema again.
  await sql`pragma schema_version = ${sql.lit(Number(rows[0]?.schema_version ?? 0n) + 1)}`.execute(db);
  // Reads it again here, and refuses to go on where it cannot be read.
  await sql`pragma writable_schema = reset`.execute(db);
}

/** SQLite knows no statement for a check without a name; it allows to edit the text. https://sqlite.org/lang_altertable.html */
async function dropCheck(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  const { rows } = await sql<{
    sql: string;
  }>`select sql from sqlite_schema where type = 'table' and name = ${table}`.execute(db);
  const before = rows[0]?.sql ?? "";
  const after = before.replace(
    new RegExp(`(\\b${column} \\w+ not null) check \\(${column} (?:in \\([^)]*\\)|between 1 and 3)\\)`),
    "$1",
  );
  if (after === before) throw new Error(`The table ${table} has no check of the words of ${column}`);
  await sql`update sqlite_schema set sql = ${after} where type = 'table' and name = ${table}`.execute(db);
}
