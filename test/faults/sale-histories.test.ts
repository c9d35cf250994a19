import { expect } from "chai";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { runHistories } from "./support/sale-histories.ts";

const HISTORIES = 6;

/** `npm run histories` tells more of them. */
describe("Random histories of sales on a whole system @deep", function () {
  this.timeout(240_000);
  let postgres: Postgres | undefined;
  after(() => postgres?.stop());

  for (const [engine, seed] of [
    ["SQLite", 11],
    ["PostgreSQL", 12],
  ] as const) {
    it(`leave every wallet with what its networks last reported, to the gwei, whatever process is killed, on ${engine} (F51)`, async () => {
      if (engine === "PostgreSQL") postgres = await startPostgres();
      const databaseUrl = await postgres?.createDatabase();
      const told = await runHistories({ seed, histories: HISTORIES, ...(databaseUrl && { databaseUrl }) });
      expect(told.differences).to.deep.equal([]);
      expect(told.sales).to.be.at.least(HISTORIES);
      expect(told.readings, "corrections were read").to.be.greaterThan(told.sales);
    });
  }
});
