import { expect } from "chai";
import { insertStore } from "../../core/catalogue/store-rows.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { purchaseEncoders } from "../../core/purchases/encoders.ts";
import { decideApproval } from "../../core/purchases/staff.ts";
import { OwnSaleError } from "../../core/rules/sale/own-sale-error.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import { assignSale, type DecisionError, releaseSale, SaleChangedError } from "../../core/sales/decisions.ts";
import { requeueOperations } from "../../core/sender/moves.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";
import { ACCOUNT, RULES, reportOf, Shop, WEI_PER_CENT } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const declined = { status: "declined" } as const;
const reais = (amount: number) => ({ amountMicros: BigInt(amount * 1_000_000) });

/** Everything that a network, a shop, a feed or staff says can change later: the sale is decided anew. */
describe("A sale whose facts change", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      const debt = async (of = wallet) => Number(await outstandingDebt(shop.database.kysely, of)) / 1e9;
      return { shop, wallet, click, debt };
    }
    const withRates = (rates: Record<string, bigint>) => ({
      ...RULES,
      fx: { url: undefined, fixed: new Map(Object.entries(rates)) },
    });

    describe("in its amount", () => {
      it("takes the rate of a corrected currency, and the first one again if it returns", async () => {
        const { shop, wallet, click, debt } = await open();
        const report = reportOf(click, { ...payable, reais: 10, currency: "USD", commissionMicros: null });
        await shop.read({ ...report, payable: false });
        const rules = withRates({ USD: 9_000_000n, JPY: 30_000n });
        await shop.read({ ...report, currency: "JPY" }, rules);
        await shop.run();
        // 10 yen are 30 centavos: at 5 %, 1.5 centavos.
        expect(await shop.received(wallet)).to.equal(0.015);
        await shop.read(report, rules);
        await shop.run();
        expect([await shop.received(wallet), await debt()]).to.deep.equal([2.5, 0]);
      });

      it("converts a commission in another currency by that currency's rate", async () => {
        const { shop, wallet, click } = await open();
        const report = reportOf(click, { ...payable, commissionMicros: 2_000_000n, commissionCurrency: "USD" });
        await shop.read(report);
        await shop.run();
        expect([(await shop.sale(report.saleKey)).commission_cents, await shop.received(wallet)]).to.deep.equal([
          1_000n,
          5,
        ]);
      });

      it("lowers a network's figure in reais in proportion, and holds one that stayed while the amount rose", async () => {
        const { shop, wallet, click } = await open();
        const report = reportOf(click, {
          ...payable,
          currency: "EUR",
          trackedBrlMicros: 420_000_000n,
          commissionMicros: null,
        });
        await shop.read(report);
        await shop.read({ ...report, ...reais(25) });
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5.25);
        await shop.read({ ...report, ...reais(200) });
        expect((await shop.sale(report.saleKey)).hold_reasons).to.equal("drift");
        await shop.read({ ...report, currency: "USD" });
        expect((await shop.sale(report.saleKey)).hold_reasons).to.equal("drift");
      });

      /** docs/product.md#sales-contradictions */
      for (const [what, change] of Object.entries<Partial<SaleReport>>({
        "a figure in reais of 0": { trackedBrlMicros: 0n },
        "a negative figure in reais": { trackedBrlMicros: -210_000_000n },
        "a figure in reais that is gone": { trackedBrlMicros: null },
        "an amount of 0 beside another figure in reais": { amountMicros: 0n, trackedBrlMicros: 200_000_000n },
        "parts of nothing": { parts: [{ group: "fashion", amountMicros: 0n }] },
        "a negative commission": { commissionMicros: -1_000_000n },
      })) {
        it(`holds ${what}, which is no debt`, async () => {
          const { shop, wallet, click, debt } = await open();
          const report = reportOf(click, {
            ...payable,
            ...reais(40),
            currency: "USD",
            trackedBrlMicros: 210_000_000n,
            commissionMicros: null,
          });
          await shop.read(report);
          await shop.run();
          const totals = await shop.database.kysely.selectFrom("sale_totals").selectAll().execute();
          await shop.read({ ...report, ...change });
          await shop.run();
          const { state, hold_reasons } = await shop.sale(report.saleKey);
          expect([state, hold_reasons, await shop.received(wallet), await debt()]).to.deep.equal([
            ...["held", "drift", 10.5, 0],
          ]);
          for (const row of await shop.database.kysely.selectFrom("sale_totals").selectAll().execute()) {
            const before = totals.find(({ month }) => month === row.month);
            expect([row.paid_cent_bps, row.amount_cents >= 0n, row.commission_cents >= 0n]).to.deep.equal([
              ...[before?.paid_cent_bps, true, true],
            ]);
          }
          await shop.read(report);
          await shop.run();
          expect([(await shop.sale(report.saleKey)).state, await debt()]).to.deep.equal(["settled", 0]);
        });
      }

      it("keeps the rate of an entitlement that is restored, and gives an increase its own", async () => {
        const { shop, wallet, click, debt } = await open();
        const report = reportOf(click, payable);
        await shop.read(report);
        await shop.run();
        await shop.read({ ...report, ...declined });
        await shop.read(reportOf(click, { ...payable, reais: 100 }));
        await shop.run();
        expect([await shop.received(wallet), await debt()]).to.deep.equal([5, 0]);
        shop.weiPerCent = 2n * WEI_PER_CENT;
        await shop.read(report);
        await shop.run();
        expect(await shop.received(wallet), "what was taken at one rate comes back at that rate").to.equal(10);
        await shop.read({ ...report, ...reais(140) });
        await shop.run();
        expect(await shop.received(wallet), "R$ 40 more at twice the rate").to.equal(14);
        await shop.read({ ...report, ...reais(40) });
        expect(await debt(), "all of the increase, and R$ 60 of the first").to.equal(7);
      });

      it("keeps a confirmed rate when it moves to another click of its wallet, and to none of another wallet", async () => {
        const { shop, wallet, click } = await open();
        const report = reportOf(click, { ...payable, payable: false });
        await shop.read(report);
        await shop.run();
        await shop.read({ ...report, ...reais(40) });
        shop.weiPerCent = 2n * WEI_PER_CENT;
        const second = { ...report, clickRef: (await shop.click(wallet)).token };
        await shop.read({ ...second, ...reais(40) });
        const other = await shop.buyer("b");
        const lost = reportOf(click, { ...payable, payable: false });
        await shop.read(lost);
        await shop.run();
        shop.weiPerCent = 4n * WEI_PER_CENT;
        await shop.read({ ...second, payable: true });
        await shop.read({ ...lost, payable: true, clickRef: (await shop.click(other)).token });
        await shop.run();
        expect(await shop.received(wallet), "R$ 100 at the rate of their first confirmation").to.equal(5);
        expect(await shop.received(other), "R$ 100 at the rate of now").to.equal(20);
      });

      it("records a debt although the sale is held", async () => {
        const { shop, wallet, click, debt } = await open();
        const report = reportOf(click, payable);
        await shop.read(report);
        await shop.run();
        await shop.read({ ...report, ...reais(40), commissionMicros: 1n });
        expect((await shop.sale(report.saleKey)).state).to.equal("held");
        expect(await debt()).to.equal(3);
        await shop.read(reportOf(click, payable));
        await shop.run();
        expect(await shop.received(wallet)).to.equal(7);
      });
    });

    describe("in what cannot be read", () => {
      it("is held by another drift than the one that was released, and never counts as nothing", async () => {
        const { shop, wallet, click, debt } = await open();
        const report = reportOf(click, { ...payable, drift: [{ code: "odd", field: "site", value: "5" }] });
        await shop.read(report);
        await shop.release(report.saleKey);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
        const unread: SaleReport = {
          ...report,
          ...reais(0),
          drift: [{ code: "odd", field: "amount", value: '"100,00"' }],
          isUnread: true,
        };
        await shop.read(unread);
        await shop.run();
        expect([(await shop.sale(report.saleKey)).state, await debt()]).to.deep.equal(["held", 0]);
        const refused = await shop.release(report.saleKey).catch((error: Error) => error.message);
        expect(refused).to.match(/cannot be read/);
      });
    });

    describe("in its buyer or store", () => {
      it("moves with its click until its payout is queued, then it is held", async () => {
        const { shop, wallet, click } = await open();
        const stranger = await shop.buyer("b");
        const other = await shop.click(stranger);
        const report = reportOf(click);
        await shop.read(report);
        await shop.run();
        await shop.read({ ...report, ...payable, clickRef: other.token });
        await shop.run();
        expect([await shop.received(wallet), await shop.received(stranger)]).to.deep.equal([0, 5]);
        await shop.read({ ...report, ...payable, clickRef: null });
        expect((await shop.sale(report.saleKey)).wallet, "an empty reference takes nothing away").to.equal(stranger);
        await shop.read({ ...report, ...payable });
        const sale = await shop.sale(report.saleKey);
        expect([sale.wallet, sale.hold_reasons]).to.deep.equal([stranger, "buyer_changed"]);
      });

      it("is held at the third change", async () => {
        const { shop, click } = await open();
        const other = await shop.click(await shop.buyer("b"));
        const report = reportOf(click);
        for (const clickRef of [click.token, other.token, click.token]) await shop.read({ ...report, clickRef });
        expect((await shop.sale(report.saleKey)).state).to.equal("open");
        await shop.read({ ...report, clickRef: other.token });
        const sale = await shop.sale(report.saleKey);
        expect([sale.click_id, sale.hold_reasons]).to.deep.equal([click.id, "buyer_changed"]);
      });

      it("stays held though the hold takes back the payout that had been queued, and is decided again", async () => {
        const { shop, wallet, click } = await open();
        const stranger = await shop.click(await shop.buyer("b"));
        const report = reportOf(click, payable);
        await shop.read(report);
        await shop.runUntil("pay");
        await shop.read({ ...report, clickRef: stranger.token });
        await shop.run();
        const { hold_reasons, wallet: of } = await shop.sale(report.saleKey);
        expect([hold_reasons, of]).to.deep.equal(["buyer_changed", wallet]);
        expect([await shop.received(wallet), await shop.received(stranger.wallet)]).to.deep.equal([0, 0]);
      });

      it("stays with the buyer whom staff assigned until the network names a different click", async () => {
        const { shop, wallet, click } = await open();
        const stranger = await shop.click(await shop.buyer("b"));
        const lapsed = await shop.click(wallet);
        const yesterday = BigInt(Date.now()) - 86_400_000n;
        await shop.database.kysely
          .updateTable("clicks")
          .set({ expires_at: yesterday - 2n * 86_400_000n })
          .where("id", "=", lapsed.id)
          .execute();
        const report = reportOf(lapsed, { occurredAt: yesterday });
        await shop.read(report);
        const { id } = await shop.sale(report.saleKey);
        await inTransaction(shop.database.kysely, (queries) =>
          assignSale(queries, id, stranger.token, { rules: RULES, actor: "admin" }),
        );
        await shop.read({ ...report, occurredAt: BigInt(Date.now() + 30_000) });
        expect((await shop.sale(report.saleKey)).click_id).to.equal(stranger.id);
        await shop.read({ ...report, clickRef: click.token, occurredAt: BigInt(Date.now() + 30_000) });
        expect((await shop.sale(report.saleKey)).click_id).to.equal(click.id);
      });

      it("is held if another advertiser sold it; only an assignment lifts that, at the lower percent", async () => {
        const { shop, wallet, click } = await open();
        const report = reportOf(click, { ...payable, advertiserId: "17001" });
        await shop.read(report);
        const sale = await shop.sale(report.saleKey);
        expect(sale.hold_reasons).to.equal("other_store");
        expect(await shop.release(report.saleKey).catch((error: Error) => error.message)).to.match(/Another store/);
        const store = { name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "9, 17001" };
        const { id } = await shop.database.kysely
          .insertInto("stores")
          .values({ ...store, featured: 0n, created_at: 1n, updated_at: 1n })
          .returning("id")
          .executeTakeFirstOrThrow();
        await shop.database.kysely
          .insertInto("store_cashbacks")
          .values([
            { store_id: id, category: "Tudo", cashback_bps: 200n, deleted_at: null, created_at: 1n, updated_at: 1n },
            // What the seller deleted promises nothing any more, and lowers nothing.
            { store_id: id, category: "Nada", cashback_bps: 0n, deleted_at: 1n, created_at: 1n, updated_at: 1n },
          ])
          .execute();
        await inTransaction(shop.database.kysely, (queries) =>
          assignSale(queries, sale.id, click.token, { rules: RULES, actor: "admin", holds: ["other_store"] }),
        );
        await shop.run();
        expect(await shop.received(wallet)).to.equal(2);
      });

      it("is paid at the rate of its own confirmation once staff assign it to another buyer", async () => {
        const { shop, wallet, click } = await open();
        const other = { name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "17001" };
        const storeId = await insertStore(shop.database.kysely, other);
        const right = await shop.click(await shop.buyer("b"), undefined, storeId);
        const report = reportOf(click, { status: "approved" });
        await shop.read(report);
        await shop.run();
        await shop.read({ ...report, advertiserId: "17001" });
        const { id } = await shop.sale(report.saleKey);
        shop.weiPerCent = 2n * WEI_PER_CENT;
        await inTransaction(shop.database.kysely, (queries) =>
          assignSale(queries, id, right.token, { rules: RULES, actor: "admin", holds: ["other_store"] }),
        );
        await shop.read({ ...report, ...payable, advertiserId: "17001" });
        await shop.run();
        expect((await shop.purchases()).map((one) => [one.wallet, one.wei_per_cent])).to.deep.equal([
          [wallet, WEI_PER_CENT],
          [right.wallet, 2n * WEI_PER_CENT],
        ]);
        expect(await shop.received(wallet)).to.equal(0);
      });

      it("stays with the buyer and store that were paid, whatever staff assign it to", async () => {
        const { shop, wallet, click } = await open();
        const other = { name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "17001" };
        const stranger = await shop.click(await shop.buyer("b"));
        const elsewhere = await shop.click(wallet, undefined, await insertStore(shop.database.kysely, other));
        const report = reportOf(click, payable);
        await shop.read(report);
        await shop.run();
        await shop.read({ ...report, advertiserId: "17001" });
        const { id, hold_reasons } = await shop.sale(report.saleKey);
        expect([await shop.received(wallet), hold_reasons]).to.deep.equal([5, "other_store"]);
        const assign = ({ token }: { token: string }) =>
          inTransaction(shop.database.kysely, (queries) =>
            assignSale(queries, id, token, { rules: RULES, actor: "admin" }),
          ).catch(({ why }: DecisionError) => why);
        expect([await assign(stranger), await assign(elsewhere)]).to.deep.equal(["paid", "paid"]);
        expect(await assign(click), "to its own click, at the lower percent").to.equal(true);
        await shop.run();
        expect([await shop.received(wallet), await shop.received(stranger.wallet)]).to.deep.equal([5, 0]);
      });
    });

    describe("once an order", () => {
      it("is held under another id, trimmed and case-folded, and goes on when the other one is declined", async () => {
        const { shop, wallet, click } = await open();
        const again = await shop.click(wallet);
        const first = reportOf(click, { ...payable, orderRef: "ord-77" });
        const second = reportOf(again, { ...payable, orderRef: " ORD-77 " });
        await shop.read(first);
        await shop.run();
        await shop.read(second);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
        expect((await shop.sale(second.saleKey)).hold_reasons).to.equal("order_twice");
        expect((await shop.sale(first.saleKey)).state, "the paid one is not touched").to.equal("settled");
        await shop.read({ ...first, ...declined });
        await shop.run();
        expect((await shop.sale(second.saleKey)).state).to.equal("settled");
        expect(await shop.received(wallet), "its debt is kept from the second").to.equal(5);
      });

      it("goes on in parts that a network reports within ten minutes for one click", async () => {
        const { shop, wallet, click } = await open();
        const part = () => reportOf(click, { ...payable, orderRef: "ord-78", reais: 50 });
        await shop.read(part());
        await shop.read(part());
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
        await shop.database.kysely
          .updateTable("sales")
          .set({ created_at: BigInt(Date.now() - 700_000) })
          .execute();
        const late = part();
        await shop.read(late);
        expect((await shop.sale(late.saleKey)).hold_reasons).to.equal("order_twice");
      });

      it("is held at two stores of one named merchant", async () => {
        const { shop, wallet, click } = await open();
        const { kysely } = shop.database;
        const other = await insertStore(kysely, {
          ...{ name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "5, 6" },
          merchant: "acme",
        });
        await kysely.updateTable("stores").set({ merchant: "ACME" }).where("id", "=", shop.storeId).execute();
        const there = await shop.click(wallet);
        await kysely.updateTable("clicks").set({ store_id: other }).where("id", "=", there.id).execute();
        await shop.read(reportOf(click, { ...payable, orderRef: "9" }));
        const second = reportOf(there, { ...payable, orderRef: "9", advertiserId: "6" });
        await shop.read(second);
        expect((await shop.sale(second.saleKey)).hold_reasons, "and its second id is its own").to.equal("order_twice");
        const lost = reportOf(undefined, { advertiserId: "6" });
        await shop.read(lost);
        expect((await shop.sale(lost.saleKey)).store_id).to.equal(other);
      });

      it("is one order from the moment when two stores get the same merchant, also for earlier sales", async () => {
        const { shop, wallet, click } = await open();
        const { kysely } = shop.database;
        const other = await insertStore(kysely, {
          ...{ name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "6" },
          merchant: "other",
        });
        const there = await shop.click(wallet);
        await kysely.updateTable("clicks").set({ store_id: other }).where("id", "=", there.id).execute();
        await shop.read(reportOf(click, { ...payable, orderRef: "9" }));
        await shop.run();
        const paid = await shop.received(wallet);
        await kysely.updateTable("stores").set({ merchant: "OTHER" }).where("id", "=", shop.storeId).execute();
        const second = reportOf(there, { ...payable, orderRef: "9", advertiserId: "6" });
        await shop.read(second);
        await shop.run();
        expect((await shop.sale(second.saleKey)).hold_reasons).to.equal("order_twice");
        expect(await shop.received(wallet)).to.equal(paid);
      });

      it("is held however many sales have its number at other merchants, or another number decided with it", async () => {
        const { shop, wallet, click } = await open();
        const other = { name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "6" };
        const stranger = await shop.buyer("b");
        const there = await shop.click(stranger, undefined, await insertStore(shop.database.kysely, other));
        const crowd = async (orderRef: string) => {
          const one = reportOf(there, { advertiserId: "6", orderRef });
          await shop.read(one);
          await repeatSale(shop, one.saleKey, 2_500);
          return (await shop.sale(one.saleKey)).id;
        };
        const crowded = await crowd("0");
        await crowd("ord-79");
        const first = reportOf(click, { ...payable, orderRef: "ord-79" });
        await shop.read(first);
        await shop.run();
        const second = reportOf(await shop.click(wallet), { ...payable, orderRef: "ord-79" });
        await shop.read(second);
        const { id, hold_reasons, hold_figures } = await shop.sale(second.saleKey);
        expect(hold_reasons, "decided alone").to.equal("order_twice");
        await inTransaction(shop.database.kysely, (queries) => decideSales(queries, [crowded, id], RULES));
        const together = await shop.sale(second.saleKey);
        expect([together.hold_reasons, together.hold_figures]).to.deep.equal([hold_reasons, hold_figures]);
        await shop.run();
        expect(await shop.received(wallet), "once").to.equal(5);
      });

      it("goes on once all others of a crowded number are declined", async () => {
        const { shop, wallet } = await open();
        const first = reportOf(await shop.click(await shop.buyer("b")), { orderRef: "0" });
        await shop.read({ ...first, ...declined });
        await repeatSale(shop, first.saleKey, 2_500);
        const [second, third] = [await shop.click(wallet), await shop.click(wallet)].map((one) =>
          reportOf(one, { ...payable, orderRef: "0" }),
        );
        if (!second || !third) throw new Error("Two sales");
        await shop.read(second);
        expect((await shop.sale(second.saleKey)).state, "declined ones do not count").to.equal("payable");
        await shop.read(third);
        expect((await shop.sale(third.saleKey)).hold_reasons).to.equal("order_twice");
        await shop.read({ ...second, ...declined });
        expect((await shop.sale(third.saleKey)).state).to.equal("payable");
      });

      it("goes on when the other one gets another order number, or moves to another merchant", async () => {
        const { shop, wallet, click } = await open();
        const other = { name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "6" };
        const there = await shop.click(wallet, undefined, await insertStore(shop.database.kysely, other));
        const again = await shop.click(wallet);
        for (const change of [{ orderRef: "A2" }, { clickRef: there.token, advertiserId: "6" }]) {
          const first = reportOf(click, { orderRef: "A1" });
          const second = reportOf(again, { orderRef: "a1" });
          for (const one of [first, second]) await shop.read(one);
          expect((await shop.sale(second.saleKey)).hold_reasons).to.equal("order_twice");
          await shop.read({ ...first, ...change });
          expect(
            [await shop.sale(first.saleKey), await shop.sale(second.saleKey)].map(({ state }) => state),
          ).to.deep.equal(["open", "open"]);
          for (const one of [first, second]) await shop.read({ ...one, ...declined });
        }
      });

      it("is released for its amount and buyer alone", async () => {
        const { shop, wallet, click } = await open();
        const second = reportOf(await shop.click(wallet), { ...payable, orderRef: "A1" });
        await shop.read(reportOf(click, { orderRef: "A1" }));
        await shop.read(second);
        await shop.release(second.saleKey);
        expect((await shop.sale(second.saleKey)).state).to.equal("payable");
        await shop.read({ ...second, ...reais(101) });
        expect((await shop.sale(second.saleKey)).state, "more").to.equal("held");
        await shop.read({ ...second, ...reais(99) });
        expect((await shop.sale(second.saleKey)).state, "less").to.equal("payable");
        await shop.read({ ...second, ...reais(99), clickRef: (await shop.click(await shop.buyer("b"))).token });
        expect((await shop.sale(second.saleKey)).state, "another buyer").to.equal("held");
      });

      it("is held at a second network of one merchant", async () => {
        const { shop, wallet, click } = await open();
        const store = { name: "Loja", country: "Brasil", network: "admitad", account: "main", advertiser_id: "5" };
        await shop.database.kysely.updateTable("stores").set({ store_url: "https://www.loja.example/" }).execute();
        const { id } = await shop.database.kysely
          .insertInto("stores")
          .values({
            ...store,
            name: "Loja 2",
            store_url: "https://loja.example/x",
            featured: 0n,
            created_at: 1n,
            updated_at: 1n,
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        const there = await shop.click(wallet);
        await shop.database.kysely.updateTable("clicks").set({ store_id: id }).where("id", "=", there.id).execute();
        await shop.read(reportOf(click, { ...payable, orderRef: "9" }));
        const second = reportOf(there, { ...payable, orderRef: "9", advertiserId: null });
        const rules = { ...RULES, accounts: [ACCOUNT, { network: "admitad", account: "main" }] };
        await shop.read(second, rules, { network: "admitad", account: "main" });
        expect((await shop.sale(second.saleKey)).hold_reasons).to.equal("order_twice");
      });
    });

    describe("by people", () => {
      it("a decision names the reasons that it saw", async () => {
        const { shop, click } = await open();
        const report = reportOf(click, { ...payable, commissionMicros: 1n });
        await shop.read(report);
        const { id, revision_id } = await shop.sale(report.saleKey);
        const twice = reportOf(await shop.click(await shop.buyer("b")), { ...payable, orderRef: report.orderRef });
        await shop.read(twice);
        const outcome = await inTransaction(shop.database.kysely, (queries) =>
          releaseSale(queries, id, {
            rules: RULES,
            actor: "admin",
            revision: revision_id ?? undefined,
            holds: ["low_commission"],
          }),
        ).catch((error: unknown) => error);
        expect(outcome).to.be.instanceOf(SaleChangedError);
      });

      it("what a person assigned waits for a second one where it grows above the limit afterwards", async () => {
        const { shop, wallet, click } = await open();
        shop.approvals = { aboveGwei: 8_000_000_000n, roleOf: () => "operator" };
        const report = reportOf(undefined, { reais: 10 });
        await shop.read(report);
        const { id } = await shop.sale(report.saleKey);
        await inTransaction(shop.database.kysely, (queries) =>
          assignSale(queries, id, click.token, { rules: RULES, actor: "admin" }),
        );
        await shop.read({ ...report, ...payable, ...reais(500), commissionMicros: 100_000_000n });
        await shop.run();
        expect(await shop.received(wallet)).to.equal(0);
        const asked = await shop.database.kysely.selectFrom("approvals").selectAll().execute();
        expect(asked.map((one) => [one.state, one.amount_gwei, one.asked_by])).to.deep.equal([
          ["open", 25_000_000_000n, "admin"],
        ]);
        await shop.read({ ...report, ...payable, ...reais(300), commissionMicros: 100_000_000n });
        await shop.run();
        const states = await shop.database.kysely.selectFrom("approvals").select("state").orderBy("id").execute();
        expect(
          states.map(({ state }) => state),
          "asked anew in its new amount",
        ).to.deep.equal(["lapsed", "open"]);
        const { id: open_ } = await shop.database.kysely
          .selectFrom("approvals")
          .select("id")
          .where("state", "=", "open")
          .executeTakeFirstOrThrow();
        await inTransaction(shop.database.kysely, (queries) =>
          decideApproval(queries, open_, { isApproved: true, actor: "other", reason: null }),
        );
        await shop.run();
        expect(await shop.received(wallet)).to.equal(15);
      });

      it("nobody decides about their own wallet", async () => {
        const { shop, wallet, click } = await open();
        const unmatched = reportOf(undefined, payable);
        await shop.read(unmatched);
        const { id } = await shop.sale(unmatched.saleKey);
        const own = await inTransaction(shop.database.kysely, (queries) =>
          assignSale(queries, id, click.token, { rules: RULES, actor: wallet }),
        ).catch((error: unknown) => error);
        expect(own).to.be.instanceOf(OwnSaleError);
      });
    });

    it("is asked again before a payout that reverted is sent again", async () => {
      const { shop, wallet, click, debt } = await open();
      const { kysely } = shop.database;
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.runUntil("pay");
      const pay = await kysely.selectFrom("operations").selectAll().where("kind", "=", "pay").executeTakeFirstOrThrow();
      const transactionId = await shop.send(pay);
      await shop.read({ ...report, ...declined });
      expect(await debt(), "it counts as paid while it is in flight").to.equal(5);
      const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer: wallet, rules: RULES });
      await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transactionId, "reverted"));
      await shop.run();
      expect([await shop.received(wallet), await debt()]).to.deep.equal([0, 0]);
    });

    it("keeps nothing of another sale for a payout that can still revert", async () => {
      const { shop, wallet, click, debt } = await open();
      const { kysely } = shop.database;
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.runUntil("pay");
      const pay = await kysely.selectFrom("operations").selectAll().where("kind", "=", "pay").executeTakeFirstOrThrow();
      const transactionId = await shop.send(pay);
      await shop.read({ ...report, ...declined });
      expect(await debt()).to.equal(5);
      await shop.read(reportOf(await shop.click(wallet), { ...payable, reais: 60 }));
      await shop.run();
      const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer: wallet, rules: RULES });
      await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transactionId, "reverted"));
      await shop.run();
      expect([await shop.received(wallet), await debt()]).to.deep.equal([3, 0]);
    });

    it("is deducted from a payout of another sale that was queued before, and is not sent", async () => {
      const { shop, wallet, click, debt } = await open();
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.run();
      const other = reportOf(await shop.click(wallet), { ...payable, payable: false, reais: 200 });
      await shop.read(other);
      await shop.run();
      await shop.read({ ...other, payable: true });
      await shop.plan();
      await shop.read({ ...report, ...declined });
      await shop.run();
      expect([await shop.received(wallet), await debt()]).to.deep.equal([10, 0]);
    });

    it("gives back in full what it took of another sale, though its second payout was in flight and reverted", async () => {
      const { shop, wallet, click, debt } = await open();
      const { kysely } = shop.database;
      const report = reportOf(click, { ...payable, reais: 40, commissionMicros: null });
      await shop.read(report);
      await shop.run();
      await shop.read({ ...report, ...reais(100), payable: false });
      await shop.run();
      await shop.read({ ...report, ...reais(100) });
      await shop.plan();
      const pays = kysely.selectFrom("operations").selectAll().where("kind", "=", "pay").where("status", "=", "queued");
      const transactionId = await shop.send(await pays.executeTakeFirstOrThrow());
      await shop.read({ ...report, ...reais(100), ...declined });
      // It pays back the two of the first payout; nothing is kept for the second one.
      await shop.read(reportOf(await shop.click(wallet), { ...payable, reais: 60 }));
      await shop.run();
      expect([await shop.received(wallet), await debt()]).to.deep.equal([3, 3]);
      await shop.read({ ...report, ...reais(100) });
      const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer: wallet, rules: RULES });
      await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transactionId, "reverted"));
      await kysely
        .updateTable("operations")
        .set({ status: "queued", not_before: 0n })
        .where("status", "=", "waiting")
        .execute();
      await shop.run();
      expect([await shop.received(wallet), await debt()]).to.deep.equal([8, 0]);
    });

    it("leaves no debt in the books if the payout reverted while the sale was held, and the sale moved on", async () => {
      const { shop, wallet, click } = await open();
      const { kysely } = shop.database;
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.runUntil("pay");
      const pay = await kysely.selectFrom("operations").selectAll().where("kind", "=", "pay").executeTakeFirstOrThrow();
      const transactionId = await shop.send(pay);
      await shop.read({ ...report, amountMicros: 0n, drift: [{ code: "missing", field: "odd" }] });
      const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer: wallet, rules: RULES });
      await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transactionId, "reverted"));
      const owed = async () => {
        const rows = await kysely.selectFrom("adjustments").select("cent_bps").execute();
        return rows.reduce((sum, { cent_bps }) => sum + cent_bps, 0n);
      };
      expect(Number(await owed())).to.be.above(0);
      const other = await shop.click(await shop.buyer("9"));
      await shop.read({
        ...report,
        clickRef: other.token,
        amountMicros: 0n,
        drift: [{ code: "missing", field: "odder" }],
      });
      expect(await owed()).to.equal(0n);
    });
  });
});

/** A network reports a sale so often again, each time with another key: rows as they were decided. */
async function repeatSale({ database: { kysely } }: Shop, saleKey: string, times: number): Promise<void> {
  const { id: _id, ...row } = await kysely
    .selectFrom("sales")
    .selectAll()
    .where("sale_key", "=", saleKey)
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: times }, (_, index) => ({ ...row, sale_key: `${saleKey}-${index}` }));
  for (let start = 0; start < times; start += 500) {
    await kysely
      .insertInto("sales")
      .values(rows.slice(start, start + 500))
      .execute();
  }
}
