import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { CONTRACT_EVENT_TOPICS } from "../../core/chain/contract-events.ts";
import { findBrokenAudit } from "../../core/database/audit-log.ts";
import type { Database } from "../../core/database/connect.ts";
import { readCursor } from "../../indexer/store/chain-index.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onBothEngines } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { LIMITS, openShop, roleId, type Shop } from "./support/contract-shop.ts";
import { caughtUp, type RunningIndexer, type StartIndexerParameters, startIndexer } from "./support/running-indexer.ts";
import { startScriptedNode } from "./support/scripted-node.ts";

/** More than the time after which the test's indexer looks for new blocks. */
const LOOK_MS = 100;

describe("The watchman", function () {
  this.timeout(240_000);
  let anvil: Anvil;
  let shop: Shop;
  const running: RunningIndexer[] = [];
  beforeEach(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    shop = await openShop(anvil);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((indexer) => indexer.stop()));
    await anvil.stop();
  });

  onBothEngines(({ open }) => {
    /** Starts it on a new database, or again on the same one. */
    const openWatched = async (more: Partial<StartIndexerParameters> = {}) => {
      const { database, url } = await open();
      const start = async () => {
        const parameters = { databaseUrl: url, rpcUrls: [anvil.rpcUrl], source: shop.source, ...more };
        running.push(await startIndexer(parameters));
        await seen();
      };
      const seen = async () => {
        await caughtUp(database, anvil);
        await until("it watches", async () => (await readActs(database)).untold === 0);
      };
      await start();
      return { database, start, seen, stop: () => running.pop()?.stop() };
    };

    it("tells each act of a cold key once, and rings; what was there before is listed alone", async () => {
      const { database, start, stop, seen } = await openWatched();
      const first = await readActs(database);
      expect(first.standings).to.deep.equal(new Set(["listed"]));
      expect(first.log).to.include.members(["chain.RoleGranted", "chain.SiteUrlSet", "chain.LimitsSet"]);
      expect(first.details.every(({ rang }) => rang === false)).to.equal(true);

      await shop.nft.send("grantRole", [roleId("MINTER_ROLE"), shop.people.minter]);
      await shop.nft.send("grantRole", [roleId("CATALOGUE_ROLE"), shop.people.admin]);
      await shop.nft.send("registerStore", [1, "Loja"]);
      await shop.distributor.send("setLimits", [{ ...LIMITS, dailyCap: 2n ** 96n }]);
      await shop.pay(shop.distributor.address, 7n);
      await seen();
      const { log, details, rung } = await readActs(database);
      expect(log.slice(first.log.length)).to.deep.equal(["chain.RoleGranted", "chain.RoleGranted", "chain.LimitsSet"]);
      expect(rung).to.deep.equal(["RoleGranted", "RoleGranted", "LimitsSet"]);
      expect(details.at(-3)).to.include({
        contract: "PurchaseNFT",
        role: "MINTER_ROLE",
        account: shop.people.minter.toLowerCase(),
        rang: true,
      });
      expect(details.at(-1)).to.include({ contract: "CashbackDistributor", dailyCap: String(2n ** 96n), rang: true });
      expect(details.at(-1)?.transaction).to.match(/^0x[0-9a-f]{64}$/);
      expect(await findBrokenAudit(database.kysely)).to.equal(undefined);

      // Neither a restart nor an index that is made anew tells one twice, and what happened meanwhile rings.
      await stop();
      await shop.nft.send("setSiteUrl", ["https://phishing.example"]);
      await start();
      await database.kysely.deleteFrom("chain_source").execute();
      await stop();
      await start();
      const again = await readActs(database);
      expect(again.log.slice(log.length)).to.deep.equal(["chain.SiteUrlSet"]);
      expect(again.rung).to.deep.equal([...rung, "SiteUrlSet"]);
    });

    it("rings for what happened since it first watched, though it was killed while it read what was there", async () => {
      const { database, start, stop, seen } = await openWatched();
      await stop();
      const before = (await readActs(database)).log.length;
      // As an index of an earlier version is, and a first start that was killed.
      for (const table of ["contract_events", "contract_acts"] as const)
        await database.kysely.deleteFrom(table).execute();
      await database.kysely.updateTable("watched_contracts").set({ is_read: 0n }).execute();
      await shop.nft.send("setSiteUrl", ["https://phishing.example"]);
      await start();
      await seen();
      const { log, rung, standings } = await readActs(database);
      expect(log.length).to.equal(2 * before + 1);
      expect(rung).to.deep.equal(["SiteUrlSet"]);
      expect(standings).to.deep.equal(new Set(["listed", "rung"]));
    });

    it("lets new blocks be followed while it reads what an earlier version did not", async () => {
      await anvil.request("anvil_mine", "0x1000");
      const { database, url } = await open();
      const parameters = { databaseUrl: url, source: shop.source };
      running.push(await startIndexer({ ...parameters, rpcUrls: [anvil.rpcUrl] }));
      await caughtUp(database, anvil);
      await until("it watches", async () => (await readActs(database)).untold === 0);
      await running.pop()?.stop();
      await database.kysely.deleteFrom("contract_events").execute();
      await database.kysely.updateTable("watched_contracts").set({ is_read: 0n }).execute();
      const asked: number[] = [];
      let mined = 0;
      const node = await startScriptedNode(anvil.rpcUrl, async ({ method, params }) => {
        const { topics } = (params[0] ?? {}) as { topics?: string[][] };
        if (method !== "eth_getLogs" || topics?.[0]?.length !== CONTRACT_EVENT_TOPICS.size) return undefined;
        asked.push((await readCursor(database))?.number ?? 0);
        if (asked.length > 1) return undefined;
        await anvil.request("anvil_mine", "0x1");
        mined = Number(await anvil.request("eth_blockNumber"));
        // By then the next look for blocks is due.
        await delay(LOOK_MS);
        return undefined;
      });
      try {
        running.push(await startIndexer({ ...parameters, rpcUrls: [node.url] }));
        await until("it watches", async () => (await readActs(database)).untold === 0 && asked.length > 1);
        expect(asked[0]).to.equal(mined - 1);
        expect(asked[1]).to.equal(mined);
      } finally {
        await running.pop()?.stop();
        await node.stop();
      }
    });

    it("makes one row of what the deployment's own transactions did, and rings for none of it", async () => {
      const { client, distributor, nft } = shop;
      const deploymentTransactions: string[] = [];
      // Not the number that the client remembers for a while.
      for (let block = 1n; block <= (await client.getBlockNumber({ cacheTime: 0 })); block++)
        deploymentTransactions.push(...(await client.getBlock({ blockNumber: block })).transactions);
      const { database, seen } = await openWatched({ deploymentTransactions });
      await nft.send("setSiteUrl", ["https://other.example"]);
      await seen();
      const { log, details, standings, rung } = await readActs(database);
      expect(log).to.deep.equal(["chain.Deployed", "chain.SiteUrlSet"]);
      expect(details[0]).to.include({ acts: 5 });
      expect(standings).to.deep.equal(new Set(["deployed", "rung"]));
      expect(rung).to.deep.equal(["SiteUrlSet"]);
      expect(distributor.address).to.match(/^0x/);
    });

    it("keeps the row of an act that a reorg took, and tells it once if it is mined again", async () => {
      const { database, seen } = await openWatched();
      const { length } = (await readActs(database)).log;
      await anvil.request("anvil_mine", "0x2");
      const { transactionHash } = await shop.nft.send("setSiteUrl", ["https://other.example"]);
      await seen();
      const raw = await anvil.request("anvil_reorg", 1, []);
      expect(raw).to.equal(null);
      await anvil.request("anvil_mine", "0x2");
      await seen();
      const indexed = () =>
        database.kysely.selectFrom("contract_events").select("event").where("transaction_hash", "=", transactionHash);
      expect(await indexed().execute()).to.deep.equal([]);
      expect((await readActs(database)).log.slice(length)).to.deep.equal(["chain.SiteUrlSet"]);
      await shop.nft.send("setSiteUrl", ["https://other.example"]);
      await seen();
      expect((await readActs(database)).log.slice(length)).to.deep.equal(["chain.SiteUrlSet", "chain.SiteUrlSet"]);
    });
  });
});

async function readActs({ kysely }: Database) {
  const acts = await kysely.selectFrom("contract_acts").selectAll().orderBy("id").execute();
  const rows = await kysely.selectFrom("audit_log").select(["action", "detail"]).orderBy("id").execute();
  const watched = await kysely.selectFrom("watched_contracts").select("contract").execute();
  const said = await kysely.selectFrom("contract_events").select(["event", "transaction_hash"]).execute();
  const told = new Set(acts.map((act) => `${act.transaction_hash} ${act.event}`));
  const cold = said.filter(({ event }) => !ROUTINE.includes(event));
  return {
    log: rows.map(({ action }) => action),
    details: rows.map(({ detail }): Record<string, unknown> => JSON.parse(detail)),
    standings: new Set(acts.map(({ standing }) => standing)),
    rung: acts.filter(({ standing }) => standing === "rung").map(({ event }) => event),
    untold: watched.length === 0 ? -1 : cold.filter((one) => !told.has(`${one.transaction_hash} ${one.event}`)).length,
  };
}

const ROUTINE = ["StoreRegistered", "Funded"];
