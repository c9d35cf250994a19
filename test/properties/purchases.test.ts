import { expect } from "chai";
import fc from "fast-check";
import { indexedBlock } from "../../core/database/chain-cursor.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { listPurchases, type Purchase } from "../../core/purchases/queries.ts";
import { toPurchaseRecord } from "../../core/purchases/view.ts";
import { findWrongTotals } from "../../core/purchases/wrong-totals.ts";
import { cashbackGwei } from "../../core/rules/cashback.ts";
import { reaisText } from "../../core/rules/money.ts";
import { DEFAULT_WEI_PER_CENT, WEI_PER_GWEI } from "../../core/rules/product.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { PROPERTY_TIMEOUT_MS, seeded } from "./support/seeded.ts";
import { type Reply, WALLETS, World } from "./support/world.ts";

const RUNS = 20;
const MANY_RUNS = 100;
const HOLD_MS = 61_000;
const MOST_TURNS = 60;

/** Steps in any order. Purchases and wallets are numbers, taken modulo their count. */
type Act =
  | { kind: "register"; wallet: number; store: number; cents: number }
  | { kind: "mint"; purchase: number }
  | { kind: "confirm"; purchase: number }
  | { kind: "distribute"; wallet: number }
  | { kind: "round" }
  | { kind: "mine" }
  | { kind: "index" }
  | { kind: "turn" }
  /** Enough rounds to take a simulated purchase from registration to payout. */
  | { kind: "turns" }
  | { kind: "pass"; ms: number }
  | { kind: "crash"; at: number };

const small = fc.nat(9);
const cents = fc.integer({ min: 1, max: 50_000 });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("register" as const),
      wallet: fc.nat(1),
      store: fc.integer({ min: 1, max: 2 }),
      cents,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("mint" as const), purchase: small }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("confirm" as const), purchase: small }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("distribute" as const), wallet: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "round" }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "mine" }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "index" }) },
  { weight: 4, arbitrary: fc.constant<Act>({ kind: "turn" }) },
  { weight: 4, arbitrary: fc.constant<Act>({ kind: "turns" }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(3_000, HOLD_MS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const), at: fc.integer({ min: 1, max: 60 }) }) },
);

/** The expected state of a purchase, derived from the responses alone. */
type Claim = {
  id: bigint;
  wallet: WalletAddress;
  cents: bigint;
  bps: bigint;
  shown: string;
};

class Ledger {
  readonly claims: Claim[] = [];
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  async do(one: Act): Promise<void> {
    const { world } = this;
    const claim = "purchase" in one ? this.claims[one.purchase % Math.max(1, this.claims.length)] : undefined;
    if ("purchase" in one && !claim) return;
    switch (one.kind) {
      case "register":
        return this.#register(one);
      case "mint":
        await world.mint(claim?.wallet as WalletAddress, claim?.id ?? 0n);
        return;
      case "confirm":
        await world.confirm(claim?.id ?? 0n);
        return;
      case "distribute":
        return this.#distribute(WALLETS[one.wallet] as WalletAddress);
      case "round":
        return world.round();
      case "mine":
        return world.chain.mine();
      case "index":
        return world.index();
      case "turn":
        await world.round();
        world.chain.mine();
        return world.index();
      case "turns":
        for (let turn = 0; turn < 5; turn++) {
          await world.pass(3_000);
          await world.round();
          world.chain.mine();
          await world.index();
        }
        return;
      case "pass":
        return world.pass(one.ms);
      case "crash":
        return world.crashAt(one.at);
    }
  }

