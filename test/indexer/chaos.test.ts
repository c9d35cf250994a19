/**
 * The indexer with all faults at once, by a seed: reorgs, lying and frozen nodes, outages, `kill -9`. A longer run, or
 * a repetition: CHAOS_SECONDS=600 CHAOS_SEED=7 npx mocha test/indexer/chaos.test.ts
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { Database } from "../../core/database/connect.ts";
import { between, pick, type Random, seededRandom } from "../faults/support/random.ts";
import { type Supervised, supervise } from "../faults/support/supervised.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onEitherEngine } from "../testing/databases.ts";
import {
  buyerOf,
  CASHBACK_DISTRIBUTOR,
  type EventRecord,
  emit,
  emitterInput,
  mintEvents,
  PURCHASE_NFT,
  paymentEvent,
  placeEmitters,
  statusEvents,
} from "../testing/event-chain.ts";
import { freePorts } from "../testing/free-port.ts";
import { until } from "../testing/until.ts";
import { foldChain, readIndexText } from "./support/fresh-fold.ts";
import { FORGED_ID, type LyingNode, startLyingNode } from "./support/lying-node.ts";

const SECONDS = Number(process.env.CHAOS_SECONDS ?? 8);
const SEED = Number(process.env.CHAOS_SEED ?? 1);

const FIRST_BLOCKS = 300;
const LEAST_EVENTS = 100;
const DEEPEST_KEPT = 64;
/** More than the 256 newest blocks, whose hashes are all kept. */
const PAST_KEPT = 290;
const SPOILED_PERCENT = 15;
const LOOK_ALIKE = "0x4444444444444444444444444444444444444444";

describe("Chaos @deep", () => {
  onEitherEngine(({ name, open }) => {
    it(`ends with the canonical chain's own fold, row for row (${name}, seed ${SEED}, ${SECONDS} s) (F33)`, async function () {
      this.timeout((SECONDS + 120) * 1_000);
      const { database, url: databaseUrl } = await open();
      const random = seededRandom(SEED);
      const anvil = await startAnvil({ manualBlocks: true, extraArguments: ["--no-mining"] });
      const nodes: LyingNode[] = [];
      const indexers: Supervised[] = [];
      try {
        await placeEmitters(anvil, [PURCHASE_NFT, CASHBACK_DISTRIBUTOR, LOOK_ALIKE]);
        const world = new World(anvil, random);
        for (let block = 0; block < FIRST_BLOCKS; block++) await world.step(0.3);
        nodes.push(await startLyingNode(anvil.rpcUrl, random), await startLyingNode(anvil.rpcUrl, random));
        // Two processes: one indexes, the other takes over when it is killed.
        for (const port of await freePorts(2)) indexers.push(superviseIndexer(databaseUrl, nodes, port));
        for (const indexer of indexers) indexer.start();

        for (const node of nodes) node.spoil(SPOILED_PERCENT);
        const end = performance.now() + SECONDS * 1_000;
        let isDeepDone = false;
        // A slow machine mines fewer blocks in the given time, so it continues until the chain is long enough to prove
        // something.
        const isEnough = async () => (await foldChain(anvil.rpcUrl)).events.length > LEAST_EVENTS;
        while (performance.now() < end || !(await isEnough())) {
          await world.step(0.8);
          const dice = random();
          if (dice < 0.03) await pick(random, indexers).kill();
          else if (dice < 0.08) await world.reorg(between(random, 1, DEEPEST_KEPT));
          else if (dice < 0.1) pick(random, nodes).down();
          else if (dice < 0.2) for (const node of nodes) node.up();
          if (!isDeepDone && end - performance.now() < SECONDS * 500) {
            await world.reorg(PAST_KEPT);
            isDeepDone = true;
          }
          await delay(between(random, 0, 60));
          await expectNothingForged(database);
        }

        for (const node of nodes) {
          node.up();
          node.spoil(0);
        }
        for (const indexer of indexers) await indexer.kill();
        await world.step(1);
        const expected = await foldChain(anvil.rpcUrl);
        const isEqual = async () => JSON.stringify(await readIndexText(database)) === JSON.stringify(expected);
        await until("the index equals the fold", isEqual, 60_000).catch(() => {});
        const tale = `seed ${SEED}; ${world.tale()}; lies ${JSON.stringify(nodes.map((node) => [...node.counts]))}`;
        expect(await readIndexText(database), tale).to.deep.equal(expected);
        for (const indexer of indexers) expect(indexer.lastWords()).to.equal("");
      } finally {
        for (const indexer of indexers) await indexer.stop("SIGKILL");
        for (const node of nodes) await node.stop();
        await anvil.stop("SIGKILL");
      }
    });
  });
});

