import { expect } from "chai";
import { sql } from "kysely";
import { seedCatalogue } from "../../catalogue/seed.ts";
import { inTransaction } from "../../database/transaction.ts";
import type { PurchaseLife } from "../../domain/purchase/life.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { isAnyDue, makeAllDue, setNextLook, takeDue } from "../../purchases/due.ts";
import { insertPurchase } from "../../purchases/lifecycle.ts";
import type { StandingPurchase } from "../../purchases/queries.ts";
import { onBothEngines } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";

const MOMENT = { now: 1_000n, deepestBlock: 50n, hasRate: true };
const DEPTH = 3n;
const CONFIRMED: PurchaseLife = {
  status: "confirmed",
  source: "simulated",
  statusBlock: 50n,
  payoutBlock: null,
  payableAt: null,
  isOfSale: false,
  isApproved: false,
  isReturned: false,
  isHeld: false,
  isSettled: false,
  isPaid: false,
  isRateFrozen: true,
  asked: new Set(),
  sent: new Set(),
};

describe("The next check of purchases that were checked together", () => {
  onBothEngines(({ open }) => {
    it("is set for each one: never, from its own block on, or at its own time", async () => {
      const { database } = await open();
      const { kysely } = database;
      await seedCatalogue(database);
      const lives: PurchaseLife[] = [
        { ...CONFIRMED, asked: new Set(["pay"]) },
        { ...CONFIRMED, statusBlock: 60n },
        { ...CONFIRMED, statusBlock: 61n },
        { ...CONFIRMED, payableAt: 5_000n },
        { ...CONFIRMED, statusBlock: 60n },
      ];
      const purchases = await inTransaction(kysely, async (queries) => {
        const standing: StandingPurchase[] = [];
        for (const life of lives) {
          const { id } = await insertPurchase(queries, {
            wallet: buyerOf(1) as WalletAddress,
            storeId: 1n,
            storeName: "Loja",
            source: "simulated",
            amountCents: 100n,
            cashbackBps: 500n,
            bonusBps: 0n,
            tokenSlug: null,
            holdingsBlock: null,
          });
          standing.push({ row: { id } as StandingPurchase["row"], life });
        }
        return standing;
      });
      // All of them were due.
      await inTransaction(kysely, makeAllDue);
      await inTransaction(kysely, (queries) => setNextLook(queries, purchases, { moment: MOMENT, depth: DEPTH }));
      const rows = await kysely.selectFrom("due_purchases").selectAll().orderBy("purchase_id").execute();
      const [, second, third, fourth, fifth] = purchases.map(({ row }) => row.id);
      expect(rows).to.deep.equal([
        { purchase_id: second, due_at: null, due_block: 63n },
        { purchase_id: third, due_at: null, due_block: 64n },
        { purchase_id: fourth, due_at: 5_000n, due_block: null },
        { purchase_id: fifth, due_at: null, due_block: 63n },
      ]);
    });

    it("is taken over from a process of an earlier version, which has it in a column of the purchase", async () => {
      const { database } = await open();
      const { kysely } = database;
      await seedCatalogue(database);
      const insert = () =>
        inTransaction(kysely, (queries) =>
          insertPurchase(queries, {
            wallet: buyerOf(1) as WalletAddress,
            storeId: 1n,
            storeName: "Loja",
            source: "simulated",
            amountCents: 100n,
            cashbackBps: 500n,
            bonusBps: 0n,
            tokenSlug: null,
            holdingsBlock: null,
          }),
        );
      const [{ id: first }, { id: second }] = [await insert(), await insert()];
      await kysely.deleteFrom("due_purchases").execute();
      await sql`update purchases set due_at = 7 where id = ${first}`.execute(kysely);
      await sql`update purchases set due_block = 8 where id = ${second}`.execute(kysely);
      expect(await isAnyDue(kysely, 0n)).to.equal(true);
      const take = (limit: number) => inTransaction(kysely, (queries) => takeDue(queries, 0n, limit));
      expect(await take(1)).to.deep.equal([first]);
      expect(await take(9)).to.deep.equal([second]);
      expect(await take(9)).to.deep.equal([]);
      expect(await isAnyDue(kysely, 0n)).to.equal(false);
    });
  });
});
