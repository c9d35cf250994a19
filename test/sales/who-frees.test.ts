import { expect } from "chai";
import { updateStore } from "../../core/catalogue/store-rows.ts";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { noteChangedFact } from "../../core/database/changed-facts.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { announceApprovals } from "../../core/purchases/approvals.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { decideApproval } from "../../core/purchases/staff.ts";
import { idsOf } from "../../core/rules/records.ts";
import { OwnSaleError } from "../../core/rules/sale/own-sale-error.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import { saoPauloDay } from "../../core/rules/sao-paulo-time.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { assignSale, declineSale, releaseSale } from "../../core/sales/decisions.ts";
import { acceptRate } from "../../core/sales/fx.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const approved = { status: "approved", payable: null } as const;
const declined = { status: "declined" } as const;
const CHZ = 10n ** 9n;

/** What else can decide about a store's sales between its change and the planner's next round. */
const MEANWHILE: Record<string, (shop: Shop, reports: readonly SaleReport[]) => Promise<unknown>> = {
  "a network reports its sales again": async (shop, reports) => {
    for (const report of reports) await shop.read({ ...report, commissionMicros: 9_000_000n });
  },
  "its sales are decided for another reason": async (shop, reports) => {
    const sales = await Promise.all(reports.map(({ saleKey }) => shop.sale(saleKey)));
    await inTransaction(shop.database.kysely, (queries) => decideSales(queries, new Set(idsOf(sales)), RULES));
  },
  "the rules of all sales change": (shop) =>
    inTransaction(shop.database.kysely, (queries) => noteChangedFact(queries, "sales")),
  "somebody on the server edits it": (shop) =>
    inAuditedTransaction(shop.database.kysely, null, (queries) =>
      updateStore(queries, shop.storeId, { merchant: "another.example" }),
    ),
};

