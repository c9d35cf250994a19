import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { holdPurchase, releasePurchase } from "../../core/purchases/staff.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const declined = { status: "declined" } as const;
const reais = (amount: number) => ({ amountMicros: BigInt(amount * 1_000_000), commissionMicros: null });

/** docs/product.md#sales-decision docs/product.md#debt */
describe("What was decided about all sales of a buyer", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const { kysely } = shop.database;
      const wallet = await shop.buyer("a");
      const sell = async (amount: number) => reportOf(await shop.click(wallet), { ...payable, ...reais(amount) });
      const rows = async () => ({
        sales: await kysely.selectFrom("sales").selectAll().orderBy("id").execute(),
        purchases: await kysely.selectFrom("purchases").selectAll().orderBy("id").execute(),
        debts: await kysely
          .selectFrom("adjustments")
          .selectAll()
          .orderBy("purchase_id")
          .orderBy("revision_id")
          .execute(),
        operations: await kysely.selectFrom("operations").selectAll().orderBy("id").execute(),
      });
      /** Decided again, together and one by one, nothing is decided otherwise. */
      const expectFixed = async () => {
        const all = await kysely.selectFrom("sales").select("id").execute();
        const again = async (ids: bigint[]) => inTransaction(kysely, (queries) => decideSales(queries, ids, RULES));
        // What was sent since is noted by the first one.
        await again(all.map(({ id }) => id));
        const before = await rows();
        const ids = before.sales.map(({ id }) => id);
        const orders = [ids, ids.toReversed(), ...ids.map((id) => [id]), ...ids.toReversed().map((id) => [id])];
        for (const some of orders) {
          await again(some);
          const after = await rows();
          for (const table of ["sales", "purchases", "debts", "operations"] as const)
            expect(after[table], `${table} after ${some}`).to.deep.equal(before[table]);
        }
      };
      const books = async () => [
        await shop.received(wallet),
        Number(await outstandingDebt(kysely, wallet)) / 1e9,
        (await kysely.selectFrom("purchases").select("id").where("reversed_at", "is", null).execute()).length,
      ];
      return { shop, kysely, sell, expectFixed, books };
    }

    it("lifts a debt that a payout not sent yet would keep, and makes no purchase of it", async () => {
      const { shop, sell, expectFixed, books } = await open();
      const [first, second] = [await sell(60), await sell(100)];
      await shop.read(first);
      await shop.run();
      await shop.read({ ...first, ...declined });
      await shop.read({ ...second, payable: false });
      await shop.run();
      await shop.read(second);
      await shop.plan();
      await expectFixed();
      await shop.read(first);
      await expectFixed();
      expect(await books()).to.deep.equal([3, 0, 2]);
      await shop.run();
      await expectFixed();
      expect(await books()).to.deep.equal([8, 0, 2]);
    });

    it("lifts what another sale comes to owe, instead of a purchase that is not paid", async () => {
      const { shop, sell, expectFixed, books } = await open();
      const [first, second, third] = [await sell(60), await sell(60), await sell(100)];
      await shop.read(first);
      await shop.read(third);
      await shop.run();
      await shop.read({ ...first, ...declined });
      // Kept whole, which is final.
      await shop.read(second);
      await shop.run();
      expect(await books()).to.deep.equal([8, 0, 3]);
      await shop.read({ ...first, payable: false });
      await shop.run();
      expect(await books()).to.deep.equal([8, 0, 4]);
      await shop.read({ ...third, ...declined });
      expect(await books(), "of 5").to.deep.equal([8, 2, 3]);
      await expectFixed();
      await shop.run();
      await expectFixed();
    });

    it("keeps a debt of the next payout also when a person holds the one that was to keep it", async () => {
      const { shop, kysely, sell, expectFixed, books } = await open();
      const [first, second, third] = [await sell(60), await sell(100), await sell(100)];
      await shop.read(first);
      await shop.run();
      await shop.read({ ...first, ...declined });
      for (const one of [second, third]) await shop.read({ ...one, payable: false });
      await shop.run();
      for (const one of [second, third]) await shop.read(one);
      await shop.plan();
      await inTransaction(kysely, (queries) => holdPurchase(queries, 2n, { actor: "ana", reason: null }));
      await shop.plan();
      await shop.plan();
      await expectFixed();
      await shop.run();
      expect(await books()).to.deep.equal([5, 0, 3]);
      await inTransaction(kysely, (queries) => releasePurchase(queries, 2n, "ana"));
      await shop.run();
      await expectFixed();
      expect(await books()).to.deep.equal([10, 0, 3]);
    });

    it("returns and comes back of one sale at two rates in one decision", async () => {
      const { shop, sell, expectFixed, books } = await open();
      const first = await sell(100);
      await shop.read(first);
      await shop.run();
      await shop.read({ ...first, ...declined });
      // Its debt is kept of another one.
      await shop.read(await sell(100));
      await shop.run();
      shop.weiPerCent *= 2n;
      await shop.read({ ...first, ...reais(200) });
      await shop.run();
      await expectFixed();
      await shop.read({ ...first, ...reais(150) });
      await expectFixed();
      await shop.run();
      await expectFixed();
      expect((await books())[1]).to.equal(5);
    });
  });
});
