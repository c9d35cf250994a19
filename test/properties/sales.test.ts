import { expect } from "chai";
import fc from "fast-check";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { WEI_PER_GWEI } from "../../core/rules/product.ts";
import { PROPERTY_TIMEOUT_MS, seeded } from "./support/seeded.ts";
import { type Backup, WALLETS, World } from "./support/world.ts";

const RUNS = 18;
/** Without groups, the first sample store's highest percent applies: R$ 100 earn 5 CHZ or less. */
const STORE = 1;
const QUIET_TURNS = 3;
const MOST_TURNS = 80;
const MOST_TURNS_AT_ONCE = 6;

type Report = { sale: number; status: "pending" | "approved" | "declined"; payable: boolean; cents: number };
/** Events: reports in any order, repeated, interleaved with chain, sender and a process that dies. */
type Act =
  | ({ kind: "report"; time: number } & Report)
  | { kind: "again"; report: number }
  | { kind: "turns"; count: number }
  | { kind: "round" }
  | { kind: "crash"; at: number }
  /** The backup from before one of the acts so far is restored. */
  | { kind: "go back"; to: number }
  | ({ kind: "report during round"; time: number; at: number } & Report);

const SALES = 4;
const report = {
  sale: fc.nat(SALES - 1),
  time: fc.integer({ min: 1, max: 1_000 }),
  status: fc.constantFrom("pending" as const, "approved" as const, "approved" as const, "declined" as const),
  payable: fc.boolean(),
  cents: fc.integer({ min: 1, max: 50_000 }),
};
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("report" as const), ...report }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const), report: fc.nat(20) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("turns" as const),
      count: fc.integer({ min: 1, max: MOST_TURNS_AT_ONCE }),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: "round" }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const), at: fc.integer({ min: 1, max: 60 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("go back" as const), to: fc.nat(39) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("report during round" as const),
      at: fc.integer({ min: 1, max: 20 }),
      ...report,
    }),
  },
);

/** Reports are of the years that a direct report may name. */
const START_MS = Date.UTC(2026, 0, 1);

class Story {
  readonly world: World;
  readonly clicks: string[];
  readonly told: Parameters<World["hook"]>[0][] = [];
  readonly #backups: Backup[] = [];
  /** The final state as a network without pushes would report it: the one with the latest time. */
  readonly last = new Map<number, Report & { time: number }>();

  constructor(world: World, clicks: string[]) {
    this.world = world;
    this.clicks = clicks;
  }

  async do(one: Act): Promise<void> {
    const { world } = this;
    if (one.kind === "report") return this.tell(one);
    if (one.kind === "turns") return this.#turns(one.count);
    if (one.kind === "round") return world.round();
    if (one.kind === "crash") return world.crashAt(one.at);
    if (one.kind === "go back") return this.#goBack(one.to);
    if (one.kind === "report during round") {
      return world.round({ of: "node", at: one.at, act: () => this.tell(one) });
    }
    const known = this.told[one.report % Math.max(1, this.told.length)];
    if (known) expect((await world.hook(known)).body.duplicate).to.equal(true);
  }

  async tell(one: Report & { time: number }): Promise<void> {
    // One state per timestamp: two reports with the same time are identical.
    const time = START_MS + one.time * 1_000 + this.told.length;
    const event = {
      event_id: `event-${this.told.length}`,
      sale_key: `sale-${one.sale}`,
      click_id: this.clicks[one.sale % this.clicks.length],
      status: one.status,
      payable: one.payable,
      amount: (one.cents / 100).toFixed(2),
      changed_at: time,
    };
    this.told.push(event);
    const { status, body } = await this.world.hook(event);
    expect(status, JSON.stringify(body)).to.equal(200);
    const last = this.last.get(one.sale);
    if (!last || last.time < time) this.last.set(one.sale, { ...one, time });
  }

  async backUp(): Promise<void> {
    this.#backups.push(await this.world.backUp());
  }

