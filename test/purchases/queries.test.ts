import { expect } from "chai";
import { seedCatalogue } from "../../catalogue/seed.ts";
import { inTransaction } from "../../database/transaction.ts";
import { IdGate } from "../../purchases/id-gate.ts";
import { insertPurchase } from "../../purchases/lifecycle.ts";
import { listPurchases, listTickets } from "../../purchases/queries.ts";
import { onBothEngines } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";

describe("A purchase whose id is another owner's token", () => {
  onBothEngines(({ open }) => {
    it("shows neither that token nor its payout, and the token stays its owner's", async () => {
      const { database } = await open();
      const { kysely } = database;
      await seedCatalogue(database);
      const [buyer, stranger] = [buyerOf(1), buyerOf(2)] as `0x${string}`[] as [`0x${string}`, `0x${string}`];
      const terms = { amountCents: 100n, cashbackBps: 500n, bonusBps: 0n, tokenSlug: null, holdingsBlock: null };
      const purchase = { wallet: buyer, storeId: 1n, storeName: "Loja", source: "simulated", ...terms } as const;
      const { id } = await inTransaction(kysely, (queries) => insertPurchase(queries, purchase));
      const token = { owner: stranger, store_id: 1n, value_cents: 5n, cashback_bps: 1n, bonus_bps: 0n };
      const minted = { status: 2n, mint_transaction: "0x1", minted_block: 1n, minted_at: 1n };
      await kysely
        .insertInto("nfts")
        .values({ token_id: id, ...token, ...minted })
        .execute();
      const payout = { recipient: stranger, amount_gwei: 5n, state: "paid", transaction_hash: "0x2" } as const;
      await kysely
        .insertInto("payouts")
        .values({ token_id: id, ...payout, block_number: 1n, log_index: 0n, paid_at: 1n })
        .execute();
      const [shown] = await listPurchases(kysely, buyer, { limit: 10 });
      expect(shown).to.include({ id, chain_status: null, payout_state: null, mint_transaction: null });
      expect((await listTickets(kysely, stranger, { limit: 10 })).map((nft) => nft.token_id)).to.deep.equal([id]);
    });
  });
});

describe("An id for a new purchase", () => {
  onBothEngines(({ open }) => {
    it("is given only once the index of these contracts is complete up to the head at the start", async () => {
      const { database } = await open();
      const { kysely } = database;
      const nft = buyerOf(3) as `0x${string}`;
      let head: number | undefined;
      const gate = new IdGate(nft, () => head);
      const setIndex = async (purchaseNft: `0x${string}`, block: bigint) => {
        for (const table of ["chain_source", "chain_cursor"] as const) await kysely.deleteFrom(table).execute();
        const source = { purchase_nft: purchaseNft, cashback_distributor: buyerOf(4) as `0x${string}` };
        await kysely
          .insertInto("chain_source")
          .values({ id: 1n, chain_id: 88_882n, start_block: 0n, ...source })
          .execute();
        await kysely.insertInto("chain_cursor").values({ id: 1n, block_number: block, block_hash: "0xabc" }).execute();
      };
      await setIndex(nft, 500n);
      expect(await gate.isOpen(kysely), "no node was seen yet").to.equal(false);
      head = 100;
      for (const [purchaseNft, block, isOpen] of [
        [buyerOf(5) as `0x${string}`, 500n, false],
        [nft, 99n, false],
        [nft, 100n, true],
        [nft, 50n, true],
      ] as const) {
        await setIndex(purchaseNft, block);
        expect(await gate.isOpen(kysely), `index of ${purchaseNft} at ${block}`).to.equal(isOpen);
      }
    });
  });
});

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
            wallet,
            storeId: 1n,
            storeName: "Loja",
            source: "simulated",
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
