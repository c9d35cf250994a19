import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { connect } from "../../database/connect.ts";
import { migrate, migrationsOf, OtherSchemaError } from "../../database/migrate.ts";
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
        const { signal } = spawnSync(process.execPath, [
          "--input-type=module",
          "--eval",
          killedMigration(url, statement),
        ]);
        expect(signal, `statement ${statement}`).to.equal("SIGKILL");
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

  for (const [what, change, says] of [
    [
      "of a newer version",
      sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2100-01-01')`,
      /was upgraded by a newer version \(9999-later\): start that version/,
    ],
    [
      "that an earlier text of the schema has made",
      sql`update kysely_migration set name = '0001-initial-00000000'`,
      /was made by another version before 1\.0\.0: export its catalogue with that version \(npm run catalog -- export/,
    ],
  ] as const) {
    it(`refuses a database ${what} in one clear line (F54)`, async () => {
      const url = await engines.SQLite();
      const database = await connect(url);
      await migrate(database);
      await change.execute(database.kysely);
      const error = await migrate(database).catch((reason: unknown) => reason);
      await database.close();
      expect(error).to.be.instanceOf(OtherSchemaError);
      expect((error as Error).message).to.match(says);
      const { status, stderr } = spawnSync(process.execPath, ["scripts/migrate.ts"], {
        encoding: "utf8",
        env: { ...process.env, NETWORK: "localhost", DATA_DIR: directory, DATABASE_URL: url },
      });
      expect([status, stderr.trim().split("\n").length], stderr).to.deep.equal([1, 1]);
      expect(stderr).to.match(says);
    });
  }
});

/** A process that is killed before its nth statement. */
function killedMigration(url: string, statement: number): string {
  return `
    import { connect } from "./database/connect.ts";
    import { migrate } from "./database/migrate.ts";
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
