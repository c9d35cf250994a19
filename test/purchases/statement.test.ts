import { expect } from "chai";
import { toWireStatement } from "../../api/people/profile.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { listPurchases } from "../../core/purchases/queries.ts";
import { readBuyerTotals } from "../../core/purchases/shop-totals.ts";
import { readStatement } from "../../core/purchases/statement.ts";
import { purchaseViewAt, situationIn, toPurchaseRecord } from "../../core/purchases/view.ts";
import { readPanelPurchases } from "../../core/purchases/waiting.ts";
import { chzTextFromGwei } from "../../core/rules/money.ts";
import { SITUATIONS } from "../../core/rules/purchase/situation.ts";
import { RULES, reportOf, Shop, WEI_PER_CENT } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";

const approved = { status: "approved" } as const;
const payable = { status: "approved", payable: true } as const;
const DAY_MS = 86_400_000n;

/** docs/product.md#statement */
describe("A buyer's statement", function () {
  this.timeout(300_000);
  onBothEngines((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      const { kysely } = shop.database;
      const read = async ({ credit = 0n, isLive = true } = {}) => {
        const cursor = await kysely.selectFrom("chain_cursor").select("block_number").executeTakeFirstOrThrow();
        const view = purchaseViewAt(cursor.block_number, { rate: WEI_PER_CENT, confirmations: 1, isLive });
        const totals = await readBuyerTotals(kysely, wallet);
        const statement = await readStatement(kysely, wallet, { totals, view, readCredit: async () => credit });
        const { next_at, ...figures } = toWireStatement(statement);
        const rows = await listPurchases(kysely, wallet, { limit: 100 });
        for (const row of await readPanelPurchases(
          kysely,
          rows.map((one) => one.id),
        )) {
          const { panel } = SITUATIONS[situationIn(row, view)];
          expect(panel, `${situationIn(row, view)} in the panel`).to.include(row.state);
        }
        const records = rows.map((row) => toPurchaseRecord(row, view));
        return { figures, next_at, statement, records, situations: records.map((one) => one.situation) };
      };
      return { shop, wallet, click, read };
    }
    const figures = (in_wallet: number, on_the_way: number, waiting: number, to_offset: number, deducted = 0) => ({
      ...{ in_wallet: String(in_wallet), on_the_way: String(on_the_way) },
      ...{ waiting: String(waiting), to_offset: String(to_offset) },
      ...{ deducted: String(deducted), total: String(in_wallet + on_the_way + waiting + deducted) },
      sum: String(in_wallet + on_the_way + waiting - to_offset),
    });

    it("has each purchase in one figure at every step, from the report to the wallet", async () => {
      const { shop, click, read } = await open();
      const report = reportOf(click);
      await shop.read(report);
      expect(await read()).to.deep.include({ figures: figures(0, 0, 5, 0), situations: ["recorded"] });
      await shop.run();
      expect(await read()).to.deep.include({ figures: figures(0, 0, 5, 0), situations: ["awaiting_store"] });
      await shop.read({ ...report, ...approved });
      await shop.run();
      expect(await read()).to.deep.include({ figures: figures(0, 5, 0, 0), situations: ["awaiting_network"] });
      shop.rules = { ...RULES, holdMs: 30n * DAY_MS };
      await shop.read({ ...report, ...approved, payable: null }, shop.rules);
      await shop.run();
      const waiting = await read();
      expect(waiting).to.deep.include({ figures: figures(0, 5, 0, 0), situations: ["waiting_period"] });
      expect(Date.parse(waiting.next_at ?? "")).to.be.greaterThan(Date.now() + Number(29n * DAY_MS));
      shop.rules = RULES;
      await shop.read(reportOf(click, payable));
      await shop.runUntil("pay");
      expect((await read()).figures).to.deep.equal(figures(0, 10, 0, 0));
      expect((await read()).situations).to.deep.equal(["paying", "waiting_period"]);
      await shop.run();
      expect((await read()).figures).to.deep.equal(figures(5, 5, 0, 0));
    });

    it("has a debt in a figure of its own until it is netted, and says what was kept", async () => {
      const { shop, click, read } = await open();
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.run();
      await shop.read({ ...report, status: "declined" });
      await shop.run();
      expect(await read()).to.deep.include({ figures: figures(5, 0, 0, 5), situations: ["paid_then_returned"] });
      const [purchase] = await shop.purchases();
      const settle = async (settled_at: bigint | null) => {
        await shop.database.kysely.updateTable("purchases").set({ settled_at }).execute();
        await shop.recount([purchase?.id ?? 0n]);
      };
      await settle(null);
      expect((await read()).figures, "before the payout is long final").to.deep.equal(figures(5, 0, 0, 5));
      await settle(purchase?.settled_at ?? null);
      const next = reportOf(click, { reais: 160 });
      await shop.read(next);
      await shop.run();
      expect((await read()).figures, "8 are coming, 5 of them will be kept").to.deep.equal(figures(5, 0, 8, 5));
      await shop.read({ ...next, ...payable });
      await shop.run();
      const after = await read();
      expect(after.figures).to.deep.equal(figures(8, 0, 0, 0, 5));
      const [newest] = after.records;
      expect([newest?.paid_amount, newest?.kept_amount]).to.deep.equal(["3", "5"]);
      await shop.read({ ...next, status: "declined" });
      await shop.read(reportOf(click, { ...payable, reais: 20 }));
      await shop.run();
      expect((await read()).situations[0]).to.equal("netted");
      expect((await read()).figures, "1 of 8 is kept").to.deep.equal(figures(8, 0, 0, 7, 6));
    });

    it("has what is held for a person among what waits, with and without a ticket", async () => {
      const { shop, click, read } = await open();
      const report = reportOf(click, { ...payable, commissionMicros: 1n });
      await shop.read(report);
      await shop.run();
      const held = await read();
      expect([held.figures, held.situations]).to.deep.equal([figures(0, 0, 5, 0), []]);
      expect(held.statement.inReview.map((one) => chzTextFromGwei(one.gwei))).to.deep.equal(["5"]);
      await shop.release(report.saleKey);
      await shop.run();
      expect(await read()).to.deep.include({ figures: figures(5, 0, 0, 0), situations: ["paid"] });
      const other = reportOf(click, approved);
      await shop.read(other);
      await shop.run();
      await shop.read({ ...other, commissionMicros: 1n });
      expect((await read()).situations[0]).to.equal("in_review");
      expect((await read()).figures).to.deep.equal(figures(5, 0, 5, 0));
      await shop.read({ ...other, status: "declined" });
      await shop.run();
      expect((await read()).situations[0]).to.equal("declined");
      expect((await read()).figures).to.deep.equal(figures(5, 0, 0, 0));
    });

    it("has a refused payout on the way while its credit waits, and in the wallet afterwards", async () => {
      const { shop, click, read } = await open();
      await shop.read(reportOf(click, payable));
      await shop.run();
      await inTransaction(shop.database.kysely, (queries) =>
        queries.updateTable("payouts").set({ state: "deferred" }).execute(),
      );
      const [purchase] = await shop.purchases();
      await shop.recount([purchase?.id ?? 0n]);
      const chz = 10n ** 18n;
      expect(await read({ credit: 5n * chz })).to.deep.include({
        figures: figures(0, 5, 0, 0),
        situations: ["credit"],
      });
      expect((await read({ credit: 5n * chz })).statement.credit).to.equal(5n * 10n ** 9n);
      const withdrawn = await read({ credit: 0n });
      expect(withdrawn.figures).to.deep.equal(figures(5, 0, 0, 0));
      expect(withdrawn.statement.credit).to.equal(0n);
    });

    it("promises nothing for simulated purchases once only real ones are paid", async () => {
      const { shop, click, read } = await open();
      await shop.read(reportOf(click));
      await shop.run();
      await shop.database.kysely.updateTable("purchases").set({ source: "simulated", sale_id: null }).execute();
      expect(await read({ isLive: false })).to.deep.include({ figures: figures(0, 0, 5, 0) });
      expect(await read()).to.deep.include({ figures: figures(0, 0, 0, 0), situations: ["never_paid"] });
    });

    it("knows a figure for every situation that has an amount", () => {
      const without = Object.entries(SITUATIONS).filter(([, { figure }]) => figure === undefined);
      expect(without.map(([name]) => name)).to.deep.equal(["netted", "never_paid", "declined", "withdrawn"]);
    });
  });
});
