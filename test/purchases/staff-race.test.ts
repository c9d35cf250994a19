import { expect } from "chai";
import { sql } from "kysely";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { confirmNow, stepNow } from "../../core/purchases/next-step.ts";
import { holdPurchase } from "../../core/purchases/staff.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import { storeReport } from "../../core/sales/reports.ts";
import { ACCOUNT, RULES, reportOf, Shop, WEI_PER_CENT } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";
import { until } from "../testing/until.ts";

const MOMENT = { now: 0n, deepestBlock: 0n, hasRate: true };

/** docs/product.md#confirm */
describe("A confirmation by staff", function () {
  this.timeout(60_000);
  onBothEngines(({ open, name }) => {
    /** Its ticket is Pending, and its network has just approved it. */
    async function approved() {
      const { database, again } = await open();
      const shop = await Shop.open(database);
      const report = reportOf(await shop.click(await shop.buyer("a")));
      await shop.read(report);
      await shop.run();
      await shop.read({ ...report, status: "approved" });
      const [purchase] = await shop.purchases();
      const other = await again();
      return { shop, report, id: purchase?.id ?? 0n, here: database.kysely, there: other.kysely };
    }
    const confirm = (queries: Queries, id: bigint, rate = WEI_PER_CENT) =>
      confirmNow(queries, id, { moment: MOMENT, rules: RULES, requireRate: () => rate });
    const confirmations = ({ database: { kysely } }: Shop) =>
      kysely.selectFrom("operations").select("status").where("kind", "=", "confirm").execute();
    /** Until the other connection waits for this transaction; SQLite's writers wait before they begin. */
    const untilWaiting = (queries: Queries) =>
      name === "SQLite"
        ? Promise.resolve()
        : until("the other one waits", async () => {
            const { rows } = await sql<{ n: bigint }>`select count(*) as n from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`.execute(queries);
            return Number(rows[0]?.n) > 0;
          });

    it("is queued once, at the rate of the first, when two people give it at once", async () => {
      const { shop, id, here, there } = await approved();
      let second: Promise<unknown> | undefined;
      await inTransaction(here, async (queries) => {
        expect(await confirm(queries, id)).to.equal(undefined);
        if (name === "PostgreSQL") second = inTransaction(there, (later) => confirm(later, id, 3n * WEI_PER_CENT));
        await untilWaiting(queries);
      });
      second ??= inTransaction(there, (later) => confirm(later, id, 3n * WEI_PER_CENT));
      expect(await second).to.equal(undefined);
      expect(await confirmations(shop)).to.deep.equal([{ status: "queued" }]);
      expect((await shop.purchases())[0]?.wei_per_cent).to.equal(WEI_PER_CENT);
    });

    it("is refused when a report that declines the sale, or a hold, comes first", async () => {
      for (const first of ["returned", "held"] as const) {
        const { shop, report, id, here, there } = await approved();
        let asked: Promise<unknown> | undefined;
        await inTransaction(here, async (queries) => {
          if (first === "held") {
            await holdPurchase(queries, id, { actor: "admin", reason: null });
            const approvals = { aboveGwei: undefined, roleOf: () => undefined };
            const options = { weiPerCent: WEI_PER_CENT, stepDelayMs: 0n, approvals, rules: RULES };
            await stepNow(queries, id, { moment: MOMENT, ...options });
          } else await storeReport(queries, ACCOUNT, { ...report, status: "declined" }, RULES);
          if (name === "PostgreSQL") asked = inTransaction(there, (later) => confirm(later, id));
          await untilWaiting(queries);
        });
        asked ??= inTransaction(there, (later) => confirm(later, id));
        expect(await asked).to.deep.equal({ kind: first });
        expect(await confirmations(shop)).to.deep.equal([]);
      }
    });
  });
});

