import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { monthOf, monthsBefore } from "../../core/rules/iso-time.ts";
import { insertClicks } from "../../core/sales/clicks.ts";
import { readConversion } from "../../core/sales/conversion.ts";
import { assignSale } from "../../core/sales/decisions.ts";
import { onBothEngines } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const THIS_MONTH = monthOf(Date.now() + 30_000);
const LAST_MONTH = monthsBefore(monthOf(Date.now()), 1);

/** docs/product.md#panel-conversion */
describe("A store's conversion", () => {
  onBothEngines((engine) => {
    it("counts clicks and the sales they led to by month, and follows a sale that changes", async () => {
      const shop = await Shop.open((await engine.open()).database);
      const { kysely } = shop.database;
      const read = async (from = LAST_MONTH) =>
        (await readConversion(kysely, [shop.storeId, 999n], from)).map(({ storeId, ...month }) => {
          expect(storeId).to.equal(shop.storeId);
          return month;
        });
      expect(await read()).to.deep.equal([]);
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      await shop.click(wallet);
      const visit = { wallet, storeId: shop.storeId, storeName: "Loja", tokenSlug: null, balanceBlock: null };
      const clickedAt = BigInt(Date.parse(`${LAST_MONTH}-15T00:00:00Z`));
      const earlier = { ...visit, terms: { groups: {}, defaultBps: 500n, bonusBps: 0n }, clickedAt, windowMs: 1n };
      await insertClicks(kysely, [earlier, earlier, earlier]);
      const report = reportOf(click);
      const lost = reportOf({ token: "unknown-click" });
      await shop.read(report);
      await shop.read(lost);
      const before = { month: LAST_MONTH, clicks: 3, sales: 0 };
      expect(await read()).to.deep.equal([{ month: THIS_MONTH, clicks: 2, sales: 1 }, before]);
      expect(await read(THIS_MONTH)).to.deep.equal([{ month: THIS_MONTH, clicks: 2, sales: 1 }]);

      const { id } = await shop.sale(lost.saleKey);
      const decision = { rules: RULES, actor: "admin" };
      await inTransaction(kysely, (queries) => assignSale(queries, id, click.token, decision));
      expect(await read()).to.deep.equal([{ month: THIS_MONTH, clicks: 2, sales: 2 }, before]);

      await shop.read({ ...report, status: "declined" });
      expect(await read()).to.deep.equal([{ month: THIS_MONTH, clicks: 2, sales: 1 }, before]);
    });
  });
});
