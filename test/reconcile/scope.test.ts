import { expect } from "chai";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import type { Database } from "../../core/database/connect.ts";
import type { ReconcileOptions } from "../../core/reconcile/reconcile.ts";
import { everything, nextScope } from "../../core/reconcile/scope.ts";
import { onBothEngines } from "../testing/databases.ts";
import { insertPlainPurchase } from "../testing/plain-purchase.ts";

const NFT = `0x${"a".repeat(40)}` as const;
const PURCHASES = 5_000;
/** So few runs a day that a slice is a third of everything. */
const EVERY_SECONDS = 28_800;

describe("The scope of one comparison", () => {
  onBothEngines(({ open }) => {
    it("is a slice, so that a day's runs cover everything, plus every token with a new event", async function () {
      this.timeout(300_000);
      const { database } = await open();
      await seedCatalogue(database);
      await insertLast(database);
      const options = { database, contracts: { purchaseNft: NFT, cashbackDistributor: NFT } } as ReconcileOptions;
      const seen = new Set<bigint>();
      for (let run = 0; run < 3; run++) {
        const { pages, remember } = await nextScope(options, 100n, EVERY_SECONDS);
        for (const id of pages.flat()) seen.add(id);
        expect(pages.flat().length).to.be.lessThan(PURCHASES / 2);
        await remember();
      }
      expect(seen.size).to.equal(PURCHASES);
      await database.kysely
        .insertInto("chain_events")
        .values({
          block_number: 150n,
          log_index: 0n,
          transaction_hash: "0x1",
          kind: "StatusUpdated",
          token_id: BigInt(PURCHASES),
          arguments: "{}",
        })
        .execute();
      const { pages } = await nextScope(options, 200n, EVERY_SECONDS);
      expect(pages.flat()).to.include(BigInt(PURCHASES));
      expect(pages.flat()).to.include(1n);
    });

    it("stays within the call budget, and continues from there", async () => {
      const { database } = await open();
      await seedCatalogue(database);
      await insertLast(database, 1_000_000);
      const contracts = { purchaseNft: NFT, cashbackDistributor: NFT };
      const options = { database, contracts, calls: 30 } as ReconcileOptions;
      const first = await nextScope(options, 100n, 86_400);
      const ids = first.pages.flat();
      expect(ids).to.have.lengthOf.within(20_000, 30 * 2_000);
      await first.remember();
      const second = await nextScope(options, 100n, 86_400);
      expect(second.pages[0]?.[0]).to.equal(BigInt(ids.length + 1));
    });

    it("is everything on request", async () => {
      const { database } = await open();
      await seedCatalogue(database);
      await insertLast(database);
      const options = { database, contracts: { purchaseNft: NFT, cashbackDistributor: NFT } } as ReconcileOptions;
      let count = 0;
      for await (const page of everything(options)) count += page.length;
      expect(count).to.equal(PURCHASES);
    });
  });
});

/** One purchase with the highest id: the ids below it may have been minted too. */
async function insertLast({ kysely }: Database, last = PURCHASES): Promise<void> {
  const id = await insertPlainPurchase(kysely);
  await kysely
    .updateTable("purchases")
    .set({ id: BigInt(last) })
    .where("id", "=", id)
    .execute();
}
