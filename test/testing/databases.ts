import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Database } from "../../database/connect.ts";
import { migrate } from "../../database/migrate.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

export type EngineUnderTest = {
  name: "SQLite" | "PostgreSQL";
  /** A new, migrated database; `again` opens a second connection to it, as another process would. */
  open(): Promise<{ database: Database; url: string; again(): Promise<Database> }>;
};

/** Declares the same tests for SQLite and PostgreSQL, and closes what they opened after each. */
export function onBothEngines(declare: (engine: EngineUnderTest) => void): void {
  describe("on SQLite", () => {
    const directory = mkdtempSync(join(tmpdir(), "torcida-sqlite-"));
    let count = 0;
    declareFor("SQLite", async () => join(directory, `${++count}.db`), declare);
    after(() => rmSync(directory, { recursive: true, force: true }));
  });
  describe("on PostgreSQL", function () {
    this.timeout(60_000);
    let postgres: Postgres | undefined;
    before(async () => {
      postgres = await startPostgres();
    });
    declareFor("PostgreSQL", async () => (postgres ? postgres.createDatabase() : ""), declare);
    after(() => postgres?.stop());
  });
}

function declareFor(
  name: EngineUnderTest["name"],
  createUrl: () => Promise<string>,
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
    async open() {
      const url = await createUrl();
      const database = await openUrl(url);
      await migrate(database);
      return { database, url, again: () => openUrl(url) };
    },
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });
}
