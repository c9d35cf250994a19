import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { readSetting } from "../../core/database/settings.ts";
import { until } from "../testing/until.ts";
import { type ChaosProxy, LIES, lying } from "./support/chaos-proxy.ts";
import type { FaultSystem } from "./support/fault-system.ts";
import { onSystem } from "./support/on-both-systems.ts";
import { patiently } from "./support/patiently.ts";

const A_THIRD = 1 / 3;
const PURCHASES = 12;
/** Of a process that would end, or of a call that would be sent. */
const LATE_MS = 1_500;

describe("A fallback node that lies @deep", () => {
  onSystem("SQLite", { withFallback: true }, (system) => {
    const fallback = () => system().fallback as ChaosProxy;
    const isReady = async () => (await fetch(`${system().url}/readyz`)).status === 200;
    const isIndexerReady = async () => (await fetch(`${system().indexer.url}/readyz`)).status === 200;
    afterEach(() => {
      system().proxy.set({});
      fallback().set({});
    });

    it("is dropped, and everything is paid once, while the first node comes and goes (F37)", async function () {
      this.timeout(300_000);
      const { proxy, shopper, settled, run } = system();
      fallback().set(lying(A_THIRD));
      const buyer = await shopper();
      for (let count = 0; count < PURCHASES; count++) {
        proxy.set(count % 2 === 0 ? { drop: 1 } : { drop: 0.1 });
        await patiently(() => buyer.buy(1, 20 + count), 60_000);
        await delay(1_500);
      }
      proxy.set({});
      await settled();
      const told = LIES.filter((lie) => fallback().counts[lie] > 0);
      expect(told, "lies that were told").to.include.members(["other-genesis", "other-chain", "old-head"]);
      expect(await pauseReason(system())).to.equal("");
      expect(await run("scripts/reconcile.ts")).to.include({ code: 0 });
      expect(await contradictions(system().url)).to.be.greaterThan(0);
    });

    for (const [what, rates] of [
      ["has another genesis block and the same contracts", { "other-genesis": 1 }],
      ["has another chain id", { "other-chain": 1 }],
    ] as const) {
      it(`counts as no node if it ${what}: not ready until the first one is back (F4)`, async () => {
        const { proxy, shopper, settled, judge } = system();
        const buyer = await shopper();
        await settled();
        const { minted } = await judge();
        fallback().set(rates);
        proxy.set({ hang: 1 });
        await until("neither is ready", async () => !(await isReady()) && !(await isIndexerReady()));
        await delay(LATE_MS);
        expect([await isReady(), await isIndexerReady()], "ready without a node").to.deep.equal([false, false]);
        const answer = await buyer.call("GET", "/api/stores");
        expect(answer.status, "what needs no node").to.equal(200);
        expect((await judge()).minted).to.equal(minted);
        proxy.set({});
        await until("it is ready again", async () => (await isReady()) && (await isIndexerReady()));
        await patiently(() => buyer.buy(1, 31));
        await settled();
      });
    }

    it("does not end a process that starts while the first node is away: it waits (F45)", async () => {
      const { proxy, api, indexer, shopper, settled } = system();
      const buyer = await shopper();
      fallback().set({ "other-chain": 1 });
      proxy.set({ drop: 1 });
      const ends = () => api.crashes() + indexer.crashes();
      const before = ends();
      const statusOf = async (url: string) => (await fetch(`${url}/readyz`)).status;
      for (const { kill, url, output, name } of [api, indexer]) {
        const said = output().length;
        await kill();
        await until(`${name} says what it waits for`, () => /waiting for one/.test(output().slice(said)));
        expect(await statusOf(url)).to.equal(503);
      }
      await delay(LATE_MS);
      expect(ends(), "processes that ended").to.equal(before);
      proxy.set({});
      await until("both are ready again", async () => (await isReady()) && (await isIndexerReady()));
      await patiently(() => buyer.buy(1, 32));
      await settled();
    });

    it("gets no request when /readyz is called", async () => {
      const { proxy } = system();
      await until("it is ready", isReady);
      const before = proxy.methods.length + fallback().methods.length;
      const started = performance.now();
      for (let count = 0; count < 200; count++) await fetch(`${system().url}/readyz`);
      const seconds = (performance.now() - started) / 1_000;
      const asked = proxy.methods.length + fallback().methods.length - before;
      // Health checks, polls and the indexer continue meanwhile: a few calls a second, not hundreds.
      expect(asked / Math.max(1, seconds)).to.be.lessThan(150);
    });
  });
});

async function pauseReason({ databaseUrl }: FaultSystem): Promise<string> {
  const database = await connect(databaseUrl);
  try {
    return (await readSetting(database.kysely, "payouts_paused")) ?? "";
  } finally {
    await database.close();
  }
}

async function contradictions(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith("torcida_rpc_contradictions_total{"));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
