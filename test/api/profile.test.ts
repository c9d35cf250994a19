import { expect } from "chai";
import { ProfileCache } from "../../api/people/profile.ts";
import { findVisitors, hashToken, insertSession, type Visitor } from "../../api/people/sessions.ts";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { recountPurchases } from "../../core/purchases/purchase-rows.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";
import { insertPlainPurchase, PLAIN_TICKET } from "../testing/plain-purchase.ts";

const WALLET = buyerOf(1);

describe("A buyer's cached profile", () => {
  const seenAt = (block: bigint, revision = "1:1", wallet = WALLET) =>
    ({ wallet, revision, indexed: { block, hash: `0x${block}` } }) as Visitor;
  /** Each response is numbered. */
  const counted = (changesAt?: bigint) => {
    let built = 0;
    return async () => ({ text: `response ${++built}`, changesAt });
  };

  it("survives new blocks, and is built once for callers of the same moment", async () => {
    const cache = new ProfileCache();
    const build = counted();
    const texts = await Promise.all([seenAt(1n), seenAt(1n), seenAt(2n)].map((visitor) => cache.read(visitor, build)));
    texts.push(await cache.read(seenAt(900n), build));
    expect(new Set(texts)).to.deep.equal(new Set(["response 1"]));
  });

  it("is built again when the buyer's rows change, and for another buyer", async () => {
    const cache = new ProfileCache();
    const build = counted();
    expect(await cache.read(seenAt(1n), build)).to.equal("response 1");
    expect(await cache.read(seenAt(1n, "1:2"), build)).to.equal("response 2");
    expect(await cache.read(seenAt(1n, "1:2", buyerOf(2)), build)).to.equal("response 3");
  });

  it("is built again at the block that makes a payout final, and not before", async () => {
    const cache = new ProfileCache();
    const build = counted(15n);
    expect(await cache.read(seenAt(1n), build)).to.equal("response 1");
    expect(await cache.read(seenAt(14n), build)).to.equal("response 1");
    const final = counted();
    await final();
    expect(await cache.read(seenAt(15n), final)).to.equal("response 2");
    expect(await cache.read(seenAt(16n), build)).to.equal("response 2");
  });

  onEitherEngine(({ open }) => {
    it("has another revision once the index knows more of the buyer's purchases", async () => {
      const { database } = await open();
      const { kysely } = database;
      await seedCatalogue(database);
      const names = { email: "ana@example.com", first_name: "Ana", last_name: "Silva" };
      await kysely
        .insertInto("users")
        .values({ ...names, wallet: WALLET, created_at: 1n })
        .execute();
      const hash = hashToken(await insertSession(kysely, WALLET, { kind: "nonce", device: null }));
      const revision = async () => (await findVisitors(kysely, [hash])).get(hash)?.revision;
      const seen = [await revision()];
      const id = await insertPlainPurchase(kysely, { wallet: WALLET });
      seen.push(await revision());
      for (const status of [1n, 2n]) {
        await kysely
          .insertInto("nfts")
          .values({ ...PLAIN_TICKET, token_id: id, owner: WALLET, status })
          .onConflict((conflict) => conflict.column("token_id").doUpdateSet({ status }))
          .execute();
        await inTransaction(kysely, (queries) => recountPurchases(queries, [id]));
        seen.push(await revision());
      }
      expect(new Set(seen).size, seen.join()).to.equal(4);
      await inTransaction(kysely, (queries) => recountPurchases(queries, [id]));
      expect(await revision(), "nothing changed").to.equal(seen.at(-1));
    });
  });
});
