import { expect } from "chai";
import pg from "pg";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { startTransactionPooler } from "../testing/transaction-pooler.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

describe("Behind a pooler in transaction mode @release", function () {
  this.timeout(300_000);
  let postgres: Postgres;
  before(async () => {
    postgres = await startPostgres({ pooler: false });
  });
  after(() => postgres?.stop());

  it("loses a named statement between transactions, as in production", async () => {
    const url = new URL(await postgres.createDatabase());
    const pooler = await startTransactionPooler(url.toString());
    const client = new pg.Client(Object.assign(new URL(url), { port: String(pooler.port) }).toString());
    await client.connect();
    try {
      const named = { name: "by-name", text: "select $1::int as n", values: [1] };
      expect((await client.query(named)).rows).to.deep.equal([{ n: 1 }]);
      const second = await client.query(named).catch((error: Error) => error.message);
      expect(second).to.match(/prepared statement "by-name" does not exist/);
      expect((await client.query("select $1::int as n", [2])).rows).to.deep.equal([{ n: 2 }]);
    } finally {
      await client.end();
      await pooler.stop();
    }
  });

  it("lets indexer and api take a purchase from registration to payout", async () => {
    const url = new URL(await postgres.createDatabase());
    const pooler = await startTransactionPooler(url.toString());
    let system: FaultSystem | undefined;
    try {
      system = await startFaultSystem({
        databaseUrl: Object.assign(new URL(url), { port: String(pooler.port) }).toString(),
        environment: { RATE_LIMIT_SCALE: "1000" },
      });
      const buyer = await system.shopper();
      const ids: number[] = [];
      for (let count = 0; count < 5; count++) ids.push(await buyer.buy(count + 1, 10 + count));
      await buyer.paid(ids);
      const verdict = await system.settled();
      expect(verdict.purchases).to.equal(5);
      expect((await system.run("scripts/reconcile.ts")).code).to.equal(0);
      expect(system.indexer.output()).not.to.match(/prepared statement/);
      expect(pooler.shared()).to.be.greaterThan(50);
    } finally {
      await system?.stop();
      await pooler.stop();
    }
  });
});
