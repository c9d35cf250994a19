import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { sql } from "kysely";
import { connect, type Database } from "../../database/connect.ts";
import { migrate, migrationsOf, NewerSchemaError } from "../../database/migrate.ts";
import { readArchive } from "../../scripts/backup/read-archive.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
/** A filled database of each release: purchases at every stage, a return after its payout, sign-ins, hooks. */
const RELEASES = readdirSync(FIXTURES).filter((name) => name.endsWith(".jsonl.gz"));

type Row = Record<string, string | bigint | null>;

describe("Upgrading a database", function () {
  this.timeout(300_000);
  const directory = mkdtempSync(join(tmpdir(), "torcida-upgrade-"));
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

  for (const release of RELEASES) {
    for (const [engine, newUrl] of Object.entries(engines)) {
      it(`keeps every row of ${basename(release, ".jsonl.gz")} on ${engine}`, async () => {
        const file = join(FIXTURES, release);
        const url = await newUrl();
        const { rows } = await readArchive(file, { databaseUrl: url, network: "localhost", purchaseGap: 0n });
        expect(rows).to.be.greaterThan(100);
        const database = await connect(url);
        try {
          for (const [table, before] of rowsOf(file)) {
            if (table === "leases" || table === "settings") continue;
            await expectKept(database, table, before);
          }
        } finally {
          await database.close();
        }
      });
    }
  }

  const killPoints = { SQLite: [8, 45, 100, 160], PostgreSQL: [45] } as const;
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
        await database.close();
      }
      const database = await connect(url);
      await migrate(database).finally(() => database.close());
    });
  }

  it("rejects a database of a newer version in one clear line", async () => {
    const url = join(directory, "newer.db");
    const database = await connect(url);
    await migrate(database);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2100-01-01')`.execute(
      database.kysely,
    );
    const error = await migrate(database).catch((reason: unknown) => reason);
    await database.close();
    expect(error).to.be.instanceOf(NewerSchemaError);
    expect((error as Error).message).to.include("was upgraded by a newer version (9999-later): start that version");
    const { status, stderr } = spawnSync(process.execPath, ["scripts/restore.ts", "--from", fixture()], {
      encoding: "utf8",
      env: { ...process.env, DATABASE_URL: url },
    });
    expect(status).to.equal(1);
    expect(stderr.trim().split("\n")).to.have.length(1);
  });
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

function fixture(): string {
  return join(FIXTURES, RELEASES[0] ?? "");
}

/** The archive's own rows, by table. */
function rowsOf(file: string): Map<string, Row[]> {
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as unknown).filter((value) => Array.isArray(value));
  const byTable = Map.groupBy(rows, ([table]) => table as string);
  return new Map([...byTable].map(([table, of]) => [table, of.map(([, row]) => untagged(row))]));
}

function untagged(row: Record<string, string | null>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, text]) => [
      name,
      text === null ? null : text.startsWith("i") ? BigInt(text.slice(1)) : text.slice(1),
    ]),
  );
}

/** Columns whose values a later migration rewrites, and nothing else. */
function inTodaysWords(table: string, row: Row): Row {
  if (table !== "operations" || row.status !== "failed") return row;
  if (row.error === "Taken back") return { ...row, status: "withdrawn" };
  return String(row.error).startsWith("AboveMaxPayout") ? { ...row, status: "waiting" } : row;
}

/** Every earlier row is still there, with every column; there may be new columns. */
async function expectKept(database: Database, table: string, before: readonly Row[]): Promise<void> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(database.kysely);
  const columns = Object.keys(before[0] ?? {});
  expect(Object.keys(rows[0] ?? {}), table).to.include.members(columns);
  const shape = (row: Row) => JSON.stringify(columns.map((column) => String(row[column])));
  expect(rows.map(shape), table).to.include.members(before.map((row) => shape(inTodaysWords(table, row))));
}