  async #register(one: Extract<Act, { kind: "register" }>): Promise<void> {
    const wallet = WALLETS[one.wallet] as WalletAddress;
    const amount = reaisText(BigInt(one.cents));
    const { status, body } = await this.world.register(wallet, one.store, amount);
    // The store's name is on its way to the chain.
    if (status === 409 && body.code === "STORE_UNKNOWN") return;
    expect(status, JSON.stringify(body)).to.equal(200);
    const id = BigInt((body.purchase as { id: number }).id);
    const row = await this.world.database.kysely
      .selectFrom("purchases")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    this.claims.push({
      id,
      wallet,
      cents: BigInt(one.cents),
      bps: row.cashback_bps + row.bonus_bps,
      shown: "processing",
    });
  }

  /** Learns the payable amount from a wrong request, then requests it. */
  async #distribute(wallet: WalletAddress): Promise<void> {
    const refusal = await this.world.distribute(wallet, "0.000000001");
    const { payable } = refusal.body as { payable?: string };
    const reply: Reply =
      refusal.status === 409 && payable && payable !== "0" ? await this.world.distribute(wallet, payable) : refusal;
    if (reply.status !== 202) {
      expect(reply.body.code).to.be.oneOf(["NOTHING_PAYABLE", "WRONG_AMOUNT"]);
    }
  }

  grossOf(claim: Claim): bigint {
    return cashbackGwei({ valueCents: claim.cents, totalBps: claim.bps, weiPerCent: DEFAULT_WEI_PER_CENT });
  }

  /** The invariants after every single step. */
  async check(): Promise<void> {
    const { world } = this;
    const events = world.chain.events;
    for (const claim of this.claims) {
      const own = events.filter((event) => event.tokenId === claim.id);
      const kinds = own.map((event) => event.kind);
      expect(kinds, `purchase ${claim.id}`).to.be.deep.oneOf([
        [],
        ["PurchaseMinted"],
        ["PurchaseMinted", "StatusUpdated"],
        ["PurchaseMinted", "StatusUpdated", "CashbackPaid"],
      ]);
    }
    const reverted = world.chain.blocks.flatMap((block) =>
      [...block.receipts.values()].filter((one) => one !== "success"),
    );
    expect(reverted, "transactions that were tried first and reverted all the same").to.deep.equal([]);
    for (const wallet of WALLETS) {
      expect(await outstandingDebt(world.database.kysely, wallet), `debt of ${wallet}`).to.satisfy(isNotNegative);
      const rows = await listPurchases(world.database.kysely, wallet, { limit: 100 });
      for (const row of rows) await this.#checkShown(row);
    }
  }

  /** The shown state only moves forward; a payout sent before the return may still be shown. */
  async #checkShown(row: Purchase): Promise<void> {
    const claim = this.claims.find((one) => one.id === row.id);
    if (!claim) throw new Error(`Purchase ${row.id} was never registered`);
    expect([row.amount_cents, row.cashback_bps + row.bonus_bps], "terms").to.deep.equal([claim.cents, claim.bps]);
    expect(row.offset_gwei, `offset of ${row.id}`).to.satisfy(isNotNegative);
    expect(this.grossOf(claim) - row.offset_gwei, `payment of ${row.id}`).to.satisfy(isNotNegative);
    const shownUpTo = (await indexedBlock(this.world.database.kysely)) ?? 0n;
    const { status, cashback_state } = toPurchaseRecord(row, {
      ...{ rate: DEFAULT_WEI_PER_CENT, shownUpTo },
      ...{ now: BigInt(Date.now()), isLive: false },
    });
    const shown = cashback_state === "unpaid" ? status : cashback_state;
    const allowed = NEXT[claim.shown] ?? [];
    expect([claim.shown, ...allowed], `purchase ${row.id} was shown as ${claim.shown}`).to.include(shown);
    claim.shown = shown;
  }

  /** Runs everything until nothing is left to do. */
  async settle(): Promise<void> {
    const { world } = this;
    let quietTurns = 0;
    for (let turn = 0; quietTurns < 2; turn++) {
      const before = JSON.stringify([await this.#open(), world.chain.events.length], bigintText);
      await world.pass(HOLD_MS);
      await world.round();
      world.chain.mine();
      await world.index();
      const after = JSON.stringify([await this.#open(), world.chain.events.length], bigintText);
      quietTurns = before === after ? quietTurns + 1 : 0;
      if (turn > MOST_TURNS) throw new Error(`It never settles: ${after}; ${world.sender.status.problem}`);
      await this.check();
    }
    expect(await this.#open(), "operations that wait for ever").to.deep.equal([]);
  }

  #open() {
    return this.world.database.kysely
      .selectFrom("operations")
      .selectAll()
      .where("status", "in", ["queued", "assigned"])
      .execute();
  }

  /** The payout per purchase and buyer. */
  async checkEnd(): Promise<void> {
    const { world } = this;
    for (const wallet of WALLETS) {
      let earned = 0n;
      let paid = 0n;
      const rows = await listPurchases(world.database.kysely, wallet, { limit: 100 });
      for (const row of rows) {
        const claim = this.claims.find((one) => one.id === row.id) as Claim;
        const token = world.chain.token(row.id);
        const paidGwei = (token?.paidWei ?? 0n) / WEI_PER_GWEI;
        paid += paidGwei;
        const name = `purchase ${row.id} ${JSON.stringify({ ...claim, token, offset: row.offset_gwei }, bigintText)}`;
        expect(token?.status, name).to.equal(CHAIN_STATUS.confirmed);
        expect(paidGwei + row.offset_gwei, name).to.equal(this.grossOf(claim));
        earned += this.grossOf(claim);
      }
      // Conservation: a wallet's balance equals its earnings plus its debt.
      expect(paid, `${wallet} has`).to.equal(earned + (await outstandingDebt(world.database.kysely, wallet)));
    }
  }
}

const NEXT: Record<string, readonly string[]> = {
  processing: ["pending", "confirmed", "cancelled", "paid"],
  pending: ["confirmed", "cancelled", "paid"],
  confirmed: ["paid", "cancelled"],
  cancelled: ["paid"],
  paid: [],
};

const isNotNegative = (amount: bigint) => amount >= 0n;
const bigintText = (_key: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);

describe("The life of purchases, in any order", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("mints once, pays once, never moves back, and accounts for every gwei (F31)", () => holds(RUNS));
  it("does so in many more histories @deep", () => holds(MANY_RUNS));

  async function holds(runs: number): Promise<void> {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 60, size: "max" }), async (acts) => {
        const world = await World.open(1);
        try {
          const ledger = new Ledger(world);
          for (const one of acts) {
            await ledger.do(one);
            await ledger.check();
          }
          await ledger.settle();
          await ledger.checkEnd();
          expect(await findWrongTotals(world.database.kysely)).to.deep.equal([]);
        } finally {
          await world.close();
        }
      }),
      seeded(runs),
    );
  }
});
