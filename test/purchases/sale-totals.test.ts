import { expect } from "chai";
import { seedCatalogue } from "../../catalogue/seed.ts";
import { inTransaction } from "../../database/transaction.ts";
import { settlePurchases } from "../../purchases/lifecycle.ts";
import { onBothEngines } from "../testing/databases.ts";
import { insertPlainPurchase } from "../testing/plain-purchase.ts";

const OCTOBER = BigInt(Date.parse("2026-10-31"));
const NOVEMBER = BigInt(Date.parse("2026-11-01"));

describe("Sales whose purchases are settled together", () => {
  onBothEngines(({ open }) => {
    it("are settled with their last purchase, and counted by network, store and month", async () => {
      const { database } = await open();
      const { kysely } = database;
      await seedCatalogue(database);
      const sales = [
        { id: 1n, store_id: 1n, occurred_at: OCTOBER, purchases: [100n, 20n] },
        { id: 2n, store_id: 1n, occurred_at: OCTOBER, purchases: [3n] },
        { id: 3n, store_id: 1n, occurred_at: NOVEMBER, purchases: [5_000n] },
        { id: 4n, store_id: 2n, occurred_at: NOVEMBER, purchases: [70_000n, 1n] },
      ];
      const ids: bigint[] = [];
      for (const { purchases, ...sale } of sales) {
        await kysely
          .insertInto("sales")
          .values({
            network: "awin",
            account: "main",
            sale_key: `key-${sale.id}`,
            status: "approved",
            currency: "BRL",
            amount_micros: 1n,
            commission_micros: 1n,
            report: "{}",
            state: "payable",
            revision_id: sale.id,
            changed_at: 1n,
            read_at: 1n,
            created_at: 1n,
            updated_at: 1n,
            ...sale,
          })
          .execute();
        for (const centBps of purchases) {
          const ofSale = { storeId: sale.store_id, source: "live", sale: { id: sale.id, centBps, ref: 0n } } as const;
          ids.push(await insertPlainPurchase(kysely, ofSale));
        }
      }
      // The last purchase of the last sale is still open, and one of the first sale was returned.
      await kysely
        .updateTable("purchases")
        .set({ reversed_at: 1n })
        .where("id", "=", ids[1] ?? 0n)
        .execute();
      const settle = (some: readonly bigint[]) => inTransaction(kysely, (queries) => settlePurchases(queries, some));
      await settle(ids.slice(0, -1));
      await settle(ids.slice(0, -1));
      const states = await kysely.selectFrom("sales").select(["id", "state"]).orderBy("id").execute();
      expect(states.map((sale) => sale.state)).to.deep.equal(["settled", "settled", "settled", "payable"]);
      const totals = await kysely
        .selectFrom("sale_totals")
        .select(["store_id", "month", "paid_cent_bps"])
        .orderBy("month")
        .orderBy("store_id")
        .execute();
      expect(totals).to.deep.equal([
        { store_id: 1n, month: "2026-10", paid_cent_bps: 103n },
        { store_id: 1n, month: "2026-11", paid_cent_bps: 5_000n },
        { store_id: 2n, month: "2026-11", paid_cent_bps: 70_000n },
      ]);
    });
  });
});
