import { expect } from "chai";
import { openLog } from "../../core/process/log.ts";
import { IndexerBusyError, runIndexer } from "../../indexer/run-indexer.ts";
import { verify } from "../../indexer/verify.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { buyerOf, emit, mintEvents, paymentEvent, placeEmitters, statusEvents } from "../testing/event-chain.ts";
import { freePorts } from "../testing/free-port.ts";
import { until } from "../testing/until.ts";
import {
  caughtUp,
  indexerEnvironment,
  type RunningIndexer,
  readIndex,
  startIndexer,
} from "./support/running-indexer.ts";

describe("Verify and reset", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let running: RunningIndexer | undefined;
  beforeEach(async () => {
    anvil = await startAnvil({ manualBlocks: true, extraArguments: ["--gas-limit", "1000000000"] });
    await placeEmitters(anvil);
    for (let id = 1n; id <= 20n; id++) {
      const buyer = buyerOf(Number(id));
      await emit(anvil, [
        ...mintEvents({ tokenId: id, buyer }),
        ...statusEvents(id),
        paymentEvent(id, buyer, 10n ** 18n),
      ]);
    }
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await anvil.stop();
  });

  onEitherEngine(({ open }) => {
    const indexed = async () => {
      const { database, url } = await open();
      running = await startIndexer({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      return { database, url };
    };
    const stop = async () => {
      await running?.stop();
      running = undefined;
    };
    const environmentOf = async (url: string) =>
      indexerEnvironment({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] }, (await freePorts(1))[0] ?? 0);
    const differencesOf = async (url: string) => {
      const lines: string[] = [];
      const environment = await environmentOf(url);
      const parameters = { environment, log: openLog("silent"), signal: new AbortController().signal };
      const count = await verify({ ...parameters, report: (line) => lines.push(line) });
      expect(count).to.equal(lines.length);
      return lines;
    };

    it("finds no difference if there is none", async () => {
      const { url } = await indexed();
      await stop();
      expect(await differencesOf(url)).to.deep.equal([]);
    });

    it("names each difference", async () => {
      const { database, url } = await indexed();
      await stop();
      const { events } = await readIndex(database);
      const missing = events[5];
      await database.kysely
        .deleteFrom("chain_events")
        .where("block_number", "=", missing?.block_number ?? 0n)
        .where("log_index", "=", missing?.log_index ?? 0n)
        .execute();
      await database.kysely.updateTable("nfts").set({ status: 1n }).where("token_id", "=", 7n).execute();
      await database.kysely.updateTable("payouts").set({ amount_gwei: 5n }).where("token_id", "=", 8n).execute();
      await database.kysely.updateTable("chain_blocks").set({ hash: "0xbad" }).where("number", "=", 9n).execute();
      const lines = (await differencesOf(url)).join("\n");
      expect(lines).to.include(`block ${missing?.block_number}, log ${missing?.log_index}: missing ${missing?.kind}`);
      expect(lines).to.include("ticket 7: status is 1, its events say 2");
      expect(lines).to.include("payout 8: amount_gwei is 5, its events say 1000000000");
      expect(lines).to.include("block 9: indexed as 0xbad");
    });

    it("rebuilds a damaged index, and returns when it is complete", async () => {
      const { database, url } = await indexed();
      const before = await readIndex(database);
      await stop();
      await database.kysely.deleteFrom("nfts").where("token_id", ">", 3n).execute();
      await database.kysely.updateTable("chain_events").set({ arguments: "{}" }).execute();
      const parameters = { environment: await environmentOf(url), log: openLog("silent"), reset: true };
      await runIndexer({ ...parameters, signal: new AbortController().signal });
      expect(await readIndex(database)).to.deep.equal(before);
    });

    it("does not rebuild while another process indexes", async () => {
      const { url } = await indexed();
      const parameters = { environment: await environmentOf(url), log: openLog("silent"), reset: true };
      const outcome = runIndexer({ ...parameters, signal: new AbortController().signal });
      expect(await outcome.catch((error: unknown) => error)).to.be.instanceOf(IndexerBusyError);
    });

    it("repairs by itself what a node omitted", async () => {
      const { database, url } = await indexed();
      const before = await readIndex(database);
      await stop();
      await database.kysely.deleteFrom("chain_events").where("token_id", "=", 12n).execute();
      await database.kysely.deleteFrom("nfts").where("token_id", "=", 12n).execute();
      running = await startIndexer({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await until("the index is complete again", async () => {
        const now = await readIndex(database);
        expect(now).to.deep.equal(before);
        return true;
      });
    });
  });
});
