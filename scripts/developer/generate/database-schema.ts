/** Generates the types of the database's rows, and what a backup must know of its tables, from the migrations' SQL. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const DATABASE = resolve(import.meta.dirname, "../../../core/database");
const MIGRATIONS = resolve(DATABASE, "migrations");
export const SCHEMA_FILE = resolve(DATABASE, "generated/schema.ts");

const HEADER = `// Written by \`npm run schema\` from the SQL in core/database/migrations/. Do not edit.
import type { Generated, GeneratedAlways } from "kysely";
import type { AccountSum, AccountWait } from "../../rules/account/payout-gate.ts";
import type { EventKind } from "../../rules/events.ts";
import type { ProposalKind, ProposalState } from "../../rules/proposals.ts";
import type { CountedSituation } from "../../rules/purchase/situation.ts";
import { keysOf } from "../../rules/records.ts";
import type { Device } from "../../rules/session.ts";
import type { WalletAddress } from "../../rules/wallet-address.ts";
import type { ChangedFact } from "../changed-facts.ts";
import type { Hex, OperationKind, OperationReason } from "../operations.ts";
`;

const TABLE = /((?:^-- .*\n)*)^create table (\w+) \(\n([\s\S]*?)\n\) strict/gm;
const COLUMN = /((?:^ {2}-- .*\n)*)^ {2}(?!constraint)(\w+) (text|integer)\b([^\n]*(?:\n {4}.*)*)/gm;
/** By a later migration; its table, then what `COLUMN` has. */
const ADDED = /((?:^-- .*\n)*)^alter table (\w+) add column (\w+) (text|integer)\b([^\n]*)$/gm;

/** By a later migration, once its words are open: `-- retype table.column: type`. */
const RETYPED = /^-- retype (\w+)\.(\w+): (.+)$/gm;

/** The SQL of all migrations, in their order. */
export function migrationsSql(): string {
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  return files
    .sort()
    .map((name) => readFileSync(resolve(MIGRATIONS, name), "utf8"))
    .join("\n");
}

export function schemaSource(migrations = migrationsSql()): string {
  const added = [...migrations.matchAll(ADDED)].map(([, comment = "", table = "", ...column]) => ({
    table,
    column: columnOf([comment, ...column]),
  }));
  const retyped = new Map(
    [...migrations.matchAll(RETYPED)].map(([, table = "", column = "", type = ""]) => [`${table}.${column}`, type]),
  );
  const tables = [...migrations.matchAll(TABLE)].map(([, comment = "", name = "", body = ""]) => {
    const columns = [
      ...[...body.matchAll(COLUMN)].map(([, ...parts]) => columnOf(parts, retyped.get(`${name}.${parts[1]}`))),
      ...added.flatMap(({ table, column }) => (table === name ? [column] : [])),
    ];
    const key = /primary key \((.+)\)/.exec(body)?.[1]?.split(", ") ?? columns.filter((one) => one.isKey).map(nameOf);
    const source = `${documentation(comment, "  ")}  ${name}: {\n${columns.map(sourceOf).join("\n")}\n  };`;
    return { name, key, columns, source };
  });
  const numbered = tables.filter(({ columns }) => columns.some(({ isNumbered }) => isNumbered)).map(nameOf);
  const computed = tables.flatMap(({ columns }) => columns.filter(({ isComputed }) => isComputed).map(nameOf));
  return `${HEADER}
/**
 * Every column of every table, the same in SQLite and PostgreSQL. Integers are 64 bits and always bigint in TypeScript,
 * money is cents, basis points, gwei or wei as the name says, times (\`*_at\`) are milliseconds UTC, flags are 0n or 1n,
 * addresses and hashes are lower case.
 */
export interface Schema {
${tables.map(sourceOf).join("\n")}
}

export type TableName = keyof Schema;

/** Every table with its primary key, the order of reading; referenced tables come first. */
export const TABLES: Readonly<Record<TableName, readonly string[]>> = {
${tables.map(({ name, key }) => `  ${name}: ${JSON.stringify(key)},`).join("\n")}
};

export const TABLE_NAMES: readonly TableName[] = keysOf(TABLES);

/** Tables with ids assigned by the database. */
export const NUMBERED: readonly TableName[] = ${JSON.stringify(numbered)};

/** Columns that the database computes: they cannot be written. */
export const COMPUTED: ReadonlySet<string> = new Set(${JSON.stringify(computed)});
`;
}

function columnOf([comment = "", name = "", type = "", rest = ""]: readonly string[], retyped?: string) {
  return {
    name,
    source: `${documentation(comment, "    ")}    ${name}: ${typeOf(type, rest, retyped)};`,
    isKey: /\bprimary key\b/.test(rest),
    isNumbered: /\bautoincrement\b/.test(rest),
    isComputed: /\bgenerated always\b/.test(rest),
  };
}

const nameOf = ({ name }: { name: string }) => name;
const sourceOf = ({ source }: { source: string }) => source;

/** A later migration's type, `-- : Type` at the end of a column's line, the texts that its check allows, or its SQL type. */
function typeOf(type: string, rest: string, retyped?: string): string {
  const narrow = retyped?.replaceAll("'", '"') ?? / -- : (\w+)$/m.exec(rest)?.[1];
  const allowed = type === "text" && /check \(\w+ in \(('[^)]*')\)\)/.exec(rest)?.[1]?.replaceAll("'", '"').split(", ");
  const plain = narrow ?? (allowed ? allowed.join(" | ") : type === "text" ? "string" : "bigint");
  if (/\bgenerated always\b/.test(rest)) return `GeneratedAlways<${plain}>`;
  if (/\b(?:autoincrement|default)\b/.test(rest)) return `Generated<${plain}>`;
  return /\b(?:not null|primary key)\b/.test(rest) ? plain : `${plain} | null`;
}

function documentation(comment: string, indent: string): string {
  const text = comment.replaceAll(/^ *-- /gm, "").trim();
  return text === "" ? "" : `${indent}/** ${text.replaceAll("\n", `\n${indent} * `)} */\n`;
}

if (import.meta.main) writeFileSync(SCHEMA_FILE, schemaSource());