/** An invented event must not appear even for a moment. */
async function expectNothingForged({ kysely }: Database): Promise<void> {
  const forged = await kysely.selectFrom("nfts").selectAll().where("token_id", "=", FORGED_ID).execute();
  expect(forged).to.deep.equal([]);
}

function superviseIndexer(databaseUrl: string, nodes: readonly LyingNode[], port: number): Supervised {
  return supervise({
    name: "indexer",
    script: "indexer/main.ts",
    url: `http://127.0.0.1:${port}`,
    environment: {
      DATABASE_URL: databaseUrl,
      NETWORK: "localhost",
      RPC_URLS: nodes.map((node) => node.url).join(","),
      INDEXER_PORT: String(port),
      PURCHASE_NFT_ADDRESS: PURCHASE_NFT,
      CASHBACK_DISTRIBUTOR_ADDRESS: CASHBACK_DISTRIBUTOR,
      START_BLOCK: "0",
      LOG_LEVEL: "warn",
    },
  });
}

/** A chain with purchases that are minted, confirmed and paid, and with reorgs. */
class World {
  readonly #anvil: Anvil;
  readonly #random: Random;
  #purchases = 0;
  #blocks = 0;
  readonly #reorgs: number[] = [];

  constructor(anvil: Anvil, random: Random) {
    this.#anvil = anvil;
    this.#random = random;
  }

  tale(): string {
    return `${this.#purchases} purchases, reorgs ${this.#reorgs.join(" ")}`;
  }

  /** Adds a block, with this probability of events. */
  async step(chance: number): Promise<void> {
    if (this.#random() < chance) await emit(this.#anvil, this.#events());
    if (this.#random() < chance / 4) await this.#deceive();
    await this.#anvil.request("anvil_mine", "0x1");
    this.#blocks += 1;
  }

  async reorg(depth: number): Promise<void> {
    const head = Number(await this.#anvil.request<string>("eth_blockNumber"));
    const real = Math.min(depth, head - 2);
    this.#reorgs.push(real);
    // New blocks on the other branch, at random heights.
    const others = Array.from({ length: between(this.#random, 0, 5) }, () => {
      const nft = this.#events().filter((event) => event.from === "nft");
      const to = PURCHASE_NFT;
      return [{ from: SENDER, to, data: emitterInput(nft), gas: "0x989680" }, between(this.#random, 0, real - 1)];
    });
    await this.#anvil.request("anvil_reorg", real, others);
  }

  #events(): EventRecord[] {
    const events: EventRecord[] = [];
    for (let count = between(this.#random, 1, 4); count > 0; count--) {
      const known = BigInt(between(this.#random, 1, Math.max(1, this.#purchases)));
      const dice = this.#random();
      if (dice < 0.5 || this.#purchases === 0) {
        this.#purchases += 1;
        const tokenId = BigInt(this.#purchases);
        events.push(...mintEvents({ tokenId, buyer: buyerOf(this.#purchases % 17), storeId: this.#purchases % 8 }));
      } else if (dice < 0.75) events.push(...statusEvents(known, this.#random() < 0.8 ? 2 : 3));
      else {
        const kind = this.#random() < 0.9 ? "CashbackPaid" : "CashbackDeferred";
        events.push(paymentEvent(known, buyerOf(Number(known) % 17), known * 10n ** 9n, kind));
      }
    }
    return events;
  }

  /** Foreign events: the same kinds from another contract, and an id that cannot be ours. */
  async #deceive(): Promise<void> {
    await emit(this.#anvil, mintEvents({ tokenId: 999_999n, buyer: buyerOf(0) }), () => LOOK_ALIKE);
    await emit(this.#anvil, mintEvents({ tokenId: 2n ** 63n, buyer: buyerOf(0) }));
  }
}

const SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
