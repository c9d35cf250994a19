import { expect } from "chai";
import fc from "fast-check";
import { type SqlBool, sql } from "kysely";
import { actAs } from "../../core/database/changed-facts.ts";
import { readSetting } from "../../core/database/settings.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { countAttention } from "../../core/purchases/attention.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { reviewSales } from "../../core/purchases/held-reviews.ts";
import { monthOf, monthsBefore } from "../../core/rules/iso-time.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import { type ClickTerms, freezeTerms } from "../../core/rules/sale/value.ts";
import { assignSale, declineSale } from "../../core/sales/decisions.ts";
import { seeded } from "../properties/support/seeded.ts";
import { type EngineUnderTest, onBothEngines, onEitherEngine } from "../testing/databases.ts";
import { ACCOUNT, RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const MONTH = monthOf(Date.now() + 30_000);

/** A follower of 8 %: buyers get 5 %. */
const FOLLOWING = termsOf({ commission: 800n });

function termsOf({
  percent = 500n,
  bonus = 0n,
  commission,
}: Partial<Record<"percent" | "bonus" | "commission", bigint>>) {
  const rate = { groupCode: null, bps: percent, isDefault: true };
  return freezeTerms([{ ...rate, commissionBps: commission ?? null }], bonus, 0n) as ClickTerms;
}

/** The network pays this percent of R$ 100, or of so many. */
const pays = (percent: number, reais = 100) => ({
  ...payable,
  reais,
  commissionMicros: BigInt(Math.round(percent * reais * 10_000)),
});

const LIMIT = 500n;

/** What each sale's click was promised: percent, bonus, and the commission that was known then. */
const SOLD = [
  { percent: 500n, bonus: 0n, commission: 800n },
  { percent: 500n, bonus: 200n },
  { percent: 500n, bonus: 300n, commission: 700n },
  { percent: 700n, bonus: 0n, commission: 600n },
  { percent: 500n, bonus: 0n, commission: 800n },
].map((one) => ({ ...one, terms: termsOf(one) }));

type Told = { percent: number; reais: number; status: "pending" | "approved" | "declined"; month: string };

/** What docs/product.md#margin-loss says of each sale, in cents: nothing of it is taken from the code. */
class Oracle {
  readonly #told = new Map<number, Told & { isHeld: boolean; lost: number }>();

  read(sale: number, told: Told): void {
    const { lost = 0 } = this.#told.get(sale) ?? {};
    this.#told.set(sale, { ...told, isHeld: false, lost });
    this.#ask(sale);
  }

  askAgain(): void {
    for (const sale of this.reported) if (this.#told.get(sale)?.isHeld) this.#ask(sale);
  }

  #ask(sale: number): void {
    const told = this.#told.get(sale);
    const terms = SOLD[sale];
    if (!told || !terms) return;
    const { reais, percent, month } = told;
    const ofPercent = (bps: bigint) => (reais * Number(bps)) / 100;
    const commission = reais * percent;
    const loss = told.status === "declined" ? 0 : Math.max(0, ofPercent(terms.percent + terms.bonus) - commission);
    const before = told.lost;
    // What is no longer lost makes room at once.
    told.lost = Math.min(before, loss);
    const isCovered = ofPercent(terms.percent) <= Math.max(commission, ofPercent(terms.commission ?? 0n));
    const mayLose = loss <= before || (this.lost[month] ?? 0) < Number(LIMIT);
    told.isHeld = loss > 0 && !(isCovered && mayLose);
    if (!told.isHeld) told.lost = loss;
  }

  /** The sales that were reported, in the order in which they first were: that of their ids. */
  get reported(): number[] {
    return [...this.#told.keys()];
  }

  get held(): boolean[] {
    return [...this.#told.values()].map(({ isHeld }) => isHeld);
  }

  get lost(): Record<string, number> {
    const sums: Record<string, number> = {};
    for (const { month, lost } of this.#told.values()) if (lost > 0) sums[month] = (sums[month] ?? 0) + lost;
    return sums;
  }
}

/** docs/product.md#margin-loss */
describe("A commission below the cashback", function () {
  this.timeout(300_000);
  const openOn = (engine: EngineUnderTest) =>
    async function open(marginLossCents = 50_000n, minimumSeconds = 5n) {
      const shop = await Shop.open((await engine.open()).database);
      const { kysely } = shop.database;
      const rules = { ...RULES, limits: { ...RULES.limits, marginLossCents, minimumSeconds } };
      shop.rules = rules;
      const wallet = await shop.buyer("a");
      const sell = async (terms: ClickTerms, more: object) => reportOf(await shop.click(wallet, terms), more);
      const read = (report: SaleReport) => shop.read(report, rules);
      const held = async ({ saleKey }: SaleReport) => {
        const { state, hold_reasons } = await shop.sale(saleKey);
        return state === "held" ? hold_reasons : "";
      };
      /** In cents, by month; months without a loss are left out. */
      const lost = async () => {
        const rows = await kysely.selectFrom("account_losses").selectAll().orderBy("month").execute();
        expect(rows.every(({ network, account }) => `${network} ${account}` === "awin br")).to.equal(true);
        const found = rows.filter((row) => row.lost_cent_bps !== 0n);
        return Object.fromEntries(found.map((row) => [row.month, Number(row.lost_cent_bps / 10_000n)]));
      };
      const rows = async () => ({
        sales: await kysely.selectFrom("sales").selectAll().orderBy("id").execute(),
        purchases: await kysely.selectFrom("purchases").selectAll().orderBy("id").execute(),
        operations: await kysely.selectFrom("operations").selectAll().orderBy("id").execute(),
        losses: await lost(),
      });
      const decideAgain = async (ids: readonly bigint[]) =>
        inTransaction(kysely, (queries) => decideSales(queries, ids, rules));
      /** Decided again, together and one by one, nothing is decided otherwise; the sums are those of the sales. */
      const expectFixed = async () => {
        const ofLosses = ({ sales, losses }: Awaited<ReturnType<typeof rows>>) => ({
          losses,
          sales: sales.map((row) => [row.state === "held", row.hold_reasons, row.lost_month, row.lost_cent_bps]),
        });
        const first = await rows();
        const ids = first.sales.map(({ id }) => id);
        // What was sent since is noted by the first decision.
        await decideAgain(ids);
        const before = await rows();
        expect(ofLosses(before)).to.deep.equal(ofLosses(first));
        for (const some of [ids, ids.toReversed(), ...ids.map((id) => [id]), ...ids.toReversed().map((id) => [id])]) {
          await decideAgain(some);
          expect(await rows()).to.deep.equal(before);
        }
        const sums: Record<string, number> = {};
        for (const { lost_month, lost_cent_bps } of before.sales) {
          if (lost_month === null) continue;
          sums[lost_month] = (sums[lost_month] ?? 0) + Number(lost_cent_bps / 10_000n);
        }
        expect(before.losses).to.deep.equal(sums);
      };
      const review = () => reviewSales(shop.database, { rules, assertLease: async () => {} });
      return { shop, kysely, rules, wallet, sell, read, held, lost, expectFixed, review };
    };

  onEitherEngine((engine) => {
    const open = openOn(engine);

    it("holds no sale whose commission fell after its click", async () => {
      const { shop, wallet, sell, read, held, lost, expectFixed } = await open();
      const fell = await sell(FOLLOWING, pays(4));
      await read(fell);
      const unknown = await sell(termsOf({}), pays(4));
      await read(unknown);
      expect([await held(fell), await held(unknown)]).to.deep.equal(["", "low_commission"]);
      expect(await lost()).to.deep.equal({ [MONTH]: 100 });
      await expectFixed();
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
      await expectFixed();
    });

    it("holds no sale for its bonus alone, and each whose percent is above both commissions", async () => {
      const { sell, read, held, lost, expectFixed } = await open();
      const cases = [
        [termsOf({ bonus: 200n }), pays(6), ""],
        [termsOf({ bonus: 200n }), pays(4.99), "low_commission"],
        [termsOf({ bonus: 200n, commission: 600n }), pays(3), ""],
        [termsOf({ percent: 700n, commission: 600n }), pays(6), "low_commission"],
        [termsOf({ percent: 700n, commission: 600n }), pays(7), ""],
      ] as const;
      for (const [terms, reported, wanted] of cases) {
        const report = await sell(terms, reported);
        await read(report);
        expect(await held(report)).to.equal(wanted);
      }
      expect(await lost()).to.deep.equal({ [MONTH]: 100 + 400 });
      await expectFixed();
    });

    it("covers each group by its own commission", async () => {
      const { sell, read, held } = await open();
      const rate = (groupCode: string, bps: bigint, commissionBps: bigint | null) => ({
        ...{ groupCode, bps, commissionBps, isDefault: false },
      });
      const terms = freezeTerms([rate("tv", 500n, 800n), rate("gift", 500n, null)], 0n, 0n) as ClickTerms;
      for (const [group, wanted] of [
        ["tv", ""],
        ["gift", "low_commission"],
      ] as const) {
        const report = await sell(terms, { ...pays(4), parts: [{ group, amountMicros: 100_000_000n }] });
        await read(report);
        expect(await held(report), group).to.equal(wanted);
      }
    });

    it("holds as before once the account has lost the limit in the month of the sale, until a return makes room", async () => {
      const { shop, kysely, sell, read, held, lost, expectFixed, review } = await open(250n);
      const sales = [];
      for (let index = 0; index < 4; index++) sales.push(await sell(FOLLOWING, pays(4)));
      for (const report of sales) await read(report);
      // The third one begins below the limit.
      expect(await Promise.all(sales.map(held))).to.deep.equal(["", "", "", "low_commission"]);
      expect(await lost()).to.deep.equal({ [MONTH]: 300 });
      await expectFixed();
      await shop.run();
      const [first, , , fourth] = sales as [SaleReport, SaleReport, SaleReport, SaleReport];
      await read({ ...first, status: "declined" });
      expect(await lost()).to.deep.equal({ [MONTH]: 200 });
      expect(await held(fourth)).to.equal("low_commission");
      expect(await readSetting(kysely, "held_changed_at")).to.not.equal(undefined);
      await review();
      expect([await held(fourth), await lost()]).to.deep.equal(["", { [MONTH]: 300 }]);
      // What was once taken stays taken; what comes back asks anew.
      await read(first);
      expect([await held(first), await lost()]).to.deep.equal(["low_commission", { [MONTH]: 300 }]);
      await expectFixed();
    });

    it("counts another month, another account and a limit of nothing apart", async () => {
      const { sell, read, held, lost, expectFixed } = await open(100n);
      const earlier = monthsBefore(MONTH, 1);
      const [first, second, moving] = [
        await sell(FOLLOWING, pays(4)),
        await sell(FOLLOWING, pays(4)),
        await sell(FOLLOWING, { ...pays(4), occurredAt: BigInt(Date.parse(`${earlier}-15T12:00:00Z`)) }),
      ];
      await read(first);
      await read(second);
      expect([await held(first), await held(second)]).to.deep.equal(["", "low_commission"]);
      await read(moving);
      // Before its click: too fast, so that it takes nothing of its month.
      expect(await held(moving)).to.equal("too_fast low_commission");
      expect(await lost()).to.deep.equal({ [MONTH]: 100 });
      await expectFixed();
      const none = await open(0n);
      const one = await none.sell(FOLLOWING, pays(4));
      await none.read(one);
      expect([await none.held(one), await none.lost()]).to.deep.equal(["low_commission", {}]);
    });

    it("counts what a person released, and takes nothing for what others hold", async () => {
      const { shop, rules, sell, read, held, lost, expectFixed } = await open(100n);
      const above = await sell(termsOf({ percent: 900n }), pays(4));
      await read(above);
      expect([await held(above), await lost()]).to.deep.equal(["low_commission", {}]);
      await shop.release(above.saleKey, rules);
      expect([await held(above), await lost()]).to.deep.equal(["", { [MONTH]: 500 }]);
      await expectFixed();
      const next = await sell(FOLLOWING, pays(4));
      await read(next);
      expect(await held(next)).to.equal("low_commission");
      await shop.release(next.saleKey, rules);
      expect([await held(next), await lost()]).to.deep.equal(["", { [MONTH]: 600 }]);
      await expectFixed();
    });

    it("leaves a sale without a click, or with an unknown one, to a person, and loses nothing by it before", async () => {
      const { shop, kysely, rules, read, held, lost, expectFixed } = await open(1_000n);
      const click = await shop.click(await shop.buyer("b"), FOLLOWING);
      const [none, unknown] = [reportOf(undefined, pays(4)), reportOf({ token: "a".repeat(26) }, pays(4))];
      for (const report of [none, unknown]) await read(report);
      await shop.run();
      for (const { saleKey } of [none, unknown]) expect((await shop.sale(saleKey)).state).to.equal("unmatched");
      expect([await shop.purchases(), await lost()]).to.deep.equal([[], {}]);
      const isNone = sql<SqlBool>`1 = 0`;
      const of = { isHeld: isNone, isDraft: isNone, isOpenApproval: isNone, overdueSince: 1n };
      expect((await countAttention(kysely, of)).unmatched_sales, "open tasks").to.equal(2);
      const { id } = await shop.sale(none.saleKey);
      await inTransaction(kysely, (queries) =>
        assignSale(queries, id, click.token, { rules, actor: "admin", holds: [] }),
      );
      // By the percent of the click, and as one of the account's.
      expect([await held(none), await lost()]).to.deep.equal(["", { [MONTH]: 100 }]);
      expect((await countAttention(kysely, of)).unmatched_sales).to.equal(1);
      await shop.run();
      expect(await shop.received(click.wallet)).to.equal(5);
      await expectFixed();
    });

    it("remembers whose decision made room, so that it is not their own sale's", async () => {
      const { shop, kysely, rules, sell, read, held } = await open(100n);
      const [first, second] = [await sell(FOLLOWING, pays(4)), await sell(FOLLOWING, pays(4))];
      for (const report of [first, second]) await read(report);
      expect(await held(second)).to.equal("low_commission");
      const admin = `0x${"d".repeat(40)}`;
      const { id } = await shop.sale(first.saleKey);
      await inTransaction(kysely, async (queries) => {
        actAs(queries, admin);
        await declineSale(queries, id, "no", { rules, actor: admin });
      });
      const said = await kysely.selectFrom("fact_authors").select("subject").where("author", "=", admin).execute();
      expect(said.map(({ subject }) => subject)).to.include(`account:${ACCOUNT.network}/${ACCOUNT.account}`);
    });

    it("is taken as its rule says in any history, and nothing decided again changes it", async () => {
      const act = fc.record({
        sale: fc.nat(SOLD.length - 1),
        percent: fc.constantFrom(0, 2, 4, 5, 8),
        reais: fc.constantFrom(10, 100, 250),
        status: fc.constantFrom("pending" as const, "approved" as const, "approved" as const, "declined" as const),
        month: fc.constantFrom(0, 0, 0, 1),
      });
      const property = fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 12 }), async (acts) => {
        const { shop, kysely, sell, read, held, lost, expectFixed, review } = await open(LIMIT, 0n);
        const months = [MONTH, monthsBefore(MONTH, 1)];
        const times = [Date.now() + 30_000, Date.parse(`${months[1]}-15T12:00:00Z`)].map(BigInt);
        const sales: SaleReport[] = [];
        for (const { terms } of SOLD) sales.push(await sell(terms, pays(8)));
        const oracle = new Oracle();
        for (const { sale, percent, reais, status, month } of acts) {
          const amounts = { ...pays(percent, reais), amountMicros: BigInt(reais) * 1_000_000n, reais: undefined };
          const told = { ...amounts, status, payable: status === "approved", occurredAt: times[month] as bigint };
          await read({ ...(sales[sale] as SaleReport), ...told });
          oracle.read(sale, { percent, reais, status, month: months[month] as string });
          await shop.run(2);
          // A day later, what is held asks again.
          await kysely.updateTable("sales").set({ reviewed_at: 0n }).execute();
          await review();
          oracle.askAgain();
          const states = [];
          for (const one of oracle.reported) states.push((await held(sales[one] as SaleReport)) !== "");
          expect([states, await lost()], JSON.stringify(acts)).to.deep.equal([oracle.held, oracle.lost]);
          await expectFixed();
        }
      });
      await fc.assert(property, seeded(6));
    });
  });

  onBothEngines((engine) => {
    it("lets one of two that come at once have the room that is left for one", async () => {
      const { shop, rules, lost } = await openOn(engine)(100n);
      const reports = [];
      for (const digit of ["b", "c", "e", "f"])
        reports.push(reportOf(await shop.click(await shop.buyer(digit), FOLLOWING), pays(4)));
      await Promise.all(reports.map((report) => shop.read(report, rules)));
      expect(await lost()).to.deep.equal({ [MONTH]: 100 });
      const states = await Promise.all(reports.map(async ({ saleKey }) => (await shop.sale(saleKey)).state));
      expect(states.filter((state) => state === "held")).to.have.length(3);
    });
  });
});
