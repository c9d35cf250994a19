import { expect } from "chai";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { deleteStore, insertStore } from "../../core/catalogue/store-rows.ts";
import { IdGate } from "../../core/purchases/id-gate.ts";
import { listPurchases, listTickets } from "../../core/purchases/queries.ts";
import { onBothEngines } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";
import { insertPlainPurchase, PLAIN_TICKET } from "../testing/plain-purchase.ts";

describe("A purchase whose id is another owner's token", () => {
  onBothEngines(({ open }) => {
    it("shows neither that token nor its payout, and the token stays its owner's (F38)", async () => {
      const { database } = await open();
      const { kysely } = database;
      await seedCatalogue(database);
      const [buyer, stranger] = [buyerOf(1), buyerOf(2)];
      const id = await insertPlainPurchase(kysely, { wallet: buyer });
      await kysely
        .insertInto("nfts")
        .values({ ...PLAIN_TICKET, token_id: id, owner: stranger })
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
    it("is given only once the index of these contracts is complete up to the head at the start (F38)", async () => {
      const { database } = await open();
      const { kysely } = database;
      const nft = buyerOf(3);
      const nodes: { firstHead: number | undefined } = { firstHead: undefined };
      const gate = new IdGate(nft, nodes);
      const setIndex = async (purchaseNft: `0x${string}`, block: bigint) => {
        for (const table of ["chain_source", "chain_cursor"] as const) await kysely.deleteFrom(table).execute();
        const source = { purchase_nft: purchaseNft, cashback_distributor: buyerOf(4) };
        await kysely
          .insertInto("chain_source")
          .values({ id: 1n, chain_id: 88_882n, start_block: 0n, ...source })
          .execute();
        await kysely.insertInto("chain_cursor").values({ id: 1n, block_number: block, block_hash: "0xabc" }).execute();
      };
      await setIndex(nft, 500n);
      expect(await gate.isOpen(kysely), "no node was seen yet").to.equal(false);
      nodes.firstHead = 100;
      for (const [purchaseNft, block, isOpen] of [
        [buyerOf(5), 500n, false],
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
    it("is above every indexed token, even in a new database (F35)", async () => {
      const { database } = await open();
      await seedCatalogue(database);
      const buy = () => insertPlainPurchase(database.kysely);
      expect(await buy()).to.equal(1n);
      await database.kysely
        .insertInto("nfts")
        .values({ ...PLAIN_TICKET, token_id: 7n })
        .execute();
      expect([await buy(), await buy()]).to.deep.equal([8n, 9n]);
    });
  });
});

describe("A store that is renamed", () => {
  onBothEngines(({ open }) => {
    it("has its new name on purchases, as on their tickets, also once it is deleted", async () => {
      const { kysely } = (await open()).database;
      const buyer = buyerOf(1);
      const store_id = await insertStore(kysely, { name: "Loja Antiga", country: "Brasil" });
      await insertPlainPurchase(kysely, { wallet: buyer, storeId: store_id, storeName: "Loja Antiga" });
      const shown = async () => (await listPurchases(kysely, buyer, { limit: 10 })).map((one) => one.store_name);
      await kysely.updateTable("stores").set({ name: "Loja Nova" }).where("id", "=", store_id).execute();
      expect(await shown()).to.deep.equal(["Loja Nova"]);
      await deleteStore(kysely, store_id);
      expect(await shown()).to.deep.equal(["Loja Nova"]);
    });
  });
});
