import { expect } from "chai";
import fc from "fast-check";
import { parseTransaction } from "viem";
import { acquireLease } from "../../core/process/lease.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import { PROPERTY_TIMEOUT_MS, seeded } from "./support/seeded.ts";
import { WALLETS, World } from "./support/world.ts";

const RUNS = 12;
const MANY_RUNS = 64;
const CONFIRMATIONS = 3;
const DEEPEST_REORG = 4;
const USUAL_FEE_TIMES = 1;
/** Longer than the wait before a fee bump, and before a gap of nonces is filled. */
const LONG_MS = 31_000;
const MOST_TURNS = 120;

/** What happens to the sender, in any order. */
type Act =
  | { kind: "buy" }
  | { kind: "round" }
  | { kind: "mine" }
  | { kind: "index" }
  | { kind: "turn" }
  | { kind: "pass"; ms: number }
  /** `kill -9` after this step of the round; another process continues. */
  | { kind: "crash"; at: number }
  /** The node fails at this call; the process survives. */
  | { kind: "node fails"; at: number }
  /** Another process takes over in the middle of a round, and the former one continues unaware. */
  | { kind: "two senders"; at: number }
  | { kind: "reorg"; depth: number; isLost: boolean }
  | { kind: "pool is dropped" }
  | { kind: "key is used elsewhere" }
  | { kind: "base fee"; times: number };

const always = (kind: "buy" | "round" | "mine" | "index" | "turn") => fc.constant<Act>({ kind });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: always("buy") },
  { weight: 4, arbitrary: always("round") },
  { weight: 3, arbitrary: always("mine") },
  { weight: 2, arbitrary: always("index") },
  { weight: 8, arbitrary: always("turn") },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(3_100, 6_000, LONG_MS) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("crash" as const), at: fc.integer({ min: 1, max: 70 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("node fails" as const), at: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("two senders" as const), at: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("reorg" as const),
      depth: fc.integer({ min: 1, max: DEEPEST_REORG }),
      isLost: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: "pool is dropped" }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: "key is used elsewhere" }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("base fee" as const), times: fc.constantFrom(1, 1, 3, 6) }) },
);

/** The rows seen so far, none of which may disappear. */
class Watch {
  readonly world: World;
  readonly #usualFeeWei: bigint;
  readonly #hashes = new Map<string, bigint>();
  #purchases = 0;

  constructor(world: World) {
    this.world = world;
    this.#usualFeeWei = world.chain.baseFeeWei;
  }

  async do(one: Act): Promise<void> {
    const { world } = this;
    switch (one.kind) {
      case "buy": {
        const { status, body } = await world.register(WALLETS[this.#purchases % 2] ?? "0x", 1, "12.34");
        // The store's name is on its way to the chain.
        if (status === 409 && body.code === "STORE_UNKNOWN") return;
        expect(status, JSON.stringify(body)).to.equal(200);
        this.#purchases += 1;
        return;
      }
      case "round":
        return world.round();
      case "mine":
        return world.chain.mine();
      case "index":
        return world.index();
      case "turn":
        return this.#turn();
      case "pass":
        return world.pass(one.ms);
      case "crash":
        return world.crashAt(one.at);
      case "node fails":
        return world.round({
          of: "node",
          at: one.at,
          act: () => {
            throw new TypeError("fetch failed");
          },
        });
      case "two senders":
        return this.#takeOver(one.at);
      case "reorg":
        return world.chain.reorg(one.depth, one.isLost);
      case "pool is dropped":
        return world.chain.dropPool();
      case "key is used elsewhere":
        return world.chain.spendNonceElsewhere();
      case "base fee":
        world.chain.baseFeeWei = this.#usualFeeWei * BigInt(one.times);
        return;
    }
  }

  /** From this step on the sender has lost the lease and must not write. */
  async #takeOver(at: number): Promise<void> {
    let before: string | undefined;
    await this.world.round({
      of: "node",
      at,
      act: async () => {
        await this.world.freeSenderLease();
        await acquireLease(this.world.database, "sender", "another process", LONG_MS);
        before = await this.#stored();
      },
    });
    if (before !== undefined) expect(await this.#stored(), "written without the lease").to.equal(before);
    await this.world.restartSender();
  }

  async #stored(): Promise<string> {
    const { kysely } = this.world.database;
    const transactions = await kysely.selectFrom("transactions").selectAll().orderBy("id").execute();
    const operations = await kysely.selectFrom("operations").selectAll().orderBy("id").execute();
    return JSON.stringify([transactions, operations], bigintText);
  }

  async #turn(): Promise<void> {
    await this.world.round();
    this.world.chain.mine();
    await this.world.index();
  }

