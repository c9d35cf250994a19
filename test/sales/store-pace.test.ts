import { expect } from "chai";
import { readStorePace, storePaces } from "../../core/sales/store-pace.ts";
import { onBothEngines } from "../testing/databases.ts";
import { reportOf, Shop } from "./support/shop.ts";

const DAY_MS = 86_400_000n;
const ENOUGH = 20;

/** docs/product.md#sales-pace */
describe("A store's pace", function () {
  this.timeout(120_000);
  onBothEngines((engine) => {
    async function open(sales: number) {
      const shop = await Shop.open((await engine.open()).database);
      const click = await shop.click(await shop.buyer("a"));
      for (let sale = 0; sale < sales; sale += 1) {
        await shop.read(reportOf(click, { status: "approved", payable: true }));
      }
      await shop.run();
      await shop.run();
      return { shop, click, kysely: shop.database.kysely };
    }

    it("is the median of the last sales that took each step, and unknown while they are too few", async () => {
      const { shop, click, kysely } = await open(ENOUGH);
      const visited = click.created_at;
      await kysely
        .updateTable("sales")
        .set({ created_at: visited + 2n * DAY_MS, approved_at: visited + 12n * DAY_MS })
        .execute();
      await kysely
        .updateTable("purchases")
        .set({ approved_at: visited + 12n * DAY_MS, settled_at: visited + 15n * DAY_MS })
        .execute();
      expect(await readStorePace(kysely, click.store_id)).to.deep.equal({ report: 2, confirm: 10, pay: 3 });

      // What was not confirmed says nothing yet; what was returned was not paid.
      const [one] = await shop.purchases();
      await kysely
        .updateTable("sales")
        .set({ approved_at: null })
        .where("id", "=", one?.sale_id ?? 0n)
        .execute();
      await kysely
        .updateTable("purchases")
        .set({ reversed_at: 1n })
        .where("id", "=", one?.id ?? 0n)
        .execute();
      expect(await readStorePace(kysely, click.store_id)).to.deep.equal({ report: 2, confirm: null, pay: null });
      expect(await readStorePace(kysely, click.store_id + 1n)).to.deep.equal({
        report: null,
        confirm: null,
        pay: null,
      });
    });

    it("is kept for an hour", async () => {
      const { click, kysely } = await open(1);
      const paces = storePaces(kysely);
      const first = await paces.of(click.store_id);
      expect(await paces.of(click.store_id)).to.equal(first);
    });
  });
});
