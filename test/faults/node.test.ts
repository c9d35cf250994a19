import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";
import { onSystem } from "./support/on-both-systems.ts";
import { patiently } from "./support/patiently.ts";
import { supervise } from "./support/supervised.ts";

/** Callers get a response within five seconds; a busy test machine gets more. docs/product.md#limit-answer-time */
const ANSWER_MS = 15_000;

/** A configuration that mainnet accepts, with the local chain's node. */
const MAINNET = {
  NETWORK: "chiliz",
  ADMIN_WALLETS: "",
  OPERATOR_PRIVATE_KEY: `0x${"12".repeat(32)}`,
  PUBLIC_URL: "https://torcida.example",
  RATE_URL: "https://rates.example/chz-brl",
};

describe("A node that fails (F3, F4) @deep", () => {
  onSystem("PostgreSQL", {}, (system) => {
    afterEach(() => system().proxy.set({}));

    it("mints once and pays once while a third of all responses is dropped, lost, late or wrong (F3)", async () => {
      const { proxy, shopper, settled } = system();
      const buyer = await shopper();
      proxy.set({ drop: 0.08, "lose-answer": 0.08, delay: 0.08, unavailable: 0.05, "no-receipt": 0.04, stale: 0.04 });
      for (let count = 0; count < 10; count++) {
        await patiently(() => buyer.buy(1, 20 + count));
        await delay(100);
      }
      await settled();
      expect(proxy.counts["lose-answer"]).to.be.greaterThan(0);
      expect(proxy.counts.drop).to.be.greaterThan(0);
    });

    it("responds in time while the node hangs, and pays once afterwards (F3)", async () => {
      const { proxy, shopper, settled } = system();
      const buyer = await shopper();
      const id = await buyer.buy(1, 100);
      proxy.set({ hang: 1 });
      const asked = performance.now();
      const answers = await Promise.all([
        buyer.call("POST", "/api/mint-nft", { user: buyer.address, purchase_id: id, metadata_uri: "" }),
        buyer.call("GET", "/api/me"),
        buyer.call("POST", "/api/register-purchase", {
          user: buyer.address,
          store_id: 2,
          amount: 10,
          token_slug: "psg",
        }),
      ]);
      expect(performance.now() - asked).to.be.lessThan(ANSWER_MS);
      for (const { status, body } of answers) expect(status, JSON.stringify(body)).to.be.oneOf([200, 202, 400, 503]);
      proxy.set({});
      await settled();
    });

    it("does nothing on a node of another chain, reports it, and resumes on the right one (F4)", async () => {
      const { proxy, api, url, shopper, settled, judge } = system();
      const buyer = await shopper();
      await settled();
      proxy.set({ "wrong-chain": 1 });
      await until("/readyz is 503", async () => (await fetch(`${url}/readyz`)).status === 503);
      const { minted, paid } = await judge();
      await buyer.buy(1, 30).catch(() => {});
      await api.kill();
      await until("it refuses to start", () => /is of chain 1, not 88882/.test(api.output()));
      const after = await judge();
      expect([after.minted, after.paid]).to.deep.equal([minted, paid]);
      proxy.set({});
      await api.ready();
      await settled();
    });

    it("ends a process of another network at its start with one line", async () => {
      const environment = { ...system().environment, ...MAINNET };
      const other = supervise({ name: "api", script: "api/main.ts", url: "", environment });
      other.start();
      await until("it has said why", () => /not 88888|deployments/.test(other.output()));
      await until("it ended", () => other.crashes() > 0);
      await other.stop("SIGKILL");
    });
  });
});

describe("Reorgs and lost pools (F5, F7) @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem({ environment: { CONFIRMATIONS: "3", PAYOUT_CONFIRMATIONS: "3" } });
  });
  after(() => system?.stop());

  for (const [depth, tag] of [
    [1, ""],
    [4, " @deep"],
    [12, ""],
  ] as const) {
    it(`sends the same transactions again after a reorg ${depth} deep, and pays once (F5)${tag}`, async () => {
      const buyer = await system.shopper();
      const id = await buyer.buy(1, 10 * depth);
      await system.settled();
      const [before] = (await system.ledger()).paymentsOf(id);
      await system.anvil.request("anvil_reorg", depth, []);
      await system.settled();
      const [after, ...others] = (await system.ledger()).paymentsOf(id);
      expect(others).to.deep.equal([]);
      expect(after?.transactionHash).to.equal(before?.transactionHash);
    });
  }

  it("shows nothing as paid before it is final (F5)", async () => {
    await system.anvil.request("evm_setIntervalMining", 0);
    const buyer = await system.shopper();
    const id = await buyer.buy(1, 77);
    const stateOf = async () => (await buyer.me()).purchases.find((one) => one.id === id)?.cashback_state;
    await until("the payout is on the chain", async () => {
      // Mints, confirmations and payouts each wait for depth: blocks are mined only on request.
      if ((await system.ledger()).paymentsOf(id).length === 1) return true;
      await system.anvil.request("anvil_mine", "0x1");
      return false;
    });
    await delay(1_500);
    expect(await stateOf()).not.to.equal("paid");
    await system.anvil.request("anvil_mine", "0x10");
    await until("it is shown as paid", async () => (await stateOf()) === "paid");
    await system.anvil.request("evm_setIntervalMining", 1);
  });

  it("continues after a restart of the node, whose pool is lost (F7)", async () => {
    const buyer = await system.shopper();
    await system.anvil.request("evm_setAutomine", false);
    await system.anvil.request("evm_setIntervalMining", 0);
    const id = await buyer.buy(1, 44);
    const status = () => system.anvil.request<{ pending: string }>("txpool_status");
    await until("the mint is in the pool", async () => Number((await status()).pending) > 0);
    await system.restartChain();
    expect(Number((await status()).pending), "a pool that outlived its node").to.equal(0);
    await system.settled();
    expect((await system.ledger()).paymentsOf(id)).to.have.length(1);
  });

  it("resends what the node's pool has lost (F7)", async () => {
    const buyer = await system.shopper();
    system.proxy.set({});
    await system.anvil.request("evm_setAutomine", false);
    await system.anvil.request("evm_setIntervalMining", 0);
    await buyer.buy(1, 33);
    const pending = async () => Number((await system.anvil.request<{ pending: string }>("txpool_status")).pending);
    await until("the mint is in the pool", async () => (await pending()) > 0);
    await system.anvil.request("anvil_dropAllTransactions");
    await until("it is in the pool again", async () => (await pending()) > 0);
    await system.anvil.request("evm_setAutomine", true);
    await system.anvil.request("evm_setIntervalMining", 1);
    await system.settled();
  });
});
