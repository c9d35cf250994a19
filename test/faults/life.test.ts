import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";
import { supervise } from "./support/supervised.ts";

const SHUTDOWN_MS = 10_000;
const TEN_MINUTES_MS = 600_000;
/** A preload that shifts the clock of a process. */
const withClock = (offsetMs: number) => {
  const code = `const now = Date.now; Date.now = () => now() + (${offsetMs}); const Real = Date; globalThis.Date = class extends Real { constructor(...a) { a.length ? super(...a) : super(Real.now()); } };`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(code)}`;
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${preload}` };
};

describe("A process's life (F15, F18, F19) @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem({ environment: { RATE_LIMIT_SCALE: "1000" } });
  });
  after(() => system?.stop());

  it("finishes running calls and exits with 0 within ten seconds of SIGTERM under load (F18)", async () => {
    const buyer = await system.shopper();
    let isOver = false;
    const statuses: number[] = [];
    const load = Array.from({ length: 20 }, async () => {
      while (!isOver) {
        try {
          const response = await fetch(`${system.url}/api/stores`);
          const body = (await response.json()) as { success: boolean };
          statuses.push(body.success ? response.status : 0);
        } catch (error) {
          // Refused or closed without a response: nothing false was reported.
          expect(error).to.be.instanceOf(TypeError);
          await delay(10);
        }
      }
    });
    await buyer.buy(1, 10);
    await until("the load runs", () => statuses.length > 50);
    const asked = performance.now();
    const code = await system.api.stop("SIGTERM");
    const took = performance.now() - asked;
    isOver = true;
    await Promise.all(load);
    expect(code).to.equal(0);
    expect(took).to.be.lessThan(SHUTDOWN_MS);
    expect(system.api.output(), "by itself, not by its last resort").to.include("The api has stopped");
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    system.api.start();
    await system.api.ready();
    await system.settled();
  });

  it("settles every purchase in order while the clock moves ten minutes back and forth (F15)", async () => {
    const buyer = await system.shopper();
    const ids = [await buyer.buy(1, 10)];
    for (const offset of [-TEN_MINUTES_MS, 0, TEN_MINUTES_MS]) {
      await system.api.stop("SIGKILL");
      system.api.start(withClock(offset));
      await system.api.ready();
      await buyer.logIn();
      ids.push(await buyer.buy(1, 10));
    }
    await system.api.stop("SIGKILL");
    system.api.start();
    await system.api.ready();
    // The last one was stored, and perhaps sent, by a process ten minutes ahead: nothing may wait for its time.
    await system.settled();
    await buyer.logIn();
    const purchases = (await buyer.call("GET", "/api/purchases")).body.purchases as { id: number }[];
    expect(purchases.map((one) => one.id)).to.deep.equal(ids.toReversed());
  });

  it("imports what is newer on the chain after restoring an old backup, and sends nothing until an operator has looked (F19, F56)", async () => {
    const buyer = await system.shopper();
    const before = await buyer.buy(1, 10);
    await system.settled();
    const backup = await system.run("scripts/backup.ts", ["--to", join(system.directory, "backups")]);
    expect(backup.code, backup.output).to.equal(0);
    const file = /^(\S+\.jsonl\.gz): \d+ rows/m.exec(backup.output)?.[1] ?? "";
    const lost = await buyer.buy(1, 20);
    await system.settled();

    await Promise.all([system.api.stop(), system.indexer.stop()]);
    system.environment.DATABASE_URL = join(system.directory, "restored.db");
    const restored = await system.run("scripts/restore.ts", ["--from", file]);
    expect(restored.code, restored.output).to.equal(0);
    const { environment, url } = system;
    const api = supervise({ name: "api", script: "api/main.ts", url, environment });
    const indexer = supervise({ name: "indexer", script: "indexer/main.ts", url: system.indexer.url, environment });
    try {
      indexer.start();
      api.start();
      await Promise.all([indexer.ready(), api.ready("/healthz")]);
      const database = await connect(environment.DATABASE_URL ?? "");
      const tokens = await until("the index has the ticket of the lost purchase", async () => {
        const rows = await database.kysely.selectFrom("nfts").select("token_id").execute();
        return rows.some((row) => row.token_id === BigInt(lost)) && rows.map((row) => Number(row.token_id));
      });
      await database.close();
      expect(tokens).to.include(before);
      const reconciled = await system.run("scripts/reconcile.ts");
      // The database does not know the purchase of the lost ticket, which only an operator may call harmless.
      expect(reconciled.code, reconciled.output).to.equal(1);
      expect(reconciled.output.match(/^✗ .*$/gm)).to.deep.equal([`✗ Ticket ${lost} has no purchase`]);
      expect(reconciled.output, "our own calls").not.to.include("Another program");
      await buyer.logIn();
      const fresh = await buyer.buy(1, 30);
      expect(fresh).to.be.greaterThan(100_000);
      const { warnings } = (await (await fetch(`${url}/readyz`)).json()) as { warnings: string[] };
      expect(warnings.join("\n")).to.match(/mint: Restored from the backup of .*: npm run restored says what to do/);
      await delay(1_000);
      expect((await fetch(`${url}/api/nfts/${fresh}`)).status, "nothing is minted yet").to.equal(404);

      const looked = await system.run("scripts/restored.ts");
      expect(looked.code, looked.output).to.equal(0);
      expect(looked.output).to.match(/The database does not know nonce \d+ of the operator's key: mintBatch, 0x/);
      expect(looked.output).to.match(new RegExp(`Ticket ${lost} of 0x.*Confirmed, paid; of a simulated purchase`));
      expect(looked.output).to.include(
        "2. Once you know each ticket and payout above that is still left: npm run restored -- --accept",
      );
      expect((await system.run("scripts/restored.ts", ["--accept"])).code).to.equal(0);
      const agreed = await system.run("scripts/reconcile.ts");
      expect(agreed.code, agreed.output).to.equal(0);
      await until("it is confirmed", async () =>
        (await (await fetch(`${url}/api/nfts/${fresh}`)).text()).includes("Confirmed"),
      );
      await delay(1_000);
      expect((await system.ledger()).paymentsOf(fresh)).to.deep.equal([]);
      const resumed = await system.run("scripts/payouts.ts", ["--resume"]);
      expect(resumed.output).to.include("Payouts are not paused\n");
      await until("it is paid", async () => (await system.ledger()).paymentsOf(fresh).length === 1);
      expect((await system.ledger()).paymentsOf(lost)).to.have.length(1);
      expect((await system.ledger()).paymentsOf(before)).to.have.length(1);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${api.output().slice(-2_500)}`);
    } finally {
      await Promise.all([api.stop("SIGKILL"), indexer.stop("SIGKILL")]);
    }
  });
});