  /** The invariants after every step. */
  async check(): Promise<void> {
    const { kysely } = this.world.database;
    const rows = await kysely.selectFrom("transactions").select(["id", "nonce"]).orderBy("nonce").execute();
    const nonces = rows.map((row) => row.nonce);
    expect(nonces, "one row a nonce").to.deep.equal([...new Set(nonces)]);
    const taken = new Set([...nonces.map(Number), ...this.world.chain.foreignNonces]);
    const highest = Math.max(-1, ...taken);
    expect(taken.size, `nonces ${[...taken]} have a gap`).to.equal(highest + 1);

    const hashes = await kysely.selectFrom("transaction_hashes").selectAll().execute();
    const stored = new Map<string, bigint>(hashes.map((row) => [row.hash, row.transaction_id]));
    for (const [hash, id] of this.#hashes) expect(stored.get(hash), `hash ${hash} is kept`).to.equal(id);
    for (const row of hashes) {
      const { nonce } = parseTransaction(row.raw);
      const owner = rows.find((one) => one.id === row.transaction_id);
      expect(BigInt(nonce ?? -1), `the nonce in the bytes of ${row.hash}`).to.equal(owner?.nonce);
      this.#hashes.set(row.hash, row.transaction_id);
    }
    for (const hash of this.world.chain.received) {
      expect(stored.has(hash), `${hash} was sent, so it is stored`).to.equal(true);
    }
    for (let id = 1; id <= this.#purchases; id++) {
      const kinds = this.world.chain.events.filter((event) => event.tokenId === BigInt(id)).map((event) => event.kind);
      expect(kinds, `purchase ${id}`).to.deep.equal([...new Set(kinds)]);
    }
  }

  /** The faults stop, and an operator resumes payouts. Then everything must have happened once. */
  async settle(): Promise<void> {
    const { world } = this;
    world.chain.baseFeeWei = this.#usualFeeWei * BigInt(USUAL_FEE_TIMES);
    for (let turn = 0; !(await this.#isSettled()); turn++) {
      await world.services.payouts.resume();
      await world.pass(LONG_MS);
      await this.#turn();
      await this.check();
      if (turn > MOST_TURNS) throw new Error(`It never settles: ${await this.#tale()}`);
    }
    for (let id = 1n; id <= BigInt(this.#purchases); id++) {
      const token = world.chain.token(id);
      expect([token?.status, token?.paidWei !== null], `purchase ${id}`).to.deep.equal([CHAIN_STATUS.confirmed, true]);
    }
  }

  async #isSettled(): Promise<boolean> {
    const { kysely } = this.world.database;
    const open = await kysely.selectFrom("operations").select("id").where("status", "!=", "done").execute();
    const signed = await kysely.selectFrom("transactions").select("id").where("status", "=", "signed").execute();
    const purchases = await kysely.selectFrom("purchases").select("id").where("settled_at", "is", null).execute();
    return open.length + signed.length + purchases.length === 0;
  }

  async #tale(): Promise<string> {
    const { kysely } = this.world.database;
    const operations = await kysely.selectFrom("operations").selectAll().execute();
    const transactions = await kysely
      .selectFrom("transactions")
      .select(["id", "nonce", "status", "succeeded", "block_number"])
      .execute();
    const { nonce } = this.world.chain.head.state;
    const tale = { nonce, status: this.world.sender.status, operations, transactions };
    return JSON.stringify(tale, bigintText);
  }
}

const bigintText = (_key: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);

describe("The sender, under any sequence of faults", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("does each operation once, with one row per nonce, no gap, and every hash kept (F2)", () => holds(RUNS));
  it("does so under many more @deep", () => holds(MANY_RUNS));
});

async function holds(runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 60, size: "max" }), async (acts) => {
      const world = await World.open(CONFIRMATIONS);
      try {
        const watch = new Watch(world);
        for (const one of acts) {
          await watch.do(one);
          await watch.check();
        }
        await watch.settle();
      } finally {
        await world.close();
      }
    }),
    seeded(runs),
  );
}