/** docs/product.md#sales-decision */
describe("A decision without an event of its own", function () {
  this.timeout(60_000);
  onBothEngines(({ open, name }) => {
    it("waits for the report that is being decided, and follows from it", async () => {
      const { database, again } = await open();
      const shop = await Shop.open(database);
      const report = reportOf(await shop.click(await shop.buyer("a")), { status: "approved" });
      await shop.read(report);
      const { id } = await shop.sale(report.saleKey);
      const there = (await again()).kysely;
      const decideAnew = () => inTransaction(there, (queries) => decideSales(queries, [id], RULES));
      let decided: Promise<unknown> | undefined;
      await inTransaction(database.kysely, async (queries) => {
        await storeReport(queries, ACCOUNT, { ...report, status: "declined" }, RULES);
        if (name === "SQLite") return;
        decided = decideAnew();
        await until("the other one waits", async () => {
          const { rows } = await sql<{ n: bigint }>`select count(*) as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(queries);
          return Number(rows[0]?.n) > 0;
        });
      });
      await (decided ?? decideAnew());
      expect((await shop.sale(report.saleKey)).state).to.equal("declined");
      expect((await shop.purchases()).filter(({ reversed_at }) => reversed_at === null)).to.deep.equal([]);
    });
  });
});

/** docs/product.md#sales-once */
describe("Two sales of one order that are reported at once", function () {
  this.timeout(60_000);
  onBothEngines(({ open, name }) => {
    async function sold() {
      const { database, again } = await open();
      const shop = await Shop.open(database);
      const more = { status: "approved", payable: true, orderRef: "A1" } as const;
      const one = reportOf(await shop.click(await shop.buyer("a")), more);
      const other = reportOf(await shop.click(await shop.buyer("b")), more);
      return { shop, one, other, here: database.kysely, there: (await again()).kysely };
    }
    /** The second one is stored while the first one is being decided; SQLite's writers wait before they begin. */
    const atOnce = async ({ here, there }: Awaited<ReturnType<typeof sold>>, first: SaleReport, second: SaleReport) => {
      const store = (report: SaleReport) => (queries: Queries) => storeReport(queries, ACCOUNT, report, RULES);
      let later: Promise<unknown> | undefined;
      await inTransaction(here, async (queries) => {
        await store(first)(queries);
        if (name === "SQLite") return;
        let isOver = false;
        later = inTransaction(there, store(second)).finally(() => {
          isOver = true;
        });
        await until("the other one waits, or is over", async () => {
          const { rows } = await sql<{ n: bigint }>`select count(*) as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(queries);
          return isOver || Number(rows[0]?.n) > 0;
        });
      });
      await (later ?? inTransaction(there, store(second)));
    };

    it("are held before either is paid, though neither decision saw the other sale", async () => {
      const all = await sold();
      const { shop, one, other } = all;
      await atOnce(all, one, other);
      await shop.run();
      const sales = [await shop.sale(one.saleKey), await shop.sale(other.saleKey)];
      expect(sales.map(({ hold_reasons }) => hold_reasons)).to.deep.equal(["order_twice", "order_twice"]);
      expect(await all.here.selectFrom("payouts").select("token_id").execute()).to.deep.equal([]);
    });

    it("are not both held when one of them is declined, whichever is stored first", async () => {
      for (const isDeclinedFirst of [true, false]) {
        const all = await sold();
        const { shop, one, other } = all;
        await shop.read(one);
        const declined = { ...one, status: "declined" } as const;
        await (isDeclinedFirst ? atOnce(all, declined, other) : atOnce(all, other, declined));
        expect((await shop.sale(other.saleKey)).state, String(isDeclinedFirst)).to.equal("payable");
      }
    });
  });
});

/** docs/product.md#panel-hold */
describe("A purchase that is held", function () {
  this.timeout(60_000);
  onBothEngines(({ open }) => {
    it("loses what is queued by the same decision, also if the hold alone was saved", async () => {
      const shop = await Shop.open((await open()).database);
      const { kysely } = shop.database;
      const report = reportOf(await shop.click(await shop.buyer("a")), { status: "approved" });
      const queued = async () =>
        (await kysely.selectFrom("operations").select("kind").where("status", "=", "queued").execute()).map(
          ({ kind }) => kind,
        );
      await shop.read(report);
      await shop.runUntil("confirm");
      expect(await queued()).to.deep.equal(["confirm"]);
      const [purchase] = await shop.purchases();
      const by = { actor: "admin", reason: null };
      expect(await inTransaction(kysely, (queries) => holdPurchase(queries, purchase?.id ?? 0n, by))).to.equal("held");
      await shop.plan();
      expect(await queued()).to.deep.equal([]);
    });
  });
});
