import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Database } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

export type EngineUnderTest = {
  name: "SQLite" | "PostgreSQL";
  /** Marks what a file tests beside the SQL: `npm test` runs it on SQLite, `npm run test:release` on PostgreSQL. */
  otherEngineTag: "" | "@release";
  /** A new, migrated database; `again` opens a second connection to it, as another process would. */
  open(): Promise<{ database: Database; url: string; again(): Promise<Database> }>;
  /** The same without a schema. */
  openEmpty(): Promise<{ database: Database; url: string; again(): Promise<Database> }>;
};

/** A SQLite database with the current schema: migrated once in this process, and copied for each test. */
let migratedFile: Promise<Buffer> | undefined;

async function readMigratedFile(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), "torcida-migrated-"));
  const file = join(directory, "migrated.db");
  await migrateAndLeave(file);
  const content = readFileSync(file);
  rmSync(directory, { recursive: true, force: true });
  return content;
}

/** The same on PostgreSQL, which `npm test` makes once for all files. */
export async function migratedDatabase(postgres: Postgres): Promise<string> {
  const url = await postgres.createDatabase();
  // With a pooler in front, connections outlast their clients, and nobody may be connected to a template.
  if (!process.env.TEST_DATABASE_POOLER) await migrateAndLeave(url);
  return url;
}

async function migrateAndLeave(url: string): Promise<void> {
  const database = await connect(url);
  await migrate(database).finally(() => database.close());
}

/**
 * Declares the same tests for SQLite and PostgreSQL, for what SQL itself may do differently, and closes what they opened
 * after each.
 * @example
 * onBothEngines(({ open }) => {
 *   it("stores a push once", async () => {
 *     const { database } = await open();
 *     …
 *   });
 * });
 */
export function onBothEngines(declare: (engine: EngineUnderTest) => void): void {
  onEngines(declare, "");
}

/** The same where the database is not what is tested: `npm test` runs them on SQLite, `npm run test:release` on PostgreSQL. */
export function onEitherEngine(declare: (engine: EngineUnderTest) => void): void {
  onEngines(declare, "@release");
}

function onEngines(declare: (engine: EngineUnderTest) => void, tagOfPostgres: string): void {
  describe("on SQLite", () => {
    let directory = "";
    before(() => {
      directory = mkdtempSync(join(tmpdir(), "torcida-sqlite-"));
    });
    let count = 0;
    const copyOfMigrated = async () => {
      const file = join(directory, `${++count}.db`);
      migratedFile ??= readMigratedFile();
      writeFileSync(file, await migratedFile, { mode: 0o600 });
      return file;
    };
    declareFor("SQLite", { copyOfMigrated, empty: async () => join(directory, `${++count}.db`) }, declare);
    after(() => rmSync(directory, { recursive: true, force: true }));
  });
  describe(`on PostgreSQL ${tagOfPostgres}`.trim(), function () {
    this.timeout(300_000);
    let postgres: Postgres | undefined;
    before(async () => {
      postgres = await startPostgres();
    });
    let template: Promise<string> | undefined;
    const copyOfMigrated = async () => {
      if (!postgres) throw new Error("PostgreSQL did not start");
      template ??= Promise.resolve(process.env.TEST_TEMPLATE_URL ?? migratedDatabase(postgres));
      return postgres.createDatabase(await template);
    };
    const empty = async () => (await postgres?.createDatabase()) ?? "";
    declareFor("PostgreSQL", { copyOfMigrated, empty }, declare);
    after(() => postgres?.stop());
  });
}

function declareFor(
  name: EngineUnderTest["name"],
  create: Record<"copyOfMigrated" | "empty", () => Promise<string>>,
  declare: (engine: EngineUnderTest) => void,
): void {
  const opened: Database[] = [];
  const openUrl = async (url: string) => {
    const database = await connect(url);
    opened.push(database);
    return database;
  };
  declare({
    name,
    otherEngineTag: name === "SQLite" ? "" : "@release",
    async open() {
      const url = await create.copyOfMigrated();
      const database = await openUrl(url);
      // Does nothing on a copy of a migrated database.
      await migrate(database);
      return { database, url, again: () => openUrl(url) };
    },
    async openEmpty() {
      const url = await create.empty();
      return { database: await openUrl(url), url, again: () => openUrl(url) };
    },
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });
}
