import { renameSync } from "node:fs";
import { expect } from "chai";
import { type ArchivingPostgres, startArchivingPostgres } from "../testing/archiving-postgres.ts";
import { connectTo } from "../testing/postgres-server.ts";

/** docs/operations.md#base-backup-and-wal-of-your-own-server */
describe("The archive of PostgreSQL's log @release", function () {
  this.timeout(180_000);
  let postgres: ArchivingPostgres;
  before(async () => {
    postgres = await startArchivingPostgres();
  });
  after(() => postgres?.stop());

  const ask = async (query: string) => {
    const client = await connectTo(postgres.databaseUrl);
    const { rows } = await client.query(query).finally(() => client.end());
    return rows;
  };
  const recovered = (moment?: string) =>
    postgres.recoverTo(moment).then(
      () => "",
      (error: Error) => error.message,
    );

  it("recovers nothing and names the segment where one is missing, and all of it once that is back", async () => {
    await ask("create table steps (step int)");
    await postgres.backUp();
    const segments: string[] = [];
    for (let step = 1; step <= 4; step++) {
      await ask(`insert into steps values (${step})`);
      segments.push(await postgres.archived());
    }
    const moment = await postgres.now();
    await ask("insert into steps values (5)");
    const missing = segments[1] ?? "";
    const name = missing.slice(-24);
    renameSync(missing, `${missing}.lost`);
    for (const target of [undefined, moment]) {
      const said = await recovered(target);
      expect(said).to.include(`${name} is missing in `).and.include("recovery stops");
      expect(said).to.include("FATAL").and.not.include("ready to accept connections");
    }
    renameSync(`${missing}.lost`, missing);
    expect(await recovered(moment)).to.equal("");
    expect(await ask("select step from steps order by step")).to.deep.equal([1, 2, 3, 4].map((step) => ({ step })));
  });
});
