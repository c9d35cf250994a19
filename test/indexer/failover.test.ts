import { expect } from "chai";
import { type Supervised, supervise } from "../faults/support/supervised.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onEitherEngine } from "../testing/databases.ts";
import {
  buyerOf,
  CASHBACK_DISTRIBUTOR,
  emit,
  mintEvents,
  PURCHASE_NFT,
  placeEmitters,
} from "../testing/event-chain.ts";
import { freePorts } from "../testing/free-port.ts";
import { until } from "../testing/until.ts";
import { readIndex } from "./support/running-indexer.ts";

/** A generous limit: the lease lasts three seconds. */
const TAKE_OVER_MS = 120_000;

describe("Two indexers on one database", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let indexers: Supervised[] = [];
  beforeEach(async () => {
    anvil = await startAnvil({ manualBlocks: true, extraArguments: ["--gas-limit", "1000000000"] });
    await placeEmitters(anvil);
  });
  afterEach(async () => {
    await Promise.all(indexers.map((indexer) => indexer.stop("SIGKILL")));
    indexers = [];
    await anvil.stop();
  });

  onEitherEngine(({ open }) => {
    const startTwo = async () => {
      const { database, url: databaseUrl } = await open();
      const mint = async (id: bigint) => {
        await emit(anvil, mintEvents({ tokenId: id, buyer: buyerOf(Number(id)) }));
        const isThere = async () => (await readIndex(database)).nfts.some((nft) => nft.token_id === id);
        await until(`ticket ${id} is indexed`, isThere, TAKE_OVER_MS);
      };
      for (const port of await freePorts(2)) indexers.push(supervised(databaseUrl, port, anvil));
      const [first, second] = indexers as [Supervised, Supervised];
      first.start();
      await until("the first leads", () => leads(first));
      second.start();
      await until("the second stands by", async () => (await stateOf(second)) === "standby");
      await mint(1n);
      return { database, first, second, mint };
    };

    it("the standby takes over within seconds after a kill -9", async () => {
      const { first, second, mint, database } = await startTwo();
      await first.stop("SIGKILL");
      await mint(2n);
      expect(await leads(second)).to.equal(true);
      const lease = await database.kysely.selectFrom("leases").selectAll().executeTakeFirst();
      expect(lease?.fencing_token).to.equal(2n);
    });

    it("a paused leader notices that it was replaced, and writes nothing", async () => {
      const { first, second, mint } = await startTwo();
      process.kill(first.pid(), "SIGSTOP");
      await mint(2n);
      expect(await leads(second)).to.equal(true);
      process.kill(first.pid(), "SIGCONT");
      await until("the old leader stands by", async () => (await stateOf(first)) === "standby");
      await mint(3n);
      expect([await leads(first), await leads(second)]).to.deep.equal([false, true]);
      expect([first.crashes(), second.crashes()]).to.deep.equal([0, 0]);
    });

    it("the standby takes over at once when the leader ends normally", async () => {
      const { first, second } = await startTwo();
      expect(await first.stop("SIGTERM")).to.equal(0);
      await until("the second leads", () => leads(second), TAKE_OVER_MS);
    });
  });
});

function supervised(databaseUrl: string, port: number, anvil: Anvil): Supervised {
  return supervise({
    name: "indexer",
    script: "indexer/main.ts",
    url: `http://127.0.0.1:${port}`,
    environment: {
      DATABASE_URL: databaseUrl,
      NETWORK: "localhost",
      RPC_URLS: anvil.rpcUrl,
      INDEXER_PORT: String(port),
      START_BLOCK: "0",
      PURCHASE_NFT_ADDRESS: PURCHASE_NFT,
      CASHBACK_DISTRIBUTOR_ADDRESS: CASHBACK_DISTRIBUTOR,
    },
  });
}

async function stateOf({ url }: Supervised): Promise<unknown> {
  return ((await (await fetch(`${url}/readyz`)).json()) as { state: unknown }).state;
}

async function leads({ url }: Supervised): Promise<boolean> {
  return /^torcida_indexer_leader 1$/m.test(await (await fetch(`${url}/metrics`)).text());
}
