import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import { type FaultRates, LIES as KINDS_OF_LIES, lying } from "../faults/support/chaos-proxy.ts";
import type { FaultSystem } from "../faults/support/fault-system.ts";
import { patiently } from "../faults/support/patiently.ts";
import { between, pick, type Random, seededRandom } from "../faults/support/random.ts";
import type { Shopper } from "../testing/shopper.ts";
import { fillWallet, relieve, runOut } from "./scarcity.ts";
import { BACK_MS, GONE_MS, type Weather, type Witness } from "./witness.ts";

/** Accounts of the node that belong to nobody in Torcida. */
const FIRST_STRANGER = 5;
const MOST_WEI = 10 ** 15;

/** How a lying fallback node answers. */
export const LIES = lying(1 / 3);

const SHOPPERS = 4;
const PATIENCE_MS = 120_000;
const GREATEST_REORG = 12;
/** Earns more than any limit that `runOut` sets. */
const TEMPTING = { store: 1, amount: 500 };

export type StormOptions = {
  system: FaultSystem;
  witness: Witness;
  seed: number;
  withLies: boolean;
  /** Collects sentences about violations. */
  observed: string[];
};

type Act =
  | "kills"
  | "reorgs"
  | "newLies"
  | "weathers"
  | "chainRestarts"
  | "blackouts"
  | "strayWei"
  | "shortages"
  | "reliefs";

/** Injects faults from a seed while shoppers buy. */
export class Storm {
  readonly #system: FaultSystem;
  readonly #witness: Witness;
  readonly #random: Random;
  readonly #seed: number;
  readonly #withLies: boolean;
  readonly #observed: string[];
  /** Blocks up to this one cannot be reorganised: the first ones contain the contracts and the catalogue. */
  #firmBlocks = 40;

  constructor({ system, witness, seed, withLies, observed }: StormOptions) {
    this.#system = system;
    this.#witness = witness;
    this.#observed = observed;
    this.#seed = seed;
    this.#withLies = withLies;
    this.#random = seededRandom(seed);
  }

