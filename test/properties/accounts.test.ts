import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { LeaseLostError } from "../../core/process/lease.ts";
import { findAccounts } from "../../core/purchases/account-books.ts";
import { book, reverseBooking } from "../../core/purchases/bookings.ts";
import { noteRules } from "../../core/purchases/changed-facts.ts";
import { findWrongAccounts } from "../../core/purchases/wrong-accounts.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import type { Click } from "../../core/sales/clicks.ts";
import { storeReport } from "../../core/sales/reports.ts";
import { RULES, reportOf, Shop } from "../sales/support/shop.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { PROPERTY_TIMEOUT_MS, seeded } from "./support/seeded.ts";

const DIRECT = { network: "direct", account: "acme" };
const RUNS = { SQLite: 25, PostgreSQL: 10 };
const SALES = 6;
const BUYERS = 3;

type Act =
  | { kind: "report"; sale: number; reais: number; status: "approved" | "declined" | "pending"; payable: boolean }
  | { kind: "book"; reais: number }
  | { kind: "reverse" }
  | { kind: "credit"; reais: number }
  | { kind: "plan" }
  | { kind: "mine" };
type Step = { act: Act; killAt: number };

const report = fc.record({
  kind: fc.constant("report" as const),
  sale: fc.nat(SALES - 1),
  reais: fc.constantFrom(100, 200, 400),
  status: fc.constantFrom("approved" as const, "approved" as const, "declined" as const, "pending" as const),
  payable: fc.constantFrom(true, true, false),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: report },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("book" as const), reais: fc.constantFrom(5, 10, 20) }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: "reverse" }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("credit" as const), reais: fc.constantFrom(0, 5, 15) }) },
  { weight: 4, arbitrary: fc.constant<Act>({ kind: "plan" }) },
  { weight: 4, arbitrary: fc.constant<Act>({ kind: "mine" }) },
);
const step: fc.Arbitrary<Step> = fc.record({
  act,
  killAt: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40 })),
});

/** An account of the simplest kind, which knows only what was said of its money, and what the chain paid. */
class History {
  readonly shop: Shop;
  readonly #clicks: Click[];
  readonly #said = new Map<number, SaleReport>();
  readonly #booked: { id: bigint; reais: number }[] = [];
  #credit = 0;
  #bookedReais = 0;
  #time = BigInt(Date.now());
  #queued = 0n;

  private constructor(shop: Shop, clicks: Click[]) {
    this.shop = shop;
    this.#clicks = clicks;
  }

  static async begin(database: Database): Promise<History> {
    const shop = await Shop.open(database);
    await database.kysely
      .updateTable("stores")
      .set({ ...DIRECT, advertiser_id: null })
      .execute();
    const wallets = await Promise.all(["a", "b", "c"].slice(0, BUYERS).map((digit) => shop.buyer(digit)));
    const clicks: Click[] = [];
    for (let sale = 0; sale < SALES; sale++) {
      const wallet = wallets[sale % BUYERS] as (typeof wallets)[number];
      clicks.push(await shop.click(wallet, { groups: {}, defaultBps: 500n, bonusBps: 0n }));
    }
    const history = new History(shop, clicks);
    await history.#setCredit(0);
    return history;
  }

  async do({ act: one, killAt }: Step): Promise<void> {
    if (one.kind === "plan") {
      await this.#dying(killAt, (database) => this.shop.plan(database));
      await this.shop.plan();
    } else if (one.kind === "mine") await this.shop.mine();
    else if (one.kind === "report") await this.#report(one);
    else if (one.kind === "credit") await this.#setCredit(one.reais);
    else if (one.kind === "book") await this.#book(one.reais);
    else await this.#reverse();
    await this.check();
  }

