import { expect } from "chai";
import { METADATA_URI_MAX_BYTES } from "../../core/rules/product.ts";
import { moveUnsent } from "../../core/sender/moves.ts";
import { enqueue, findOperation } from "../../core/sender/queue.ts";
import { onBothEngines } from "../testing/databases.ts";
import { insertPlainPurchase } from "../testing/plain-purchase.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const LONGEST = `ipfs://${"x".repeat(METADATA_URI_MAX_BYTES - 7)}`;

describe("A purchase's own metadata_uri", () => {
  onBothEngines(({ open }) => {
    let api: InProcessApi;
    const start = async (isSimulated: boolean) => {
      const { database } = await open();
      api = await startInProcess(database, { SIMULATED_PURCHASES: String(isSimulated) });
      return database.kysely;
    };
    afterEach(() => api.stop());
    const uriOf = async (id: bigint) =>
      (
        await api.services.database.kysely
          .selectFrom("purchases")
          .select("metadata_uri")
          .where("id", "=", id)
          .executeTakeFirstOrThrow()
      ).metadata_uri;

    it("has at most 200 bytes", async () => {
      const kysely = await start(true);
      const owner = await api.user();
      const id = await insertPlainPurchase(kysely, { wallet: owner.address });
      const wish = { user: owner.address, purchase_id: Number(id), metadata_uri: `${LONGEST}x` };
      const answer = await owner.post("/api/mint-nft", wish);
      expectRefusal(answer, 400, "INVALID_REQUEST");
      expect(answer.body).to.include({ field: "metadata_uri" });
      expect((await owner.post("/api/mint-nft", { ...wish, metadata_uri: LONGEST })).status).to.equal(202);
      expect(await uriOf(id)).to.equal(LONGEST);
    });

    it("is chosen by admins and services alone in live mode, and by nobody for their own purchase", async () => {
      const kysely = await start(false);
      const [owner, admin] = [await api.user(), await api.admin("operator")];
      const id = await insertPlainPurchase(kysely, { wallet: owner.address, source: "live" });
      await enqueue(kysely, [{ kind: "mint", subjectId: id }]);
      const wish = { user: owner.address, purchase_id: Number(id), metadata_uri: LONGEST };
      expectRefusal(await owner.post("/api/mint-nft", wish), 403, "METADATA_URI_FORBIDDEN");
      expect(await uriOf(id)).to.equal("");
      expect((await owner.post("/api/mint-nft", { ...wish, metadata_uri: "" })).status).to.equal(202);
      expect((await admin.post("/api/mint-nft", wish)).status).to.equal(202);
      expect(await uriOf(id)).to.equal(LONGEST);
      const own = await insertPlainPurchase(kysely, { wallet: admin.address, source: "live" });
      await enqueue(kysely, [{ kind: "mint", subjectId: own }]);
      const ownWish = { ...wish, user: admin.address, purchase_id: Number(own) };
      expectRefusal(await admin.post("/api/mint-nft", ownWish), 403, "METADATA_URI_FORBIDDEN");
    });

    it("takes effect although the mint is parked, which is tried again at once", async () => {
      const kysely = await start(true);
      const owner = await api.user();
      const id = await insertPlainPurchase(kysely, { wallet: owner.address });
      await enqueue(kysely, [{ kind: "mint", subjectId: id }]);
      const parked = await findOperation(kysely, "mint", id);
      if (!parked) throw new Error("It was not queued");
      for (let attempts = 0n; attempts < 7n; attempts++)
        await moveUnsent(kysely, [parked.id], { to: "parked", attempts, text: "no" });
      expect(await findOperation(kysely, "mint", id)).to.include({ status: "failed", reason: "refused" });
      const wish = { user: owner.address, purchase_id: Number(id), metadata_uri: "ipfs://short" };
      expect((await owner.post("/api/mint-nft", wish)).status).to.equal(202);
      expect(await uriOf(id)).to.equal("ipfs://short");
      expect(await findOperation(kysely, "mint", id)).to.include({ status: "queued", attempts: 0n, error: null });
    });
  });
});