  /** Returns how often each fault was injected. */
  async rage(durationMs: number): Promise<Partial<Record<Act, number>>> {
    const random = this.#random;
    const deadline = performance.now() + durationMs;
    const harm: Partial<Record<Act, number>> = {};
    const shoppers = await Promise.all(Array.from({ length: SHOPPERS }, () => this.#system.shopper()));
    const tempted = await this.#system.shopper();
    const buying = shoppers.map((shopper, index) =>
      keepBuying(shopper, seededRandom(this.#seed + index + 1), deadline),
    );
    while (performance.now() < deadline) {
      await delay(between(random, 200, 2_500));
      const [name, act] = pick(random, this.#acts(tempted));
      await act();
      await fillWallet(this.#system);
      harm[name] = (harm[name] ?? 0) + 1;
    }
    await Promise.all(buying);
    return harm;
  }

  #acts(tempted: Shopper): [Act, () => Promise<unknown> | undefined][] {
    const { api, indexer } = this.#system;
    const weather = async () => this.#turn(drawWeather(this.#random));
    const stray = () => sendStrayWei(this.#system, this.#random);
    return [
      ["kills", () => api.kill()],
      ["kills", () => indexer.kill()],
      ["weathers", weather],
      ["weathers", weather],
      ["reorgs", () => this.#reorganise()],
      ["chainRestarts", () => this.#restartChain()],
      ["blackouts", () => this.#blackout()],
      ...(this.#withLies ? [["newLies", async () => this.#lieAnew()] satisfies [Act, () => Promise<void>]] : []),
      ["strayWei", stray],
      ["strayWei", stray],
      ["shortages", () => this.#runOut(tempted)],
      ["reliefs", () => relieve(this.#system)],
    ];
  }

  #turn(rates: FaultRates): void {
    this.#system.proxy.set(rates);
    this.#witness.expect(this.#weatherOf(rates));
  }

  /** The fallback node sometimes lies in any way, or always in one way, or not at all, until the next change. */
  #lieAnew(): void {
    const always = KINDS_OF_LIES.map((lie): FaultRates => ({ [lie]: 1 }));
    this.#system.fallback?.set(pick<FaultRates>(this.#random, [LIES, {}, ...always]));
  }

  async #reorganise(): Promise<void> {
    const { anvil } = this.#system;
    const height = Number(await anvil.request<string>("eth_blockNumber"));
    const depth = Math.min(between(this.#random, 1, GREATEST_REORG), height - this.#firmBlocks);
    if (depth > 0) await anvil.request("anvil_reorg", depth, []);
  }

  async #restartChain(): Promise<void> {
    this.#turn({ drop: 1 });
    await this.#system.restartChain();
    // A restarted node has no earlier state, so it cannot go back further.
    this.#firmBlocks = Number(await this.#system.anvil.request<string>("eth_blockNumber")) + 1;
    this.#turn({});
  }

  /** No node is correct for a while: `/readyz` must report that in time, and recover in time when one is back. */
  async #blackout(): Promise<void> {
    const { proxy, fallback } = this.#system;
    proxy.set(pick<FaultRates>(this.#random, [{ drop: 1 }, { hang: 1 }, { "wrong-chain": 1 }, { unavailable: 1 }]));
    fallback?.set({ "other-genesis": 1 });
    this.#witness.expect("gone");
    await delay(GONE_MS + between(this.#random, 1_000, 6_000));
    fallback?.set(LIES);
    this.#turn({});
    await delay(BACK_MS + 1_000);
  }

  /** The expected `/readyz` under these faults of the first node. */
  #weatherOf(rates: FaultRates): Weather {
    if (Object.keys(rates).length === 0) return "fair";
    const isGone = Object.values(rates).includes(1);
    // A third of a lying node's responses are lies, and the others may suffice.
    return isGone && !this.#withLies ? "gone" : "rough";
  }

  async #runOut(tempted: Shopper): Promise<void> {
    this.#turn({});
    const buy = () => patiently(() => tempted.buy(TEMPTING.store, TEMPTING.amount), PATIENCE_MS);
    const unsaid = await runOut(this.#system, this.#random, buy);
    if (unsaid) this.#observed.push(unsaid);
  }
}

/** A healthy node, a faulty one, or none. */
function drawWeather(random: Random): FaultRates {
  const rough: FaultRates = {
    drop: 0.1,
    "lose-answer": 0.1,
    delay: 0.1,
    unavailable: 0.05,
    "no-receipt": 0.05,
    stale: 0.05,
  };
  return pick<FaultRates>(random, [
    {},
    rough,
    rough,
    { drop: 1 },
    { hang: 0.3 },
    { "lose-answer": 0.5 },
    { "wrong-chain": 1 },
  ]);
}

/** Buys until the time is up; retries broken connections and 503, fails on any other error. */
async function keepBuying(shopper: Shopper, random: Random, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    await patiently(() => shopper.buy(between(random, 1, 8), between(random, 1, 500)), PATIENCE_MS);
    await delay(between(random, 100, 1_500));
  }
}

/** A stranger sends wei that nobody expects: to the operator, to the distributor, or into it past its code. */
async function sendStrayWei({ anvil, deployment }: FaultSystem, random: Random): Promise<void> {
  const accounts = await anvil.request<Hex[]>("eth_accounts");
  const from = pick(random, accounts.slice(FIRST_STRANGER));
  const distributor = deployment.cashbackDistributor.address;
  const value: Hex = `0x${between(random, 1, pick(random, [1, 1_000, MOST_WEI])).toString(16)}`;
  const call = pick(random, [
    { from, value, to: accounts[0] },
    { from, value, to: distributor },
    { from, value, data: selfDestructInto(distributor) },
  ]);
  await anvil.request("eth_sendTransaction", call);
}

/** A contract that self-destructs during creation: its wei go to `heir`, whose code does not run. */
function selfDestructInto(heir: string): Hex {
  return `0x73${heir.slice(2)}ff`;
}