  async #report({ sale, reais, status, payable }: Act & { kind: "report" }): Promise<void> {
    this.#time += 10n;
    const known = this.#said.get(sale);
    const fresh = reportOf(this.#clicks[sale], { reais, status, payable });
    const said = { ...fresh, advertiserId: null, commissionMicros: null, commissionCurrency: null };
    const sent = {
      ...said,
      ...(known && { saleKey: known.saleKey, orderRef: known.orderRef, occurredAt: known.occurredAt }),
    };
    const changed = { ...sent, changedAt: this.#time };
    this.#said.set(sale, changed);
    await inTransaction(this.shop.database.kysely, (queries) => storeReport(queries, DIRECT, changed, this.shop.rules));
  }

  async #setCredit(reais: number): Promise<void> {
    this.#credit = reais;
    this.shop.rules = { ...RULES, accounts: [{ ...DIRECT, credit_reais: reais }] };
    await inTransaction(this.shop.database.kysely, (queries) => noteRules(queries, this.shop.rules));
  }

  async #id(): Promise<bigint> {
    return (await findAccounts(this.shop.database.kysely, [DIRECT]))[0]?.id ?? 0n;
  }

  async #book(reais: number): Promise<void> {
    const accountId = await this.#id();
    const booking = { accountId, amountCents: BigInt(reais) * 100n, arrivedOn: "2026-11-28", reference: "Pix" };
    const [id = 0n] = await inTransaction(this.shop.database.kysely, (queries) =>
      book(queries, [{ ...booking, bookedBy: "admin" }]),
    );
    this.#booked.push({ id, reais });
    this.#bookedReais += reais;
  }

  async #reverse(): Promise<void> {
    const last = this.#booked.pop();
    if (!last) return;
    const accountId = await this.#id();
    const by = { accountId, id: last.id, actor: "admin", reason: "Wrong" };
    await inTransaction(this.shop.database.kysely, (queries) => reverseBooking(queries, by));
    this.#bookedReais -= last.reais;
  }

  /** One CHZ is one real. What was sent or is queued, less nothing: what is kept of a debt is not sent. */
  async check(): Promise<void> {
    const { kysely } = this.shop.database;
    const { rows } = await sql<{ gwei: bigint | string }>`select coalesce(sum(amount_gwei), 0) as gwei from operations
      where kind = 'pay' and status <> 'withdrawn'`.execute(kysely);
    const queued = BigInt(rows[0]?.gwei ?? 0);
    const limit = BigInt(this.#credit + this.#bookedReais) * 10n ** 9n;
    // Less may be allowed than is out already; then nothing is added.
    expect(queued <= limit || queued <= this.#queued, `${queued} of ${limit} are out, ${this.#queued} before`).to.equal(
      true,
    );
    this.#queued = queued;
    const wrong = await findWrongAccounts(kysely);
    expect(wrong, "a recount").to.deep.equal([]);
  }

  /** All of it arrives: what waited is paid, and nothing waits. */
  async end(): Promise<void> {
    await this.#setCredit(100_000);
    await this.shop.run(30);
    await this.check();
    const { kysely } = this.shop.database;
    expect(await kysely.selectFrom("account_waits").selectAll().execute(), "what waits").to.deep.equal([]);
    for (const { saleKey, status, payable } of this.#said.values()) {
      if (status !== "approved" || payable !== true) continue;
      expect((await this.shop.sale(saleKey)).state, saleKey).to.equal("settled");
    }
  }

  async #dying(at: number, work: (database: Database) => Promise<unknown>): Promise<void> {
    if (at === 0) return;
    let left = at;
    const kysely = this.shop.database.kysely.withPlugin({
      transformQuery({ node }) {
        if (--left === 0) throw new LeaseLostError("killed");
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    try {
      await work({ ...this.shop.database, kysely });
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
    }
  }
}

describe("What a direct shop is paid, whatever it says and in any order", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);
  onEitherEngine(({ open, name }) => {
    it("is never more than what has arrived and its credit, and all of it in the end", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24, size: "max" }), async (steps) => {
          const { database } = await open();
          if (name === "SQLite") await sql`pragma synchronous = off`.execute(database.kysely);
          const history = await History.begin(database);
          for (const one of steps) await history.do(one);
          await history.end();
          await database.close();
        }),
        seeded<[Step[]]>(RUNS[name]),
      );
    });
  });
});
