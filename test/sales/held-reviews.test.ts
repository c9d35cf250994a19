import { expect } from "chai";
import { sql } from "kysely";
import { insertStore, updateStore } from "../../core/catalogue/store-rows.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { assignSale } from "../../core/sales/decisions.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const DAY_MS = 86_400_000n;
const OTHER = { name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "17001" };

/** docs/product.md#sales-held */
describe("A held sale is decided anew", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const { kysely } = shop.database;
      const wallet = await shop.buyer("a");
      const held = async (saleKey: string) => {
        const { state, hold_reasons } = await shop.sale(saleKey);
        return state === "held" ? hold_reasons : "";
      };
      return { shop, kysely, wallet, held };
    }

    it("when the merchant of another store is put right, whose sale is over by then", async () => {
      const { shop, kysely, wallet, held } = await open();
      const other = await insertStore(kysely, { ...OTHER, merchant: "wrong" });
      await inTransaction(kysely, (queries) => updateStore(queries, shop.storeId, { merchant: "wrong" }));
      const first = reportOf(await shop.click(wallet), { ...payable, orderRef: "A-1" });
      await shop.read(first);
      await shop.run();
      const stranger = await shop.buyer("b");
      const click = await shop.click(stranger, undefined, other);
      const second = reportOf(click, { ...payable, orderRef: "A-1", advertiserId: OTHER.advertiser_id });
      await shop.read(second);
      await shop.run();
      expect(await held(second.saleKey)).to.equal("order_twice");
      // The store of the sale that is over: none of its own is decided anew.
      await inTransaction(kysely, (queries) => updateStore(queries, shop.storeId, { merchant: "right" }));
      await shop.run();
      expect([await held(second.saleKey), await shop.received(stranger)]).to.deep.equal(["", 5]);
    });

    for (const leaves of ["moves to another buyer", "turns out to be of another day", "is assigned to another buyer"]) {
      it(`when one of its buyer's day ${leaves}`, async () => {
        const { shop, kysely, wallet, held } = await open();
        await kysely.updateTable("clicks").set({ created_at: 0n }).execute();
        const rules = { ...RULES, limits: { ...RULES.limits, salesPerDay: 1n } };
        shop.rules = rules;
        const click = await shop.click(wallet);
        await kysely.updateTable("clicks").set({ created_at: 0n }).execute();
        const isAssigned = leaves.startsWith("is assigned");
        const advertiserId = isAssigned ? "17001" : "17000";
        const first = reportOf(click, { advertiserId, occurredAt: BigInt(Date.now()) });
        const second = reportOf(click, payable);
        await shop.read(first, rules);
        await shop.read(second, rules);
        expect(await held(second.saleKey)).to.equal("too_many");
        const other = await shop.click(await shop.buyer("b"));
        if (isAssigned)
          await inTransaction(kysely, (queries) => assignSale(queries, 1n, other.token, { rules, actor: "admin" }));
        else if (leaves.startsWith("moves")) await shop.read({ ...first, clickRef: other.token }, rules);
        else await shop.read({ ...first, occurredAt: (first.occurredAt ?? 0n) - 3n * DAY_MS }, rules);
        expect(await held(second.saleKey)).to.equal("");
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
      });
    }

    it("once a day, a bounded number a round, the longest ago first", async () => {
      const { shop, kysely, wallet } = await open();
      const click = await shop.click(wallet);
      const drift = [{ code: "missing", field: "x" }] as const;
      const reports = Array.from({ length: 3 }, () => reportOf(click, { ...payable, drift: [...drift] }));
      for (const report of reports) await shop.read(report);
      const reviewed = async () => {
        const rows = await kysely.selectFrom("sales").select("reviewed_at").orderBy("id").execute();
        return rows.map(({ reviewed_at }) => BigInt(Date.now()) - reviewed_at < DAY_MS / 2n);
      };
      expect(await shop.plan(), "nothing is due").to.equal(false);
      // Whatever it was held for is gone, and nobody said so.
      await sql`update sales set reviewed_at = ${BigInt(Date.now()) - 2n * DAY_MS},
        report = replace(report, ${JSON.stringify(drift)}, 'null') where id <> 2`.execute(kysely);
      expect(await reviewed()).to.deep.equal([false, true, false]);
      expect(await shop.plan()).to.equal(true);
      expect(
        (await Promise.all(reports.map(({ saleKey }) => shop.sale(saleKey)))).map(({ state }) => state),
      ).to.deep.equal([...["payable", "held", "payable"]]);
      await shop.run();
      expect([await shop.received(wallet), await shop.plan()]).to.deep.equal([10, false]);
    });

    it("though another one cannot be decided", async () => {
      const { shop, kysely, wallet } = await open();
      const click = await shop.click(wallet);
      const reports = Array.from({ length: 3 }, () => reportOf(click, { drift: [{ code: "missing", field: "x" }] }));
      for (const report of reports) await shop.read(report);
      await sql`update sales set reviewed_at = 0`.execute(kysely);
      await sql`update sales set report = '{' where id = 2`.execute(kysely);
      await shop.plan();
      const rows = await kysely.selectFrom("sales").select("reviewed_at").execute();
      expect(rows.every(({ reviewed_at }) => reviewed_at > 0n)).to.equal(true);
    });
  });
});
