import { expect } from "chai";
import { sql } from "kysely";
import { requestedSecondRead, requestSecondRead } from "../../core/database/second-read.ts";
import { openLog } from "../../core/process/log.ts";
import { WrongChainError } from "../../core/process/rpc/node-pool.ts";
import { runIndexer } from "../../indexer/run-indexer.ts";
import { foldDifferences } from "../../indexer/verify.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onEitherEngine } from "../testing/databases.ts";
import {
  buyerOf,
  CASHBACK_DISTRIBUTOR,
  type EventRecord,
  emit,
  mintEvents,
  paymentEvent,
  placeEmitters,
  rateEvent,
  statusEvents,
} from "../testing/event-chain.ts";
import { freePorts } from "../testing/free-port.ts";
import { until } from "../testing/until.ts";
import {
  caughtUp,
  indexerEnvironment,
  type RunningIndexer,
  readIndex,
  startIndexer,
} from "./support/running-indexer.ts";
import { startScriptedNode } from "./support/scripted-node.ts";

const PAID_WEI = 2_500_000_000_000_000_001n;

describe("Indexing", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  const running: RunningIndexer[] = [];
  const start = async (parameters: Parameters<typeof startIndexer>[0]) => {
    const indexer = await startIndexer(parameters);
    running.push(indexer);
    return indexer;
  };
  beforeEach(async () => {
    anvil = await startAnvil({ manualBlocks: true, extraArguments: ["--gas-limit", "1000000000"] });
    await placeEmitters(anvil);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((indexer) => indexer.stop()));
    await anvil.stop();
  });

  onEitherEngine(({ name, open }) => {
    if (name === "PostgreSQL") {
      it("continues by itself after the database closed every connection", async () => {
        const { database, url } = await open();
        const indexer = await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
        await emit(anvil, purchase(1n));
        await caughtUp(database, anvil);
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(database.kysely);
        await emit(anvil, purchase(2n));
        await caughtUp(database, anvil);
        expect((await readIndex(database)).payouts).to.have.length(2);
        await until("ready again", async () => (await indexer.readiness()).code === 200);
      });
    }

    it("folds the life of a purchase to one ticket and one payout", async () => {
      const { database, url } = await open();
      await emit(anvil, purchase(1n));
      await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      const { events, nfts, payouts } = await readIndex(database);
      expect(events.map((event) => event.kind)).to.deep.equal(["PurchaseMinted", "StatusUpdated", "CashbackPaid"]);
      expect(events[2]?.arguments).to.equal(`{"recipient":"${buyerOf(1)}","amountWei":"${PAID_WEI}"}`);
      expect(nfts).to.have.length(1);
      expect(nfts[0]).to.include({ token_id: 1n, owner: buyerOf(1), value_cents: 10_000n, status: 2n });
      expect(payouts[0]).to.include({ token_id: 1n, amount_gwei: 2_500_000_001n, state: "paid" });
    });

    it("keeps the rate of a payment's transaction, and is right beside payments that an earlier version read", async () => {
      const { database, url } = await open();
      const { kysely } = database;
      await emit(anvil, [...mintEvents({ tokenId: 1n, buyer: buyerOf(1) }), ...statusEvents(1n)]);
      await emit(anvil, [rateEvent(10n ** 16n), paymentEvent(1n, buyerOf(1), PAID_WEI)]);
      const first = await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      const rates = async () => {
        const { events, payouts } = await readIndex(database);
        return [...events.slice(2), ...payouts].map(({ wei_per_cent }) => wei_per_cent);
      };
      expect(await rates()).to.deep.equal([10n ** 16n, 10n ** 16n]);
      const { signal } = new AbortController();
      for await (const difference of foldDifferences(database, signal)) throw new Error(difference);
      await first.stop();
      // As an earlier version left them.
      await kysely.updateTable("chain_events").set({ wei_per_cent: null }).execute();
      await kysely.updateTable("payouts").set({ wei_per_cent: null }).execute();
      await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await requestSecondRead(kysely, 0);
      await until("it is read again", async () => !(await requestedSecondRead(kysely)));
      expect(await rates(), "no difference").to.deep.equal([null, null]);
      // A wrong rate is one.
      await kysely.updateTable("chain_events").set({ wei_per_cent: 1n }).where("kind", "=", "CashbackPaid").execute();
      await requestSecondRead(kysely, 0);
      await until("it is repaired", async () => (await rates()).every((rate) => rate === 10n ** 16n));
    });

    it("continues where it stopped, over a gap longer than the kept blocks (F34)", async () => {
      const { database, url } = await open();
      await emit(anvil, purchase(1n));
      const first = await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      await first.stop();
      running.splice(0);
      await emit(anvil, purchase(2n));
      await anvil.request("anvil_mine", "0x200");
      await emit(anvil, purchase(3n));
      const second = await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      const { nfts, payouts } = await readIndex(database);
      expect(nfts.map((nft) => nft.token_id)).to.deep.equal([1n, 2n, 3n]);
      expect(payouts).to.have.length(3);
      expect(await second.metric("torcida_indexer_events_total")).to.equal(6);
    });

    it("rolls back a reorg, and folds the affected ticket again", async () => {
      const { database, url } = await open();
      await emit(anvil, mintEvents({ tokenId: 1n, buyer: buyerOf(1) }));
      await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      const snapshot = await anvil.request<string>("evm_snapshot");
      await emit(anvil, [...statusEvents(1n), paymentEvent(1n, buyerOf(1), PAID_WEI)]);
      await emit(anvil, purchase(2n));
      await caughtUp(database, anvil);
      expect((await readIndex(database)).payouts).to.have.length(2);

      await anvil.request("evm_revert", snapshot);
      await anvil.request("evm_increaseTime", 7);
      await emit(anvil, statusEvents(1n, 3));
      await emit(anvil, purchase(3n));
      await anvil.request("anvil_mine", "0x4");
      await caughtUp(database, anvil);
      const { events, nfts, payouts } = await readIndex(database);
      expect(nfts.map((nft) => [nft.token_id, nft.status])).to.deep.equal([
        [1n, 3n],
        [3n, 2n],
      ]);
      expect(payouts.map((payout) => payout.token_id)).to.deep.equal([3n]);
      expect(events).to.have.length(5);
    });

    it("notices that the chain is shorter after a restart", async () => {
      const { database, url } = await open();
      await emit(anvil, purchase(1n));
      await anvil.request("anvil_mine", "0x10");
      await emit(anvil, purchase(2n));
      await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      await anvil.request("anvil_rollback", 8);
      await emit(anvil, mintEvents({ tokenId: 9n, buyer: buyerOf(9) }));
      await caughtUp(database, anvil);
      expect((await readIndex(database)).nfts.map((nft) => nft.token_id)).to.deep.equal([1n, 9n]);
    });

    it("reads nothing from a recreated chain until an operator confirms it", async () => {
      const { database, url } = await open();
      await emit(anvil, purchase(1n));
      const indexer = await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      await anvil.stop();
      anvil = await startAnvil({
        manualBlocks: true,
        port: anvil.port,
        extraArguments: ["--gas-limit", "1000000000", "--timestamp", "1700000000"],
      });
      await placeEmitters(anvil);
      await emit(anvil, mintEvents({ tokenId: 9n, buyer: buyerOf(9) }));
      await until("it says so", async () =>
        /another chain.*block 0 is/.test(String((await indexer.readiness()).body.reason)),
      );
      expect((await indexer.readiness()).code).to.equal(503);
      expect(await indexer.metric("torcida_rpc_contradictions_total")).to.be.greaterThan(0);
      expect((await readIndex(database)).nfts.map((nft) => nft.token_id)).to.deep.equal([1n]);
      await indexer.stop();
      const parameters = { databaseUrl: url, rpcUrls: [anvil.rpcUrl] };
      const environment = indexerEnvironment(parameters, (await freePorts(1))[0] ?? 0);
      const run = { environment, log: openLog("silent"), signal: new AbortController().signal };
      const refused = await runIndexer(run).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(WrongChainError);
      await runIndexer({ ...run, reset: true });
      expect((await readIndex(database)).nfts.map((nft) => nft.token_id)).to.deep.equal([9n]);
    });

    it("deletes nothing if a verified URL switches to another chain without breaking a connection (F4)", async () => {
      const { database, url } = await open();
      const other = await startAnvil({ manualBlocks: true, extraArguments: ["--timestamp", "1700000000"] });
      await placeEmitters(other);
      await other.request("anvil_mine", "0x80");
      let isOther = false;
      const balancer = await startScriptedNode(anvil.rpcUrl, async ({ method, params }) =>
        isOther ? { result: await other.request(method, ...params) } : undefined,
      );
      try {
        await emit(anvil, purchase(1n));
        const indexer = await start({ databaseUrl: url, rpcUrls: [balancer.url] });
        await caughtUp(database, anvil);
        isOther = true;
        const seen = balancer.calls.length;
        await until("it has looked at the other chain", () => balancer.calls.length > seen + 10);
        await until("it is not ready", async () => (await indexer.readiness()).code === 503);
        expect((await readIndex(database)).payouts).to.have.length(1);
        expect(await indexer.metric("torcida_indexer_reorgs_total")).to.equal(0);
        isOther = false;
        await emit(anvil, purchase(2n));
        await caughtUp(database, anvil);
        await until("it is ready again", async () => (await indexer.readiness()).code === 200);
        expect((await readIndex(database)).payouts).to.have.length(2);
      } finally {
        await balancer.stop();
        await other.stop();
      }
    });

    it("ignores an id that cannot be a purchase of this shop (F32)", async () => {
      const { database, url } = await open();
      await emit(anvil, [...mintEvents({ tokenId: 2n ** 63n, buyer: buyerOf(1) }), ...purchase(2n ** 63n - 1n)]);
      const indexer = await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      expect((await readIndex(database)).nfts.map((nft) => nft.token_id)).to.deep.equal([2n ** 63n - 1n]);
      expect(await indexer.metric("torcida_indexer_ignored_events_total")).to.equal(1);
    });

    it("rebuilds the index for other contracts", async () => {
      const { database, url } = await open();
      const other = "0x3333333333333333333333333333333333333333";
      await placeEmitters(anvil, [other]);
      await emit(anvil, purchase(1n));
      await emit(anvil, mintEvents({ tokenId: 5n, buyer: buyerOf(5) }), () => other);
      const first = await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      expect((await readIndex(database)).nfts.map((nft) => nft.token_id)).to.deep.equal([1n]);
      await first.stop();
      running.splice(0);
      await placeEmitters(anvil, [other, CASHBACK_DISTRIBUTOR]);
      await start({ databaseUrl: url, rpcUrls: [anvil.rpcUrl], purchaseNft: other });
      await until("the other contract's ticket is indexed", async () => {
        const { nfts } = await readIndex(database);
        return nfts.length === 1 && nfts[0]?.token_id === 5n;
      });
    });

    it("indexes a new event within a fraction of a second, and reports that it is ready", async () => {
      const { database, url } = await open();
      const indexer = await start({
        databaseUrl: url,
        rpcUrls: [anvil.rpcUrl],
        webSocketUrls: [anvil.webSocketUrl],
      });
      await until("ready", async () => (await indexer.readiness()).code === 200);
      await emit(anvil, purchase(1n));
      await until("the payout is indexed", async () => (await readIndex(database)).payouts.length === 1, 2_000);
      const { body } = await indexer.readiness();
      expect(body).to.include({ ready: true, state: "live", lag_blocks: 0, rpc: anvil.rpcUrl });
      await anvil.stop();
      anvil = await startAnvil({ manualBlocks: true });
    });
  });
});

function purchase(tokenId: bigint): EventRecord[] {
  const buyer = buyerOf(Number(tokenId % 1_000n));
  return [...mintEvents({ tokenId, buyer }), ...statusEvents(tokenId), paymentEvent(tokenId, buyer, PAID_WEI)];
}
