import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { storeReport } from "../../core/sales/reports.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { ACCOUNT, RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const declined = { status: "declined" } as const;
const HOUR_MS = 3_600_000n;

/** A network's clock is off, or its account's `timezone` is wrong. */
describe("The change time of a network whose clock is off", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const wallet = await shop.buyer("a");
      return { shop, wallet, report: reportOf(await shop.click(wallet)) };
    }
    const now = () => BigInt(Date.now());
    const debtOf = async (shop: Shop, wallet: `0x${string}`) =>
      Number(await outstandingDebt(shop.database.kysely, wallet)) / 1e9;

    for (const [title, ahead] of [
      ["three hours ahead", 3n * HOUR_MS],
      ["in 2062", 36n * 365n * 24n * HOUR_MS],
    ] as const) {
      it(`is not understood if it is ${title}, and hides no later read`, async () => {
        const { shop, wallet, report } = await open();
        await shop.read({ ...report, ...payable, changedAt: now() + ahead });
        const held = await shop.sale(report.saleKey);
        expect(held).to.include({ state: "held", hold_reasons: "drift", changed_at: null });
        expect(held.reason).to.match(/^The network's report is not understood: changed_at is 20\d\d-/);
        await shop.read({ ...report, ...payable, changedAt: now() });
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
        await shop.read({ ...report, ...payable, changedAt: now() + ahead });
        await shop.read({ ...report, ...declined, changedAt: now() });
        await shop.run();
        expect((await shop.sale(report.saleKey)).state).to.equal("declined");
        expect(await debtOf(shop, wallet)).to.equal(5);
      });
    }

    it("that an earlier version took for the last one hides no later read", async () => {
      const { shop, wallet, report } = await open();
      await shop.read({ ...report, ...payable, changedAt: now() });
      await shop.run();
      const changed_at = now() + 36n * 365n * 24n * HOUR_MS;
      await shop.database.kysely.updateTable("sales").set({ changed_at }).execute();
      const decline = { ...report, ...declined, changedAt: now() };
      // As that version stored it at every read.
      const { id, revision_id } = await shop.sale(report.saleKey);
      await shop.read(decline);
      expect(await debtOf(shop, wallet)).to.equal(5);
      await shop.database.kysely.updateTable("sales").set({ changed_at, revision_id }).where("id", "=", id).execute();
      expect((await shop.read(decline)).outcome, "known, and never applied").to.equal("new");
      expect(await debtOf(shop, wallet)).to.equal(5);
    });

    it("is the same of two calls of a shop, which can overtake each other: what came before a decision does not undo it", async () => {
      const { shop, wallet, report } = await open();
      const call = (state: Partial<typeof report>, changedAt: bigint) =>
        inTransaction(shop.database.kysely, (queries) =>
          storeReport(queries, ACCOUNT, { ...report, ...state, changedAt }, RULES, "direct"),
        );
      const told = now();
      await call(payable, told);
      for (const state of [{}, { status: "approved", payable: false }] as const)
        expect((await call(state, told)).outcome, JSON.stringify(state)).to.equal("older");
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
      expect((await call(declined, told)).outcome, "declined after it was payable").to.equal("new");
      expect((await call({}, told)).outcome).to.equal("known");
      expect((await shop.sale(report.saleKey)).state).to.equal("declined");
      expect((await call(payable, told)).outcome, "restored").to.equal("new");
      expect((await call({}, told + 1n)).outcome, "pending again, a moment later").to.equal("new");
      expect((await shop.sale(report.saleKey)).status).to.equal("pending");
    });

    it("counts no more once its account's time zone is put right, and the network repeats it for an hour", async () => {
      const { shop, wallet, report } = await open();
      const told = now();
      await shop.read({ ...report, ...payable, changedAt: told });
      await shop.run();
      const decline = { ...report, ...declined, changedAt: told - 2n * HOUR_MS };
      expect((await shop.read(decline)).outcome).to.equal("older");
      expect((await shop.read(decline)).outcome).to.equal("known");
      expect(await debtOf(shop, wallet), "an answer that is late").to.equal(0);
      const hourAgo = (set: { older_since: bigint | null }) => (set.older_since ?? 0n) - HOUR_MS;
      await shop.database.kysely
        .updateTable("sales")
        .set({ older_since: hourAgo(await shop.sale(report.saleKey)) })
        .execute();
      expect((await shop.read({ ...report, ...payable, changedAt: told })).outcome).to.equal("known");
      expect((await shop.read(decline)).outcome, "not repeated without an end").to.equal("known");
      await shop.database.kysely
        .updateTable("sales")
        .set({ older_since: hourAgo(await shop.sale(report.saleKey)) })
        .execute();
      expect((await shop.read(decline)).outcome).to.equal("new");
      expect(await debtOf(shop, wallet)).to.equal(5);
    });
  });
});