  /** The shop sends again what it has told, as a person asks it to. docs/runbook/database-lost.md */
  async #goBack(to: number): Promise<void> {
    const backup = this.#backups[to % this.#backups.length];
    if (!backup) throw new Error("There is no backup");
    await this.world.goBack(backup);
    for (const event of this.told) expect((await this.world.hook(event)).status).to.equal(200);
  }

  async #turns(count: number): Promise<void> {
    // The longest stretch is longer than a shop may take back what it declined.
    if (count === MOST_TURNS_AT_ONCE) await this.world.waitOutReturns();
    for (let turn = 0; turn < count; turn++) {
      await this.world.pass(3_000);
      await this.world.round();
      this.world.chain.mine();
      await this.world.index();
    }
  }

  /** Runs until nothing is left to do. */
  async settle(): Promise<void> {
    // Of a sale that was read late, the mint is due by the clock of the processes, which is ahead of the database's.
    await this.world.pass(MOST_TURNS * 3_000);
    let quiet = 0;
    for (let turn = 0; quiet < QUIET_TURNS; turn++) {
      const before = this.world.chain.events.length;
      await this.#turns(1);
      quiet = this.world.chain.events.length === before ? quiet + 1 : 0;
      if (turn > MOST_TURNS) throw new Error(`It never settles: ${this.world.sender.status.problem}`);
    }
  }

  async check(rateBps: bigint): Promise<void> {
    for (const [index, wallet] of WALLETS.entries()) {
      let earned = 0n;
      for (const [sale, { status, payable, cents }] of this.last) {
        if (sale % WALLETS.length !== index || status !== "approved" || !payable) continue;
        earned += BigInt(cents) * rateBps * 1_000n;
      }
      const paid = this.world.chain.paidTo(wallet) / WEI_PER_GWEI;
      const debt = await outstandingDebt(this.world.database.kysely, wallet);
      expect(debt >= 0n, "nobody is owed what was taken for nothing").to.equal(true);
      // Payouts for sales that are approved but no longer payable stay paid.
      const early = await this.#paidAhead(index);
      expect(paid, `${wallet}: ${JSON.stringify([...this.last])}`).to.equal(earned + early + debt);
    }
  }

  /** For sales whose payment status the network revoked without declining them: payouts stay paid. */
  async #paidAhead(wallet: number): Promise<bigint> {
    const { kysely } = this.world.database;
    let sum = 0n;
    for (const [sale, { status, payable }] of this.last) {
      if (sale % WALLETS.length !== wallet || status === "declined" || (status === "approved" && payable)) continue;
      const rows = await kysely
        .selectFrom("purchases")
        .innerJoin("sales", "sales.id", "purchases.sale_id")
        .select(["purchases.id", "purchases.offset_gwei"])
        .where("sales.sale_key", "=", `sale-${sale}`)
        .execute();
      for (const row of rows) {
        const sent = (this.world.chain.token(row.id)?.paidWei ?? 0n) / WEI_PER_GWEI;
        const returned = await kysely
          .selectFrom("adjustments")
          .select("amount_gwei")
          .where("purchase_id", "=", row.id)
          .execute();
        const owed = returned.reduce((total, one) => total + one.amount_gwei, 0n);
        sum += sent + row.offset_gwei - owed;
      }
    }
    return sum;
  }
}

describe("Sales, reported in any order", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("end with what the latest reports say, to the gwei, whatever process dies and whichever backup is restored meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40, size: "max" }), async (acts) => {
        const world = await World.open(1);
        try {
          const clicks = [];
          for (const wallet of WALLETS) clicks.push(await world.visit(wallet, STORE));
          const story = new Story(world, clicks);
          for (const one of acts) {
            if (acts.some(({ kind }) => kind === "go back")) await story.backUp();
            await story.do(one);
          }
          await story.settle();
          await story.check(await rateOfStore(world));
        } finally {
          await world.close();
        }
      }),
      seeded(RUNS),
    );
  });
});

/** The percent of other groups: the lowest. */
async function rateOfStore(world: World): Promise<bigint> {
  const { cashback_bps } = await world.database.kysely
    .selectFrom("store_cashbacks")
    .select("cashback_bps")
    .where("store_id", "=", BigInt(STORE))
    .orderBy("cashback_bps")
    .limit(1)
    .executeTakeFirstOrThrow();
  return cashback_bps;
}
