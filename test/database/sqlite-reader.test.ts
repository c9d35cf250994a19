import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { connect, type Database } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { writeSetting } from "../../core/database/settings.ts";

const LONG = sql<{
  n: bigint;
}>`with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 3000000)
  select max(n) as n from counted`;

describe("Long reads on SQLite", () => {
  const directory = mkdtempSync(join(tmpdir(), "torcida-reader-"));
  let database: Database;
  before(async () => {
    database = await connect(join(directory, "torcida.db"));
    await migrate(database);
  });
  after(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it("do not block this thread, and keep 64-bit numbers", async () => {
    let isOver = false;
    const long = LONG.execute(database.reader).finally(() => {
      isOver = true;
    });
    let writes = 0;
    for (; !isOver && writes < 20; writes++) await writeSetting(database.kysely, "catalogue_version", String(writes));
    expect(isOver, "the writes did not wait for the read").to.equal(false);
    expect((await long).rows[0]?.n).to.equal(3_000_000n);
  });

  it("see what was committed before they started", async () => {
    await writeSetting(database.kysely, "catalogue_version", "seen");
    const row = await database.reader
      .selectFrom("settings")
      .select("value")
      .where("name", "=", "catalogue_version")
      .executeTakeFirst();
    expect(row?.value).to.equal("seen");
  });

  it("cannot write", async () => {
    let message = "";
    await database.reader
      .deleteFrom("settings")
      .execute()
      .catch((error: Error & { code?: string }) => {
        message = `${error.code} ${error.message}`;
      });
    expect(message).to.match(/SQLITE_READONLY|does not return data/);
    expect(await database.kysely.selectFrom("settings").selectAll().execute()).to.not.deep.equal([]);
  });

  it("fail alone: the next one succeeds", async () => {
    const outcome = await Promise.allSettled([
      sql`select * from nowhere`.execute(database.reader),
      sql`select 1 as one`.execute(database.reader),
    ]);
    expect(outcome.map((one) => one.status)).to.deep.equal(["rejected", "fulfilled"]);
  });
});
