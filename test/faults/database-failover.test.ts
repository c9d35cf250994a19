import { expect } from "chai";
import { connect, type Database } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { type PostgresPair, startPostgresPair } from "../testing/postgres-pair.ts";

describe("A PostgreSQL primary and its standby @release", function () {
  this.timeout(300_000);
  let pair: PostgresPair;
  let database: Database | undefined;
  before(async () => {
    pair = await startPostgresPair();
  });
  after(async () => {
    await database?.close();
    await pair?.stop();
  });

  const write = (name: string) =>
    (database as Database).kysely.insertInto("settings").values({ name, value: "1", updated_at: 1n }).execute();
  const names = async () =>
    (await (database as Database).kysely.selectFrom("settings").select("name").orderBy("name").execute()).map(
      (row) => row.name,
    );

  it("writes to the primary, whichever host is named first", async () => {
    const [, credentials, first, second, name] = /^(.*@)([^,]*),([^/]*)(.*)$/.exec(pair.databaseUrl) ?? [];
    database = await connect(`${credentials}${second},${first}${name}`);
    await migrate(database);
    await write("before");
    expect(await names()).to.deep.equal(["before"]);
  });

  it("writes nothing until the standby is promoted, and never reads from the standby", async () => {
    await pair.killPrimary();
    for (let attempt = 0; attempt < 3; attempt++) {
      const outcome = await names().catch((error: { code?: string }) => error.code);
      expect(outcome).to.be.oneOf(["57P03", "ECONNREFUSED", "ECONNRESET", undefined]);
    }
  });

  it("continues on the promoted standby with the same connection pool, and nothing is missing (F48)", async () => {
    await pair.promoteStandby();
    await write("after");
    expect(await names()).to.deep.equal(["after", "before"]);
  });
});
