import { expect } from "chai";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { makeAllDue, setNextCheck } from "../../core/purchases/due.ts";
import type { PurchaseWithLife } from "../../core/purchases/queries.ts";
import { nextCheck, type PurchaseLife } from "../../core/rules/purchase/life.ts";
import { CONFIRMED_LIFE } from "../testing/confirmed-life.ts";
import { onBothEngines } from "../testing/databases.ts";
import { insertPlainPurchase } from "../testing/plain-purchase.ts";

const MOMENT = { now: 1_000n, deepestBlock: 50n, hasRate: true };
const DEPTH = 3n;

describe("The next check of purchases that were checked together", () => {
  onBothEngines(({ open }) => {
    it("is set for each purchase: never, from its own block on, or at its own time", async () => {
      const { database } = await open();
      const { kysely } = database;
      await seedCatalogue(database);
      const lives: PurchaseLife[] = [
        { ...CONFIRMED_LIFE, queued: new Set(["pay"]) },
        { ...CONFIRMED_LIFE, statusBlock: 60n },
        { ...CONFIRMED_LIFE, statusBlock: 61n },
        { ...CONFIRMED_LIFE, payableAt: 5_000n },
        { ...CONFIRMED_LIFE, statusBlock: 60n },
      ];
      const purchases: PurchaseWithLife[] = [];
      for (const life of lives) {
        const id = await insertPlainPurchase(kysely);
        purchases.push({ row: { id } as PurchaseWithLife["row"], life });
      }
      // All of them were due.
      await inTransaction(kysely, makeAllDue);
      const checks = purchases.map(({ row, life }) => ({ id: row.id, check: nextCheck(life, MOMENT) }));
      await inTransaction(kysely, (queries) => setNextCheck(queries, checks, DEPTH));
      const rows = await kysely
        .selectFrom("due_purchases")
        .select(["purchase_id", "due_at", "due_block"])
        .orderBy("purchase_id")
        .execute();
      const [, second, third, fourth, fifth] = purchases.map(({ row }) => row.id);
      expect(rows).to.deep.equal([
        { purchase_id: second, due_at: null, due_block: 63n },
        { purchase_id: third, due_at: null, due_block: 64n },
        { purchase_id: fourth, due_at: 5_000n, due_block: null },
        { purchase_id: fifth, due_at: null, due_block: 63n },
      ]);
    });
  });
});
