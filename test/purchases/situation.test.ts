import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { makeDue, postpone } from "../../core/purchases/due.ts";
import { readSituations } from "../../core/purchases/overview.ts";
import { listPurchases } from "../../core/purchases/queries.ts";
import { holdPurchase, releasePurchase } from "../../core/purchases/staff.ts";
import { purchaseViewAt, toPurchaseRecord } from "../../core/purchases/view.ts";
import { findWrongTotals } from "../../core/purchases/wrong-totals.ts";
import { moveUnsent } from "../../core/sender/moves.ts";
import { ACCOUNT, RULES, reportOf, Shop } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";

describe("The situation that is kept with a purchase", () => {
  onBothEngines(({ open }) => {
    async function begin() {
      const shop = await Shop.open((await open()).database);
      const click = await shop.click(await shop.buyer("1"));
      const situations = async () => (await shop.purchases()).map(({ situation }) => situation);
      const counts = async () => {
        const all = await readSituations(shop.database.kysely);
        return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0));
      };
      return { shop, click, situations, counts };
    }

    it("follows every fact, and payment only when it is final", async () => {
      const { shop, click, situations, counts } = await begin();
      const sale = reportOf(click);
      await shop.read(sale);
      expect(await situations()).to.deep.equal(["recorded"]);
      expect(await counts()).to.deep.equal({ recorded: 1 });
      await shop.run();
      expect(await situations()).to.deep.equal(["awaiting_store"]);
      await shop.read({ ...sale, drift: [{ code: "missing", field: "odd" }] });
      expect(await situations()).to.deep.equal(["in_review"]);
      await shop.release(sale.saleKey);
      expect(await situations()).to.deep.equal(["awaiting_store"]);
      await shop.read({ ...sale, status: "approved" });
      await shop.run();
      expect(await situations()).to.deep.equal(["awaiting_network"]);
      await shop.read({ ...sale, status: "approved", payable: true });
      await shop.runUntil("pay");
      expect(await situations()).to.deep.equal(["paying"]);
      await shop.run();
      expect(await situations()).to.deep.equal(["paid"]);
      await shop.read({ ...sale, status: "declined" });
      expect(await situations()).to.deep.equal(["paid_then_returned"]);
      expect(await counts()).to.deep.equal({ paid_then_returned: 1 });
    });

    it("says that a payout is delayed as long as it stands, without being counted anew", async () => {
      const { shop, click, situations } = await begin();
      const { kysely } = shop.database;
      await shop.read(reportOf(click, { status: "approved", payable: true }));
      await shop.runUntil("pay");
      const [operation] = await kysely.selectFrom("operations").selectAll().where("kind", "=", "pay").execute();
      const [ids, purchaseIds] = [[operation?.id ?? 0n], [operation?.subject_id ?? 0n]];
      const told = async () => {
        const { wallet } = (await shop.purchases())[0] ?? expect.fail("no purchase");
        const [row] = await listPurchases(kysely, wallet, { limit: 1 });
        const view = purchaseViewAt(1_000_000n, { rate: 1n, confirmations: 1, isLive: true });
        return row && toPurchaseRecord(row, view).situation;
      };
      const queued = { status: "queued", reason: null, since: BigInt(Date.now()) } as const;
      const change = (values: object) =>
        kysely.updateTable("operations").set(values).where("kind", "=", "pay").execute();
      await change(queued);
      expect(await told()).to.equal("paying");
      for (const stand of [
        () => moveUnsent(kysely, ids, { to: "waiting", reason: "pool_empty", text: "empty", afterMs: 60_000n }),
        () => moveUnsent(kysely, ids, { to: "failed", text: "never" }),
        () => change({ since: queued.since - 660_000n }),
        async () => {
          await change({ status: "withdrawn" });
          await makeDue(kysely, purchaseIds);
          await postpone(kysely, purchaseIds[0] ?? 0n, "unknown");
        },
      ]) {
        await stand();
        expect(await told(), String(stand)).to.equal("payout_delayed");
        expect(await situations()).to.deep.equal(["paying"]);
        expect(await findWrongTotals(kysely)).to.deep.equal([]);
        await change(queued);
        expect(await told()).to.equal(String(stand).includes("postpone") ? "payout_delayed" : "paying");
      }
    });

    it("follows the waiting period, staff, and a decline before payment", async () => {
      const { shop, click, situations, counts } = await begin();
      const sale = reportOf(click, { status: "approved", payable: null });
      shop.rules = { ...RULES, holdMs: 3_600_000n };
      await shop.read(sale, shop.rules);
      await shop.run();
      expect(await situations()).to.deep.equal(["waiting_period"]);
      expect(await counts()).to.deep.equal({ waiting_period: 1 });
      const [purchase] = await shop.purchases();
      const { kysely } = shop.database;
      const by = { actor: "admin", reason: null };
      await inTransaction(kysely, (queries) => holdPurchase(queries, purchase?.id ?? 0n, by));
      expect(await situations()).to.deep.equal(["in_review"]);
      await inTransaction(kysely, (queries) => releasePurchase(queries, purchase?.id ?? 0n, "admin"));
      await kysely.updateTable("purchases").set({ payable_at: 1n }).execute();
      expect(await findWrongTotals(kysely), "once the waiting period is over by the clock").to.deep.equal([]);
      await shop.recount([purchase?.id ?? 0n]);
      expect(await situations()).to.deep.equal(["paying"]);
      await shop.read({ ...sale, status: "declined" }, shop.rules, ACCOUNT);
      expect(await situations()).to.deep.equal(["declined"]);
    });
  });
});
