import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { findWrongPayments } from "../../core/purchases/wrong-payments.ts";
import { assignSale, type DecisionError } from "../../core/sales/decisions.ts";
import { saleRefsBy } from "../../core/sales/environment.ts";
import { onBothEngines } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;

/** The chain has tickets of sales that the database no longer knows: it was lost, or restored from before them. */
describe("A sale whose ticket is on the chain, and not in the database", function () {
  this.timeout(300_000);
  onBothEngines((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const wallet = await shop.buyer("a");
      return { shop, wallet, click: await shop.click(wallet) };
    }
    const tickets = (shop: Shop) =>
      shop.database.kysely.selectFrom("nfts").select(["token_id", "status"]).orderBy("token_id").execute();

    it("adopts what was paid, and pays nothing again", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
      await forgetSales(shop);
      await shop.read(report);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
      expect(await tickets(shop)).to.have.length(1);
      const [purchase, ...others] = await shop.purchases();
      expect(others).to.have.length(0);
      expect(purchase?.settled_at).to.not.equal(null);
      expect((await shop.sale(report.saleKey)).state).to.equal("settled");
      const { database } = shop;
      const totals = await database.kysely.selectFrom("buyer_totals").selectAll().execute();
      expect(totals.map(({ paid_gwei }) => paid_gwei)).to.deep.equal([5_000_000_000n]);
    });

    it("adopts a Pending ticket, confirms and pays it", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(click);
      await shop.read(report);
      await shop.run();
      const [ticket] = await tickets(shop);
      await forgetSales(shop);
      await shop.read({ ...report, ...payable });
      await shop.run();
      expect(await tickets(shop)).to.deep.equal([{ ...ticket, status: 2n }]);
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("pays only the rest of one that has grown, and records the debt of one that was declined", async () => {
      const { shop, wallet, click } = await open();
      const [grown, declined] = [reportOf(click, payable), reportOf(click, payable)];
      await shop.read(grown);
      await shop.read(declined);
      await shop.run();
      await forgetSales(shop);
      await shop.read({ ...declined, status: "declined" });
      await shop.read({ ...grown, amountMicros: 150_000_000n });
      await shop.run();
      // 2.5 more are due, and kept back for the 5 of the declined one.
      expect(await shop.received(wallet)).to.equal(10);
      expect(Number(await outstandingDebt(shop.database.kysely, wallet)) / 1e9).to.equal(2.5);
    });

    for (const [title, at, now, owed] of [
      ["from between its mint and its confirmation", { wei_per_cent: null }, { status: "declined" }, 5],
      [
        "that promised more than was paid after a correction",
        { cashback_cent_bps: 7_500_000n },
        { status: "declined" },
        5,
      ],
      ["that promised less", { cashback_cent_bps: 1_000_000n }, { status: "declined" }, 5],
      ["that promised another amount than still stands", { cashback_cent_bps: 7_500_000n }, {}, 0],
    ] as const) {
      it(`takes what was paid for a fact, in a database ${title}`, async () => {
        const { shop, wallet, click } = await open();
        const report = reportOf(click, payable);
        await shop.read(report);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
        await shop.database.kysely.updateTable("purchases").set(at).execute();
        // Another state, so that it is decided anew.
        await shop.read({ ...report, reason: "read again", ...now });
        await shop.run();
        const debt = Number(await outstandingDebt(shop.database.kysely, wallet)) / 1e9;
        expect(debt).to.equal(owed);
        expect(await shop.received(wallet)).to.equal(5);
        const [purchase] = await shop.purchases();
        expect(purchase).to.include({ cashback_cent_bps: 5_000_000n, wei_per_cent: 10n ** 16n });
      });
    }

    const reais = (amount: number) => ({ amountMicros: BigInt(amount * 1_000_000), commissionMicros: null });
    const debtOf = async (shop: Shop, wallet: `0x${string}`) =>
      Number(await outstandingDebt(shop.database.kysely, wallet)) / 1e9;
    /** R$ 100 that are minted, corrected to R$ 40 and paid, at another rate than at the report. */
    async function openCorrected() {
      const { shop, wallet, click } = await open();
      const report = reportOf(click, reais(100));
      await shop.read(report);
      await shop.run();
      const minted = await shop.purchases();
      shop.weiPerCent = 3n * 10n ** 16n;
      await shop.read({ ...report, status: "approved", payable: false });
      await shop.run();
      const confirmed = await shop.purchases();
      const paid = { ...report, ...payable, ...reais(40) };
      await shop.read(paid);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(6);
      const backTo = async ([row]: typeof minted) => {
        const { cashback_cent_bps = 0n, wei_per_cent = null, approved_at = null, payable_at = null } = row ?? {};
        const columns = { cashback_cent_bps, wei_per_cent, approved_at, payable_at, settled_at: null };
        await shop.database.kysely.updateTable("purchases").set(columns).execute();
      };
      return { shop, wallet, click, paid, minted, confirmed, backTo };
    }

    it("adopts what was paid after a correction: nothing is owed back, and nothing paid again", async () => {
      const { shop, wallet, paid } = await openCorrected();
      await forgetSales(shop);
      await shop.read(paid);
      await shop.run();
      expect([await shop.received(wallet), await debtOf(shop, wallet)]).to.deep.equal([6, 0]);
      expect((await shop.purchases()).map((row) => [row.cashback_cent_bps, row.wei_per_cent])).to.deep.equal([
        [2_000_000n, 3n * 10n ** 16n],
      ]);
      await shop.read({ ...paid, status: "declined" });
      expect(await debtOf(shop, wallet)).to.equal(6);
    });

    it("adopts what was paid of parts of two percents, to the gwei", async () => {
      const { shop, wallet, click } = await open();
      const parts = [
        { group: "fashion", amountMicros: 33_330_000n },
        { group: null, amountMicros: 66_690_000n },
      ];
      shop.weiPerCent = 12_345_678_901_234_567n;
      const report = reportOf(click, { ...payable, ...reais(100.02), parts });
      await shop.read(report);
      await shop.run();
      const received = await shop.received(wallet);
      const [before] = await shop.purchases();
      await forgetSales(shop);
      await shop.read(report);
      await shop.run();
      expect([await shop.received(wallet), await debtOf(shop, wallet)]).to.deep.equal([received, 0]);
      const after = await shop.purchases();
      expect(after.map((row) => row.cashback_cent_bps)).to.deep.equal([before?.cashback_cent_bps]);
    });

    for (const when of ["minted", "confirmed"] as const) {
      it(`owes back what was paid, where the backup is from when it was ${when}`, async () => {
        const opened = await openCorrected();
        const { shop, wallet, paid, backTo } = opened;
        await backTo(opened[when]);
        expect(await findWrongPayments(shop.database.kysely), "the books are wrong").to.not.deep.equal([]);
        await shop.read({ ...paid, status: "declined" });
        await shop.run();
        expect([await shop.received(wallet), await debtOf(shop, wallet)]).to.deep.equal([6, 6]);
        await shop.read({ ...paid, reason: "again" });
        await shop.run();
        expect([await shop.received(wallet), await debtOf(shop, wallet)]).to.deep.equal([6, 0]);
        expect(await findWrongPayments(shop.database.kysely)).to.deep.equal([]);
      });
    }

    it("is found by a full comparison where what is owed back is not what was paid", async () => {
      const { shop, wallet, paid } = await openCorrected();
      await shop.read({ ...paid, status: "declined" });
      const { kysely } = shop.database;
      expect([await debtOf(shop, wallet), await findWrongPayments(kysely)]).to.deep.equal([6, []]);
      await kysely.deleteFrom("adjustments").execute();
      expect(await findWrongPayments(kysely)).to.deep.equal(["Of purchase 1, 6 CHZ are owed back, and 0 by the books"]);
    });

    it("knows that a debt was kept of what was paid", async () => {
      const { shop, wallet, click } = await open();
      const [first, second] = [reportOf(click, { ...payable, ...reais(40) }), reportOf(click, payable)];
      await shop.read(first);
      await shop.run();
      await shop.read({ ...first, status: "declined" });
      await shop.read(second);
      await shop.run();
      // 2 of 5 were kept.
      expect([await shop.received(wallet), await debtOf(shop, wallet)]).to.deep.equal([5, 0]);
      await forgetSales(shop);
      await shop.read({ ...first, status: "declined" });
      expect(await debtOf(shop, wallet)).to.equal(2);
      await shop.read(second);
      await shop.run();
      expect([await shop.received(wallet), await debtOf(shop, wallet)]).to.deep.equal([5, 0]);
    });

    it("knows a ticket that carries a reference by an older key", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.run();
      await forgetSales(shop);
      const [older, newer] = [`0x${"5a".repeat(32)}`, `0x${"5b".repeat(32)}`];
      await shop.read(report, { ...RULES, saleRefs: saleRefsBy([newer, older]) });
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("is held while no key explains the reference of its likely ticket", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.run();
      const [ticket] = await tickets(shop);
      await forgetSales(shop);
      const rules = { ...RULES, saleRefs: saleRefsBy([`0x${"5b".repeat(32)}`]) };
      shop.rules = rules;
      await shop.read(report, rules);
      await shop.run();
      expect(await shop.sale(report.saleKey)).to.include({
        state: "held",
        hold_reasons: "likely_ticket",
        reason: `The chain probably has a ticket of this sale, with a reference that no key explains: ${ticket?.token_id}`,
      });
      expect(await shop.received(wallet)).to.equal(5);
      const [other, later] = [reportOf(click, { ...payable, reais: 200 }), reportOf(click, payable)];
      await shop.read(other, rules);
      await shop.run();
      expect(await shop.received(wallet), "of another amount").to.equal(15);
      await shop.release(report.saleKey, rules);
      await shop.run();
      expect(await shop.received(wallet), "a person knows better").to.equal(20);
      const minted_at = BigInt(Date.now()) - 2n * 86_400_000n;
      await shop.database.kysely.updateTable("nfts").set({ minted_at }).execute();
      await shop.read(later, rules);
      expect(await shop.sale(later.saleKey), "of an earlier time").not.to.include({ state: "held" });
    });

    it("is held if the ticket is another buyer's, which no release lifts", async () => {
      const { shop, wallet, click } = await open();
      const other = await shop.buyer("b");
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.run();
      const [ticket] = await tickets(shop);
      await forgetSales(shop);
      const otherClick = await shop.click(other);
      await shop.read({ ...report, clickRef: otherClick.token });
      expect(await shop.sale(report.saleKey)).to.include({
        state: "held",
        hold_reasons: "other_ticket",
        reason: `The chain has a ticket of this sale for another buyer or store: ${ticket?.token_id}`,
      });
      const refused = await shop.release(report.saleKey).catch(({ why }: DecisionError) => why);
      expect(refused).to.equal("other_ticket");
      await shop.run();
      expect(await shop.received(other)).to.equal(0);
      const { id } = await shop.sale(report.saleKey);
      await inTransaction(shop.database.kysely, (queries) =>
        assignSale(queries, id, click.token, { rules: RULES, actor: "admin", holds: ["other_ticket"] }),
      );
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });
  });
});

/** Everything that the database knew of sales; visits and what the index has stay. */
async function forgetSales({ database: { kysely } }: Shop): Promise<void> {
  const ids = (await kysely.selectFrom("purchases").select("id").execute()).map(({ id }) => id);
  await kysely.deleteFrom("operations").where("subject_id", "in", ids).execute();
  for (const table of ["due_purchases", "adjustments", "buyer_totals", "shop_totals", "day_totals"] as const)
    await kysely.deleteFrom(table).execute();
  await kysely.deleteFrom("purchases").execute();
  await kysely.updateTable("sales").set({ revision_id: null }).execute();
  for (const table of ["sale_revisions", "sales"] as const) await kysely.deleteFrom(table).execute();
}
