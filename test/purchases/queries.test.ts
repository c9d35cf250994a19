import { expect } from "chai";
import { seedCatalogue } from "../../catalogue/seed.ts";
import { inTransaction } from "../../database/transaction.ts";
import { insertPurchase } from "../../purchases/queries.ts";
import { onBothEngines } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";

describe("A purchase's id", () => {
  onBothEngines(({ open }) => {
    it("is above every indexed token, even in a new database", async () => {
      const { database } = await open();
      await seedCatalogue(database);
      const wallet = buyerOf(1) as `0x${string}`;
      const buy = () =>
        inTransaction(database.kysely, async (queries) => {
          const terms = { amountCents: 100n, cashbackBps: 500n, bonusBps: 0n, tokenSlug: null, holdingsBlock: null };
          const { id } = await insertPurchase(queries, {
            ...{ wallet, storeId: 1n, storeName: "Loja", source: "simulated" },
            ...terms,
          });
          return id;
        });
      expect(await buy()).to.equal(1n);
      const token = {
        owner: buyerOf(2) as `0x${string}`,
        store_id: 1n,
        value_cents: 5n,
        cashback_bps: 1n,
        bonus_bps: 0n,
      };
      const minted = { status: 2n, mint_transaction: "0x1", minted_block: 1n, minted_at: 1n };
      await database.kysely
        .insertInto("nfts")
        .values({ token_id: 7n, ...token, ...minted })
        .execute();
      expect([await buy(), await buy()]).to.deep.equal([8n, 9n]);
    });
  });
});
