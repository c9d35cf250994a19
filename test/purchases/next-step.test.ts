import { expect } from "chai";
import { listUndecided } from "../../core/purchases/due.ts";
import { purchaseEncoders } from "../../core/purchases/encoders.ts";
import { planNextSteps } from "../../core/purchases/next-step.ts";
import { recountPurchases } from "../../core/purchases/purchase-rows.ts";
import { fixedRate } from "../../core/rates/rate-source.ts";
import { RULES, reportOf, Shop } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";
import { insertPlainPurchase, PLAIN_TICKET } from "../testing/plain-purchase.ts";
import { standIn } from "../testing/stand-in.ts";

const POISON = "not a report";

describe("The next step of a purchase that cannot be decided", function () {
  this.timeout(120_000);
  onBothEngines((engine) => {
    it("stops no other, is named, waits longer each time, and goes on once its data is right", async () => {
      const shop = await Shop.open((await engine.open()).database);
      const { kysely } = shop.database;
      const due = () => kysely.updateTable("due_purchases").set({ due_at: 0n, due_block: null }).execute();
      const reports = [];
      for (const digit of ["a", "b", "c", "d", "e", "f"]) {
        const report = reportOf(await shop.click(await shop.buyer(digit)), { status: "approved", payable: true });
        await shop.read(report);
        reports.push({ report, wallet: `0x${digit.repeat(40)}` as const });
      }
      const poisoned = [reports[0], reports[3]];
      const keys = poisoned.map((one) => one?.report.saleKey ?? "");
      const stored = await kysely.selectFrom("sales").select(["sale_key", "report"]).execute();
      await kysely.updateTable("sales").set({ report: POISON }).where("sale_key", "in", keys).execute();
      await shop.run();
      const received = await Promise.all(reports.map(({ wallet }) => shop.received(wallet)));
      expect(received).to.deep.equal([0, 5, 5, 0, 5, 5]);
      const named = await listUndecided(kysely, 10);
      expect(named.map(({ problem }) => problem)).to.have.length(2);
      for (const { problem } of named) expect(problem).to.include(POISON.slice(0, 3));
      const waiting = kysely
        .selectFrom("due_purchases")
        .select(["attempts", "due_at"])
        .where("problem", "is not", null);
      const [before] = await waiting.execute();
      await due();
      await shop.plan();
      for (const { attempts, due_at } of await waiting.execute()) {
        expect(attempts).to.equal((before?.attempts ?? 0n) + 1n);
        const delay = 4_000 * 2 ** (Number(attempts) - 1);
        expect(Number(due_at) - Date.now()).to.be.within(delay - 3_000, delay + 1_000);
      }
      for (const { sale_key, report } of stored) {
        await kysely.updateTable("sales").set({ report }).where("sale_key", "=", sale_key).execute();
      }
      await due();
      await shop.run();
      expect(await Promise.all(reports.map(({ wallet }) => shop.received(wallet)))).to.deep.equal([5, 5, 5, 5, 5, 5]);
      expect(await listUndecided(kysely, 10)).to.deep.equal([]);
    });

    it("is none for a simulated purchase once only what networks report is paid", async () => {
      const { database } = await engine.open();
      const shop = await Shop.open(database);
      const id = await insertPlainPurchase(database.kysely, { storeId: shop.storeId, weiPerCent: 10n ** 16n });
      await database.kysely
        .insertInto("nfts")
        .values({ ...PLAIN_TICKET, token_id: id, store_id: shop.storeId })
        .execute();
      await database.kysely.updateTable("purchases").set({ payable_at: 1n }).execute();
      await recountPurchases(database.kysely, [id]);
      const rules = { ...RULES, isLive: true };
      const options = { rules, approvals: shop.approvals, rates: fixedRate(10n ** 16n), stepDelayMs: 0 };
      const round = { ...options, payoutConfirmations: 1, assertLease: async () => {} };
      const queued = () => database.kysely.selectFrom("operations").selectAll().where("kind", "=", "pay").execute();
      await planNextSteps(database, round);
      expect(await queued()).to.deep.equal([]);
      await recountPurchases(database.kysely, [id]);
      await planNextSteps(database, { ...round, rules: RULES });
      const operations = await queued();
      expect(operations, "it would be paid in simulated mode").to.have.lengthOf(1);
      const [pay] = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer: PLAIN_TICKET.owner, rules });
      const unwanted = await pay?.listUnwanted?.(database.kysely, operations, { isLocked: false });
      expect(unwanted, "and is withdrawn where it was queued before").to.have.lengthOf(1);
    });
  });
});
