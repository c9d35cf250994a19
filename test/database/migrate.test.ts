import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { connect, type Database } from "../../core/database/connect.ts";
import {
  MIGRATIONS,
  migrate,
  migrationsOf,
  OtherSchemaError,
  requireUsableSchema,
  type SchemaMigration,
} from "../../core/database/migrate.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";

describe("Migrating a database", function () {
  this.timeout(300_000);
  const directory = mkdtempSync(join(tmpdir(), "torcida-migrate-"));
  let postgres: Postgres | undefined;
  let count = 0;
  before(async () => {
    postgres = await startPostgres();
  });
  after(async () => {
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const engines = {
    SQLite: async () => join(directory, `${++count}.db`),
    PostgreSQL: async () => (await postgres?.createDatabase()) ?? "",
  };

  const killPoints = { SQLite: [8, 45, 100], PostgreSQL: [45] } as const;
  for (const engine of ["SQLite", "PostgreSQL"] as const) {
    it(`starts over after a kill at any statement, with nothing half done, on ${engine}`, async () => {
      const url = await engines[engine]();
      for (const statement of killPoints[engine]) {
        const { signal, stderr } = spawnSync(process.execPath, [
          "--input-type=module",
          "--eval",
          killedMigration(url, statement),
        ]);
        expect(signal, `statement ${statement}: ${stderr}`).to.equal("SIGKILL");
        const database = await connect(url);
        expect(await migrationsOf(database.kysely)).to.deep.equal([]);
        const tables = (await database.kysely.introspection.getTables()).map((table) => table.name);
        expect(tables).not.to.include("users");
        await database.close();
      }
      const database = await connect(url);
      await migrate(database).finally(() => database.close());
    });
  }

  it("refuses a database that an earlier text of the schema has made in one clear line (F54)", async () => {
    const url = await engines.SQLite();
    const database = await connect(url);
    await migrate(database);
    await sql`update kysely_migration set name = '0001-initial-00000000' where name like '0001-%'`.execute(
      database.kysely,
    );
    await expectRefusal(
      database,
      /was made by another version before 1\.0\.0: export its catalogue with that version \(npm/,
    );
  });

  const addsColumn: SchemaMigration = {
    name: "9001-adds",
    up: async (db) => void (await sql`alter table users add column club text`.execute(db)),
  };
  const removesColumn: SchemaMigration = {
    name: "9002-removes",
    up: async (db) => void (await sql`alter table users drop column club`.execute(db)),
    requires: "9001-adds",
  };
  for (const engine of ["SQLite", "PostgreSQL"] as const) {
    it(`lets a version work until a newer one removes what it uses, on ${engine}`, async () => {
      const database = await connect(await engines[engine]());
      await migrate(database);
      await migrate(database, [...MIGRATIONS, addsColumn]);
      await migrate(database);
      expect(await requireUsableSchema(database.kysely, "")).to.include("9001-adds");
      await migrate(database, [...MIGRATIONS, addsColumn, removesColumn]);
      await migrate(database, [...MIGRATIONS, addsColumn]);
      await expectRefusal(
        database,
        /was upgraded by a newer version \(9002-removes\), which removed what this one uses: start that version/,
      );
    });
  }

  async function expectRefusal(database: Database, says: RegExp) {
    const error = await migrate(database).catch((reason: unknown) => reason);
    await database.close();
    expect(error).to.be.instanceOf(OtherSchemaError);
    expect((error as Error).message).to.match(says);
    if (database.engine === "postgres") return;
    const { status, stderr } = spawnSync(process.execPath, ["scripts/migrate.ts"], {
      encoding: "utf8",
      env: { ...process.env, NETWORK: "localhost", DATA_DIR: directory, DATABASE_URL: database.location },
    });
    expect([status, stderr.trim().split("\n").length], stderr).to.deep.equal([1, 1]);
    expect(stderr).to.match(says);
  }
});

/** A process that is killed before its nth statement. */
function killedMigration(url: string, statement: number): string {
  return `
    import { connect } from "./core/database/connect.ts";
    import { migrate } from "./core/database/migrate.ts";
    const database = await connect(${JSON.stringify(url)});
    let left = ${statement};
    const counted = database.kysely.withPlugin({
      transformQuery({ node }) {
        if (--left === 0) process.kill(process.pid, "SIGKILL");
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await migrate({ ...database, kysely: counted });
  `;
}
