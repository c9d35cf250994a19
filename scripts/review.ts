/**
 * One folder for a reviewer of data protection or security: `npm run review -- --to DIR`. What is stored, in which column,
 * for what and how long; the record of processing (LGPD, art. 37); the plan for a leak; and this shop's configuration and
 * state, without secrets and without a person's data.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readEnvironment } from "../api/environment.ts";
import { listSettings } from "../api/settings-in-force.ts";
import { auditHeadText, readAuditHead } from "../core/database/audit-log.ts";
import { readBackupRuns, readDrill } from "../core/database/backup-runs.ts";
import { migrationsOf } from "../core/database/migrate.ts";
import { makeFilesPrivate } from "../core/database/private-files.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { DATA_MAP } from "../core/rules/data-map.ts";
import { actAsOwnerOf } from "./operator/act-as-owner.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";
import { cell, dataDocument, processingDocument, schemaColumns } from "./review/documents.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SCHEMA = "core/database/generated/schema.ts";
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");
const INDEX = `# For a reviewer

| file | what it answers |
|---|---|
| processing.md | the record of processing (LGPD, art. 37): purposes, bases, retention, the named contact |
| data.md | every column of every table: purpose, whether it is about a person, how long it stays |
| shop.md | this shop: version, schema, configuration without secrets, the staff's roles, backups and their trial, the audit log's end |
| leak.md | what is done when data has leaked |
| operations.md | how it is run; its section *Logs* says what a log line has, and how long it stays |
| security.md | how a weakness is reported |
`;

makeFilesPrivate();
try {
  const { to } = parseArgs({ options: { to: { type: "string" } } }).values;
  if (to === undefined) throw new UsageError("Use: npm run review -- --to DIR");
  if (existsSync(to) && readdirSync(to).length > 0) throw new UsageError(`${to} is not empty: name a new folder`);
  const shop = await describeShop();
  mkdirSync(to, { recursive: true });
  const operations = text("docs/operations.md");
  const { PUBLIC_URL = "this machine", SUPPORT_CONTACT: contact } = readEnvironment(process.env);
  const files = {
    "README.md": INDEX,
    "processing.md": processingDocument(operations, { controller: `who runs ${PUBLIC_URL}`, contact }),
    "data.md": dataDocument(text(SCHEMA), operations),
    "shop.md": shop,
    "leak.md": text("docs/runbook/data-leak.md"),
    "operations.md": operations,
    "security.md": text("SECURITY.md"),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(to, name), content);
  console.log(`${to}: ${Object.keys(files).length} files for a reviewer, without secrets and without a person's data`);
} catch (error) {
  console.error(failureText(error));
  process.exitCode = 1;
}

async function describeShop(): Promise<string> {
  const operator = readOperatorEnvironment(process.env);
  actAsOwnerOf(operator.dataDirectory);
  const database = await openDatabase(operator, { print: false });
  try {
    const { kysely } = database;
    const [migrations, runs, drill, head] = [
      await migrationsOf(kysely),
      await readBackupRuns(kysely),
      await readDrill(kysely),
      await readAuditHead(kysely),
    ];
    const last = runs.at(-1);
    const unknown = columnsBeside(schemaColumns(text(SCHEMA)), await kysely.introspection.getTables());
    const shown = listSettings(readEnvironment(process.env)).map(({ name, value, is_secret, is_set }) => {
      if (is_secret) return `| \`${name}\` | ${is_set ? "set, secret" : "not set"} |`;
      // A wallet of the staff is a person's.
      const said = name === "ADMIN_WALLETS" ? value?.replace(/0x[0-9a-f]{40}/gi, "0x…") : value;
      return `| \`${name}\` | ${cell(said ?? "")} |`;
    });
    return [
      "# This shop",
      "",
      `* Version ${JSON.parse(text("package.json")).version}, schema ${migrations.at(-1)}, ${database.engine}, ${Object.keys(DATA_MAP).length} tables.`,
      ...(unknown.length > 0
        ? [`* Columns of a newer version, of which data.md says nothing: ${unknown.join(", ")}.`]
        : []),
      `* Last backup: ${last ? `${new Date(last.at).toISOString()}, ${last.rows} rows, ${last.seconds.toFixed(1)} s` : "none"}.`,
      `* Last test-restored copy: ${drill ? `of ${drill.last.archive_at}, ${drill.last.ok ? "agrees" : "differs"}` : "none"}.`,
      `* The audit log ends with ${auditHeadText(head)}.`,
      "",
      "| variable | value |",
      "|---|---|",
      ...shown,
      "",
    ].join("\n");
  } finally {
    await database.close();
  }
}

/** The columns of a database that the schema does not have, such as those of a newer version: `table.column`. */
function columnsBeside(
  schema: ReadonlyMap<string, readonly { name: string }[]>,
  tables: readonly { name: string; columns: readonly { name: string }[] }[],
): string[] {
  return tables.flatMap(({ name: table, columns }) =>
    columns
      .filter(({ name }) => !schema.get(table)?.some((one) => one.name === name))
      .map(({ name }) => `${table}.${name}`),
  );
}
