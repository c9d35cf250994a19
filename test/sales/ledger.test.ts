import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import { assignSale, declineSale } from "../../core/sales/decisions.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { ACCOUNT, RULES, reportOf, Shop } from "./support/shop.ts";

/** What an adapter does not understand. */
const FROZEN = { code: "odd", field: "commissionStatus", value: "frozen" } as const;
const approved = { status: "approved" } as const;
const payable = { status: "approved", payable: true } as const;
const declined = { status: "declined" } as const;

describe("The ledger of sales", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      return { shop, wallet, click };
    }
    /** A sale read in several states in sequence; the chain settles in between. */
    async function story(states: readonly (Partial<SaleReport> & { reais?: number })[], rounds?: number) {
      const { shop, wallet, click } = await open();
      const { saleKey, orderRef, occurredAt } = reportOf(click);
      for (const state of states) {
        await shop.read(reportOf(click, { saleKey, orderRef, occurredAt, ...state }));
        await shop.run(rounds);
      }
      return { shop, wallet, click, saleKey };
    }

    it("pays a sale once its network pays us, and not before", async () => {
      const { shop, wallet, saleKey } = await story([{}]);
      expect((await shop.sale(saleKey)).state).to.equal("open");
      const click = await shop.database.kysely.selectFrom("clicks").selectAll().executeTakeFirstOrThrow();
      await shop.read(reportOf(click, { ...approved, saleKey }));
      await shop.run();
      expect([(await shop.sale(saleKey)).state, await shop.received(wallet)]).to.deep.equal(["approved", 0]);
      await shop.read(reportOf(click, { ...payable, saleKey }));
      await shop.run();
      expect([(await shop.sale(saleKey)).state, await shop.received(wallet)]).to.deep.equal(["settled", 5]);
    });

    for (const [what, states, received, debt] of [
      ["less before the mint", [{}, { reais: 40, ...payable }], 2, 0],
      ["less while Pending", [{}, { reais: 60 }, { reais: 60, ...payable }], 3, 0],
      ["less while Confirmed", [approved, { reais: 60, ...approved }, { reais: 60, ...payable }], 3, 0],
      ["less after the payment", [payable, { reais: 60, ...payable }], 5, 2],
      ["more while Pending", [{}, { reais: 150 }, { reais: 150, ...payable }], 7.5, 0],
      ["more while Confirmed", [approved, { reais: 150, ...approved }, { reais: 150, ...payable }], 7.5, 0],
      ["more after the payment", [payable, { reais: 150, ...payable }], 7.5, 0],
      ["declined while Pending", [{}, declined], 0, 0],
      ["declined while Confirmed", [approved, declined], 0, 0],
      ["declined after the payment", [payable, declined], 5, 5],
      ["restored while Pending", [{}, declined, {}, payable], 5, 0],
      ["restored while Confirmed", [approved, declined, approved, payable], 5, 0],
      ["restored after the payment", [payable, declined, payable], 5, 0],
      [
        "up, down and up after the payment",
        [payable, { reais: 150, ...payable }, { reais: 20, ...payable }, { reais: 150, ...payable }],
        7.5,
        0,
      ],
    ] as const) {
      it(`${what}: the wallet holds what the last read says, less debts still to be settled (F31)`, async () => {
        const { shop, wallet } = await story(states);
        expect(await shop.received(wallet)).to.equal(received);
        expect(Number(await outstandingDebt(shop.database.kysely, wallet)) / 1e9).to.equal(debt);
      });
    }

    it("corrects the terms before the mint, without a second token", async () => {
      const { shop, click } = await open();
      const report = reportOf(click);
      const rules = { ...RULES, mintDelayMs: 60_000n };
      await shop.read(report, rules);
      await shop.read({ ...report, amountMicros: 40_000_000n }, rules);
      await shop.run();
      const purchases = await shop.purchases();
      expect(purchases.map((row) => [row.amount_cents, row.cashback_cent_bps])).to.deep.equal([[4_000n, 2_000_000n]]);
      expect(await shop.database.kysely.selectFrom("nfts").selectAll().execute()).to.deep.equal([]);
    });

    it("gives back what was deducted for a sale that is restored later", async () => {
      const { shop, wallet, click } = await open();
      const first = reportOf(click, payable);
      await shop.read(first);
      await shop.run();
      await shop.read({ ...first, ...declined });
      await shop.read(reportOf(click, payable));
      await shop.run();
      expect(await shop.received(wallet), "the second pays for the first").to.equal(5);
      await shop.read(first);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(10);
      expect(await outstandingDebt(shop.database.kysely, wallet)).to.equal(0n);
    });

    it("withdraws an unsent payout when the network revokes its approval", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(click, payable);
      await shop.read({ ...report, payable: false });
      await shop.run();
      await shop.database.kysely.updateTable("chain_cursor").set({ block_number: 1_000n }).execute();
      await shop.read(report);
      await shop.run(0);
      await shop.read({ ...report, payable: false });
      await shop.run();
      expect(await shop.received(wallet)).to.equal(0);
      await shop.read(report);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("pays each group its percent, and the exact sum of a blend", async () => {
      const { shop, wallet, click } = await open();
      const parts = [
        { group: "FASHION", amountMicros: 33_330_000n },
        { group: "unheard", amountMicros: 66_670_000n },
      ];
      const report = reportOf(click, { ...payable, parts });
      await shop.read(report);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(2.3331 + 3.3335);
      const [purchase] = await shop.purchases();
      expect([purchase?.cashback_bps, (await shop.sale(report.saleKey)).unknown_groups]).to.deep.equal([
        567n,
        "unheard",
      ]);
    });

    it("converts dollars by the rate, once for all revisions", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(click, { reais: 10.01, currency: "USD", commissionCurrency: "USD" });
      await shop.read(report);
      const later = { ...RULES, fx: { url: undefined, fixed: new Map([["USD", 9_000_000n]]) } };
      await shop.read({ ...report, ...payable }, later);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(2.5025);
    });

    it("keeps two sales of one click apart", async () => {
      const { shop, wallet, click } = await open();
      await shop.read(reportOf(click, payable));
      await shop.read(reportOf(click, { ...payable, reais: 40 }));
      await shop.run();
      expect(await shop.received(wallet)).to.equal(7);
    });

    it("pays a boost for what was bought in time, though the network pays us less, and what was promised without after that", async () => {
      const { shop, wallet } = await open();
      const now = BigInt(Date.now());
      const plain = { groups: {}, defaultBps: 500n, bonusBps: 0n };
      const click = await shop.click(wallet, {
        ...plain,
        boosted: { ...plain, defaultBps: 1_200n, until: now + 60_000n },
      });
      for (const [occurredAt, received] of [
        [now + 30_000n, 12],
        [now + 120_000n, 17],
      ] as const) {
        const report = reportOf(click, { ...payable, occurredAt });
        await shop.read(report);
        await shop.run();
        expect((await shop.sale(report.saleKey)).state).to.equal("settled");
        expect(await shop.received(wallet)).to.equal(received);
      }
      // At 5 % the network's 4.99 % are too little, with a boost or without.
      const low = reportOf(click, { ...payable, commissionMicros: 4_990_000n });
      await shop.read(low);
      expect((await shop.sale(low.saleKey)).hold_reasons).to.equal("low_commission");
    });

    it("counts by the network's own time, whatever order it is read in", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(click, { changedAt: 1_000n });
      await shop.read({ ...report, ...payable, changedAt: 3_000n, amountMicros: 60_000_000n });
      expect((await shop.read({ ...report, ...declined, changedAt: 2_000n })).outcome).to.equal("older");
      expect((await shop.read(report)).outcome).to.equal("older");
      expect((await shop.read(report)).outcome, "again").to.equal("known");
      await shop.run();
      expect(await shop.received(wallet)).to.equal(3);
      const revisions = await shop.database.kysely
        .selectFrom("sale_revisions")
        .select("is_applied")
        .orderBy("id")
        .execute();
      expect(revisions.map((row) => row.is_applied)).to.deep.equal([1n, 0n, 0n]);
    });

    it("leaves a sale without a click until somebody assigns it", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(undefined, { ...payable, clickRef: "nobody" });
      await shop.read(report);
      await shop.run();
      const sale = await shop.sale(report.saleKey);
      expect([sale.state, sale.store_id, (await shop.purchases()).length]).to.deep.equal([
        "unmatched",
        shop.storeId,
        0,
      ]);
      await inTransaction(shop.database.kysely, (queries) =>
        assignSale(queries, sale.id, click.token, { rules: RULES, actor: "admin" }),
      );
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("leaves a sale unmatched if it was made after the click expired", async () => {
      const { shop, click } = await open();
      const now = BigInt(Date.now());
      const ended = { created_at: 0n, expires_at: now - 2n * 86_400_000n };
      await shop.database.kysely.updateTable("clicks").set(ended).execute();
      const report = reportOf(click, { occurredAt: now });
      await shop.read(report);
      expect((await shop.sale(report.saleKey)).state).to.equal("unmatched");
    });

    describe("holds for a person", () => {
      for (const [reason, more] of [
        ["drift", { status: "unknown" as const, drift: [FROZEN] }],
        ["no_rate", { currency: "EUR", commissionCurrency: "EUR" }],
        ["too_high", { reais: 10_000.01 }],
        ["too_fast", { occurredAt: BigInt(Date.now()) }],
        ["low_commission", { commissionMicros: 4_990_000n }],
      ] as const) {
        it(`${reason}: nothing of it is minted or paid`, async () => {
          const { shop, wallet, click } = await open();
          const report = reportOf(click, { ...payable, ...more });
          await shop.read(report);
          await shop.run();
          const sale = await shop.sale(report.saleKey);
          expect([sale.state, sale.hold_reasons]).to.deep.equal(["held", reason]);
          expect(await shop.database.kysely.selectFrom("operations").selectAll().execute()).to.deep.equal([]);
          expect(await shop.received(wallet)).to.equal(0);
        });
      }

      it("a click of another account's store, and an order under two wallets, both of them", async () => {
        const { shop, wallet, click } = await open();
        const stranger = await shop.buyer("b");
        const foreign = reportOf(click, payable);
        await shop.read(foreign, RULES, { network: "awin", account: "other" });
        expect((await shop.sale(foreign.saleKey)).hold_reasons).to.equal("other_account");
        const first = reportOf(click, { ...payable, orderRef: "twice" });
        const second = reportOf(await shop.click(stranger), { ...payable, orderRef: "twice" });
        await shop.read(first);
        await shop.read(second);
        await shop.run();
        for (const { saleKey } of [first, second])
          expect((await shop.sale(saleKey)).hold_reasons).to.equal("order_twice");
        expect([await shop.received(wallet), await shop.received(stranger)]).to.deep.equal([0, 0]);
      });

      it("more sales of one wallet in a day than are allowed", async () => {
        const { shop, wallet, click } = await open();
        const rules = { ...RULES, limits: { ...RULES.limits, salesPerDay: 2n } };
        const reports = [1, 2, 3].map(() => reportOf(click, payable));
        for (const report of reports) await shop.read(report, rules);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(10);
        expect((await shop.sale(reports[2]?.saleKey ?? "")).hold_reasons).to.equal("too_many");
      });

      it("more sales in a day than are allowed, though their time is missing or ahead of us", async () => {
        const { shop, wallet, click } = await open();
        await shop.database.kysely.updateTable("clicks").set({ created_at: 0n }).execute();
        const rules = { ...RULES, limits: { ...RULES.limits, salesPerDay: 2n } };
        const inDays = (days: number) => BigInt(Date.now() + days * 86_400_000);
        const times = [null, inDays(0), null, inDays(3), inDays(0)];
        const keys: string[] = [];
        for (const occurredAt of times) {
          const report = reportOf(click, { ...payable, occurredAt });
          keys.push(report.saleKey);
          await shop.read(report, rules);
        }
        await shop.run();
        expect(await shop.received(wallet)).to.equal(10);
        const found = await Promise.all(keys.map(async (key) => (await shop.sale(key)).hold_reasons));
        expect(found).to.deep.equal(["", "", "too_many", "too_many", "too_many"]);
      });

      it("a sale without a time that we read too soon after the click", async () => {
        const { shop, wallet, click } = await open();
        const report = reportOf(click, { ...payable, occurredAt: null });
        await shop.read(report);
        await shop.run();
        expect((await shop.sale(report.saleKey)).hold_reasons).to.equal("too_fast");
        expect(await shop.received(wallet)).to.equal(0);
      });

      it("a minted purchase too: it proceeds no further until it is released", async () => {
        const { shop, wallet, saleKey, click } = await story([
          approved,
          { ...payable, reais: 100, commissionMicros: 1n },
        ]);
        expect([(await shop.sale(saleKey)).state, await shop.received(wallet)]).to.deep.equal(["held", 0]);
        await shop.release(saleKey);
        await shop.run();
        expect([(await shop.sale(saleKey)).state, await shop.received(wallet)]).to.deep.equal(["settled", 5]);
        expect((await shop.sale(saleKey)).released_by).to.equal("admin");
        await shop.read(reportOf(click, { saleKey, ...payable, reais: 120, commissionMicros: 2n }));
        await shop.run();
        expect((await shop.sale(saleKey)).state, "other figures hold it again").to.equal("held");
        await shop.release(saleKey);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(6);
      });

      it("treats an unknown status as pending once the sale is released", async () => {
        const { shop, wallet, click } = await open();
        const report = reportOf(click, { status: "unknown", drift: [FROZEN], payable: true });
        await shop.read(report);
        await shop.release(report.saleKey);
        await shop.run();
        expect([(await shop.sale(report.saleKey)).state, await shop.received(wallet)]).to.deep.equal(["open", 0]);
        await shop.read({ ...report, ...payable, drift: null });
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
      });

      it("a decline is final, whatever the network says later", async () => {
        const { shop, wallet, click } = await open();
        const report = reportOf(click);
        await shop.read(report);
        await shop.run();
        const { id } = await shop.sale(report.saleKey);
        const decision = { rules: RULES, actor: "admin" };
        await inTransaction(shop.database.kysely, (queries) => declineSale(queries, id, "A fraud", decision));
        await shop.read({ ...report, ...payable });
        await shop.run();
        expect([(await shop.sale(report.saleKey)).state, await shop.received(wallet)]).to.deep.equal(["declined", 0]);
      });
    });

    it("counts commission, promised and paid cashback by the month of the sale", async () => {
      const { shop, click } = await open();
      const report = reportOf(click, { occurredAt: BigInt(Date.parse("2026-10-31T23:00:00Z")) });
      await shop.database.kysely.updateTable("clicks").set({ created_at: 1n }).execute();
      const gone = reportOf(click, { occurredAt: report.occurredAt });
      await shop.read(report);
      await shop.read(gone);
      await shop.read({ ...gone, ...declined });
      await shop.read({ ...report, ...payable, amountMicros: 60_000_000n, commissionMicros: 6_000_000n });
      await shop.run();
      const [row, ...others] = await shop.database.kysely.selectFrom("sale_totals").selectAll().execute();
      expect(others).to.deep.equal([]);
      expect(row).to.include({
        ...ACCOUNT,
        store_id: shop.storeId,
        month: "2026-10",
        sales: 1n,
        clicked_sales: 1n,
        amount_cents: 6_000n,
        commission_pending_cents: 0n,
        commission_cents: 600n,
        promised_cent_bps: 3_000_000n,
        paid_cent_bps: 3_000_000n,
      });
      const paid = async () =>
        (await shop.database.kysely.selectFrom("sale_totals").select("paid_cent_bps").executeTakeFirstOrThrow())
          .paid_cent_bps;
      // A partial return, then a full one: the debt is not paid out.
      await shop.read({ ...report, ...payable, amountMicros: 20_000_000n, commissionMicros: 2_000_000n });
      expect(await paid()).to.equal(1_000_000n);
      await shop.read({ ...report, ...declined });
      expect(await paid()).to.equal(0n);
      await shop.read({ ...report, ...payable });
      await shop.run();
      expect(await paid()).to.equal(5_000_000n);
    });

    it("settles a sale of a network without payment status once its hold is over and it is paid", async () => {
      const { shop, wallet, click } = await open();
      const report = reportOf(click, { ...approved, payable: null });
      await shop.read(report, { ...RULES, holdMs: 3_000n });
      expect([(await shop.sale(report.saleKey)).state, await shop.received(wallet)]).to.deep.equal(["approved", 0]);
      await until("it is paid", async () => {
        await shop.run();
        return (await shop.received(wallet)) === 5;
      });
      await shop.run();
      expect((await shop.sale(report.saleKey)).state).to.equal("settled");
    });

    it("never holds a sale for its time if there is no minimum time", async () => {
      const { shop, click } = await open();
      const early = reportOf(click, { occurredAt: click.created_at - 900n });
      await shop.read(early);
      expect((await shop.sale(early.saleKey)).state).to.equal("held");
      const timely = reportOf(click, { occurredAt: click.created_at - 900n });
      await shop.read(timely, { ...RULES, limits: { ...RULES.limits, minimumSeconds: 0n } });
      expect((await shop.sale(timely.saleKey)).state).to.equal("open");
    });

    it("reports drift for a sale without a buyer too", async () => {
      const { shop } = await open();
      const report = reportOf(undefined, { status: "unknown" });
      await shop.read(report);
      expect(await shop.sale(report.saleKey)).to.deep.include({ state: "unmatched", hold_reasons: "drift" });
    });
  });
});