/** docs/product.md#who-frees */
describe("Who frees money", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    /** `ana` is in the team, and buys too. Nobody may let more than `limit` CHZ a day be paid alone. */
    async function open(limit = 0n) {
      const shop = await Shop.open((await engine.open()).database);
      const { kysely } = shop.database;
      shop.approvals = { aboveGwei: limit * CHZ, roleOf: () => "operator" };
      const [ana, buyer] = [await shop.buyer("a"), await shop.buyer("b")];
      const sell = async (wallet: WalletAddress, more: Parameters<typeof reportOf>[1] = {}) => {
        const report = reportOf(await shop.click(wallet), { ...payable, ...more });
        await shop.read(report, shop.rules);
        return report;
      };
      const act = <T>(work: (queries: Queries) => Promise<T>, actor: string = ana) =>
        inAuditedTransaction(kysely, actor, work);
      const decline = async (saleKey: string) => {
        const { id } = await shop.sale(saleKey);
        return act((queries) => declineSale(queries, id, "returned", { rules: RULES, actor: ana }));
      };
      const setStore = (fields: Parameters<typeof updateStore>[2]) =>
        act(async (queries) => {
          const subject = `store:${shop.storeId}`;
          await updateStore(queries, shop.storeId, fields, ana);
          await appendAudit(queries, { actor: ana, action: "store.update", subject, detail: {} });
        });
      const asked = async () => {
        const rows = await kysely
          .selectFrom("approvals")
          .selectAll()
          .where("state", "=", "open")
          .orderBy("id")
          .execute();
        return rows.map(({ wallet, amount_gwei, asked_by }) => [wallet, Number(amount_gwei / CHZ), asked_by]);
      };
      const agree = async (actor: string) => {
        for (const { id } of await kysely.selectFrom("approvals").select("id").where("state", "=", "open").execute())
          await act((queries) => decideApproval(queries, id, { isApproved: true, actor, reason: null }), actor);
        await shop.run();
      };
      return { shop, kysely, ana, buyer, sell, act, decline, setStore, asked, agree };
    }
    const order = { orderRef: "A-1" };

    describe("by declining the neighbour of an order", () => {
      it("is refused where the held one is their own", async () => {
        const { shop, ana, buyer, sell, decline } = await open();
        const [first, own] = [await sell(buyer, order), await sell(ana, order)];
        expect((await shop.sale(own.saleKey)).hold_reasons).to.equal("order_twice");
        expect(await decline(first.saleKey).catch((error: unknown) => error)).to.be.instanceOf(OwnSaleError);
        await shop.run();
        expect(await shop.received(ana)).to.equal(0);
        expect((await shop.sale(first.saleKey)).declined_by, "nothing of it is written").to.equal(null);
      });

      it("has it count in their day where it is another's", async () => {
        const { shop, kysely, ana, buyer, sell, decline, asked, agree } = await open(1n);
        const other = await shop.buyer("c");
        const [first] = [await sell(buyer, order), await sell(other, order)];
        await decline(first.saleKey);
        await shop.run();
        expect([await shop.received(buyer), await shop.received(other)]).to.deep.equal([0, 0]);
        expect(await asked()).to.deep.equal([[other, 5, ana]]);
        const days = await kysely.selectFrom("decided_days").select(["decider", "gwei"]).execute();
        expect(days).to.deep.equal([{ decider: ana, gwei: 5n * CHZ }]);
        await agree(buyer);
        expect(await shop.received(other)).to.equal(5);
      });

      it("makes a sale of the order that is reported later wait for somebody else, if it is their own", async () => {
        const { shop, ana, buyer, sell, decline, asked } = await open(100n);
        const first = await sell(buyer, order);
        await decline(first.saleKey);
        await sell(ana, order);
        await shop.run();
        expect(await shop.received(ana)).to.equal(0);
        expect(await asked()).to.deep.equal([[ana, 5, ana]]);
      });

      it("is nobody's where the network says it", async () => {
        const { shop, ana, buyer, sell, asked } = await open();
        const first = await sell(buyer, order);
        await sell(ana, order);
        await shop.read({ ...first, ...declined });
        await shop.run();
        expect([await shop.received(ana), await asked()]).to.deep.equal([5, []]);
      });
    });

    describe("by a doubtful rate that is accepted", () => {
      async function doubtful(limit?: bigint) {
        const opened = await open(limit);
        const { shop, kysely, act, sell } = opened;
        const rules = { ...RULES, limits: { ...RULES.limits, maximumCents: 10_000_000n } };
        shop.rules = { ...rules, fx: { url: "http://127.0.0.1:1", fixed: new Map() } };
        const day = saoPauloDay(BigInt(Date.now()));
        const rate = { currency: "EUR", day, rate_micros: 500_000_000n, doubted_from: 5_000_000n, read_at: 1n };
        await kysely.insertInto("fx_rates").values(rate).execute();
        const request = { currency: "EUR", day, published_day: day, due_at: 1n };
        await kysely.insertInto("fx_requests").values(request).execute();
        const euros = { currency: "EUR", commissionCurrency: "EUR" };
        const sellEuros = (wallet: WalletAddress) => sell(wallet, euros);
        const accept = () => act((queries) => acceptRate(queries, "EUR", day, opened.ana));
        const decideAll = async () => {
          const sales = await kysely.selectFrom("sales").select("id").execute();
          const ids = new Set(sales.map(({ id }) => id));
          await inTransaction(kysely, (queries) => decideSales(queries, ids, shop.rules));
        };
        return { ...opened, sellEuros, accept, decideAll };
      }

      it("counts what it pays in the day of who accepted it", async () => {
        const { shop, ana, buyer, sellEuros, accept, decideAll, asked, agree } = await doubtful();
        for (const wallet of [buyer, buyer]) await sellEuros(wallet);
        await accept();
        await decideAll();
        await shop.run();
        expect(await shop.received(buyer)).to.equal(0);
        expect(await asked()).to.deep.equal([
          [buyer, 2_500, ana],
          [buyer, 2_500, ana],
        ]);
        await agree("0x9999999999999999999999999999999999999999");
        expect(await shop.received(buyer)).to.equal(5_000);
      });

      it("is the decision of who agreed, where who accepted it has left the team", async () => {
        const { shop, ana, buyer, sellEuros, accept, decideAll, asked, agree } = await doubtful(2_000n);
        await sellEuros(buyer);
        await accept();
        await decideAll();
        shop.approvals = { ...shop.approvals, roleOf: (wallet) => (wallet === ana ? undefined : "operator") };
        await shop.run();
        expect(await asked()).to.deep.equal([[buyer, 2_500, ana]]);
        const [second, third] = [`0x${"9".repeat(40)}`, `0x${"8".repeat(40)}`];
        await agree(second);
        expect(await asked(), "above the limit of that person too").to.deep.equal([[buyer, 2_500, second]]);
        await agree(third);
        expect([await shop.received(buyer), await asked()]).to.deep.equal([2_500, []]);
      });

      it("makes a sale that is reported later wait for somebody else, if it is their own", async () => {
        const { shop, ana, sellEuros, accept, asked } = await doubtful(10_000n);
        await accept();
        await sellEuros(ana);
        await shop.run();
        expect([await shop.received(ana), await asked()]).to.deep.equal([0, [[ana, 2_500, ana]]]);
      });
    });

    it("counts what is kept for a debt like what is paid, before it is kept", async () => {
      const { shop, kysely, ana, buyer, sell, act, asked, agree } = await open();
      const debt = async () => Number((await outstandingDebt(kysely, buyer)) / CHZ);
      const old = await sell(buyer);
      await shop.run();
      await shop.read({ ...old, ...declined });
      await shop.run();
      expect(await debt()).to.equal(5);
      const unmatched = reportOf(undefined, payable);
      await shop.read(unmatched);
      const { id } = await shop.sale(unmatched.saleKey);
      const { token } = await shop.click(buyer);
      await act((queries) => assignSale(queries, id, token, { rules: RULES, actor: ana }));
      await shop.run();
      expect([await debt(), await asked()], "nothing is kept before somebody agrees").to.deep.equal([
        5,
        [[buyer, 5, ana]],
      ]);
      await shop.read(old);
      await shop.run();
      expect([await shop.received(buyer), await debt()], "the old sale came back").to.deep.equal([5, 0]);
      expect(await asked()).to.deep.equal([[buyer, 5, ana]]);
      await agree("0x9999999999999999999999999999999999999999");
      expect(await shop.received(buyer)).to.equal(10);
    });

    it("keeps for a debt from another payout what the one that waits would have kept", async () => {
      const { shop, kysely, ana, buyer, sell, act } = await open();
      const old = await sell(buyer);
      await shop.run();
      await shop.read({ ...old, ...declined });
      const unmatched = reportOf(undefined, payable);
      await shop.read(unmatched);
      const { id } = await shop.sale(unmatched.saleKey);
      const { token } = await shop.click(buyer);
      await act((queries) => assignSale(queries, id, token, { rules: RULES, actor: ana }));
      await sell(buyer);
      await shop.run();
      expect([await shop.received(buyer), await outstandingDebt(kysely, buyer)]).to.deep.equal([5, 0n]);
    });

    for (const [limit, isAsked] of [
      [4n, true],
      [100n, false],
    ] as const) {
      it(`${isAsked ? "lifts no debt above" : "lifts a debt within, and counts it in,"} a person's day`, async () => {
        const { shop, kysely, ana, buyer, sell, act, asked, agree } = await open(limit);
        const second = "0x9999999999999999999999999999999999999999";
        const roles = new Map([ana, second].map((one) => [one, "operator"] as const));
        await inTransaction(kysely, (queries) => announceApprovals(queries, { aboveGwei: limit * CHZ, roles }));
        const report = await sell(buyer);
        await shop.run();
        await shop.read({ ...report, ...declined });
        await shop.read({ ...report, commissionMicros: 1_000n });
        await shop.run();
        const { id, hold_reasons } = await shop.sale(report.saleKey);
        const debt = async () => Number((await outstandingDebt(kysely, buyer)) / CHZ);
        expect([hold_reasons, await debt()]).to.deep.equal(["low_commission", 5]);
        await act((queries) => releaseSale(queries, id, { rules: RULES, actor: ana, holds: [hold_reasons] }));
        expect(await debt(), "at once").to.equal(isAsked ? 5 : 0);
        await shop.run();
        expect([await asked(), await debt()]).to.deep.equal(isAsked ? [[[buyer, 5, ana]], 5] : [[], 0]);
        const days = await kysely.selectFrom("decided_days").select(["decider", "gwei"]).execute();
        expect(days).to.deep.equal([{ decider: ana, gwei: 5n * CHZ }]);
        const ids = new Set([id]);
        await inTransaction(kysely, (queries) => decideSales(queries, ids, RULES));
        expect(await debt(), "decided again").to.equal(isAsked ? 5 : 0);
        await agree(second);
        expect([await shop.received(buyer), await debt()]).to.deep.equal([5, 0]);
      });
    }

    describe("by a store that is decided by otherwise", () => {
      it("counts what goes on at once in their day, and makes their own wait for somebody else", async () => {
        const { shop, ana, buyer, sell, setStore, asked, agree } = await open(4n);
        await setStore({ hold_seconds: 3_600 });
        await shop.run();
        for (const wallet of [buyer, ana]) await sell(wallet, approved);
        await shop.run();
        await setStore({ hold_seconds: 0 });
        await shop.run();
        expect([await shop.received(buyer), await shop.received(ana)]).to.deep.equal([0, 0]);
        expect(await asked()).to.deep.equal([
          [buyer, 5, ana],
          [ana, 5, ana],
        ]);
        await agree("0x9999999999999999999999999999999999999999");
        expect([await shop.received(buyer), await shop.received(ana)]).to.deep.equal([5, 5]);
      });

      for (const [meanwhile, act] of Object.entries(MEANWHILE)) {
        it(`counts it in their day too where ${meanwhile} before that is worked off`, async () => {
          const { shop, ana, buyer, sell, setStore, asked } = await open(4n);
          await setStore({ hold_seconds: 3_600 });
          await shop.run();
          const reports = [];
          for (const wallet of [buyer, ana]) reports.push(await sell(wallet, approved));
          await shop.run();
          await setStore({ hold_seconds: 0 });
          await act(shop, reports);
          await shop.run();
          expect([await shop.received(buyer), await shop.received(ana)]).to.deep.equal([0, 0]);
          expect(await asked()).to.deep.equal([
            [buyer, 5, ana],
            [ana, 5, ana],
          ]);
        });
      }

      it("makes their own wait too where another of the team changes the store after them", async () => {
        const { shop, ana, buyer, sell, act, setStore, asked } = await open(100n);
        await setStore({ hold_seconds: 3_600 });
        await shop.run();
        await sell(ana, approved);
        await shop.run();
        await setStore({ hold_seconds: 0 });
        await act((queries) => updateStore(queries, shop.storeId, { merchant: "another.example" }, buyer), buyer);
        await shop.run();
        expect([await shop.received(ana), await asked()]).to.deep.equal([0, [[ana, 5, ana]]]);
      });

      it("makes what they buy there later wait for somebody else, without any limit too", async () => {
        const { shop, ana, buyer, sell, setStore, asked } = await open();
        shop.approvals = { ...shop.approvals, aboveGwei: undefined };
        await setStore({ description: "Camisas" });
        for (const wallet of [buyer, ana]) await sell(wallet);
        await shop.run();
        expect([await shop.received(buyer), await shop.received(ana)]).to.deep.equal([5, 0]);
        expect(await asked()).to.deep.equal([[ana, 5, ana]]);
      });
    });
  });
});
