import { expect } from "chai";
import {
  listMisnamed,
  type Misnamed,
  mendNames,
  StoreIds,
  skipRegisteredIds,
} from "../../core/catalogue/chain-names.ts";
import { storeEncoders } from "../../core/catalogue/encoders.ts";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { insertStore, updateStore } from "../../core/catalogue/store-rows.ts";
import type { Database } from "../../core/database/connect.ts";
import { SAMPLE_STORES } from "../../core/rules/catalogue-samples.ts";
import { concludeOperations } from "../../core/sender/moves.ts";
import { enqueue, enqueueAgain, listDue } from "../../core/sender/queue.ts";
import { insertTransaction } from "../../core/sender/transactions.ts";
import { onBothEngines } from "../testing/databases.ts";

const ADDRESS = `0x${"11".repeat(20)}` as const;
const FIELDS = { name: "Loja nova", country: "Brasil" };

describe("Store names on the chain", function () {
  this.timeout(300_000);
  onBothEngines((engine) => {
    let database: Database;
    let onChain: Map<bigint, string>;
    const readName = async (id: bigint) => onChain.get(id) ?? "";
    beforeEach(async () => {
      ({ database } = await engine.open());
      await seedCatalogue(database);
      onChain = new Map(SAMPLE_STORES.map(({ name }, index) => [BigInt(index + 1), name]));
    });
    const misnamed = async () => {
      const found: Misnamed[] = [];
      for await (const page of listMisnamed(database.kysely, readName)) found.push(...page);
      return found;
    };
    const due = async (kind: "register_store" | "rename_store") =>
      (await listDue(database.kysely, kind, 100)).map((operation) => operation.subject_id);

    it("match if nobody changed them, and then nothing is done", async () => {
      expect(await misnamed()).to.deep.equal([]);
      expect(await mendNames(database, readName)).to.deep.equal([]);
      expect([await due("register_store"), await due("rename_store")]).to.deep.equal([[], []]);
    });

    it("are registered if missing, and renamed if different", async () => {
      onChain.set(2n, "Outra loja");
      onChain.delete(5n);
      expect(await mendNames(database, readName)).to.deep.equal([
        { id: 2n, name: "Boutique Parisienne", onChain: "Outra loja" },
        { id: 5n, name: "Curva Sud Moda", onChain: "" },
      ]);
      expect([await due("register_store"), await due("rename_store")]).to.deep.equal([[5n], [2n]]);
    });

    it("are left unchanged if only one response lacks them, as from a node that is behind", async () => {
      const asked = new Map<bigint, number>();
      const behind = async (id: bigint) => {
        asked.set(id, (asked.get(id) ?? 0) + 1);
        return asked.get(id) === 1 ? "" : readName(id);
      };
      expect(await mendNames(database, behind)).to.deep.equal([]);
      expect(await due("register_store")).to.deep.equal([]);
    });

    it("are renamed again after an earlier rename", async () => {
      await enqueue(database.kysely, [{ kind: "rename_store", subjectId: 2n }]);
      await database.kysely.updateTable("operations").set({ status: "done", reason: null }).execute();
      await updateStore(database.kysely, 2n, { name: "Nova" });
      await mendNames(database, readName);
      expect(await due("rename_store")).to.deep.equal([2n]);
    });

    it("are renamed again if they changed while the former name was in flight (F46)", async () => {
      const encoders = storeEncoders({ purchaseNft: ADDRESS, cashbackDistributor: ADDRESS }, readName);
      const [, encoder] = encoders;
      const conclude = async (nonce: bigint, meanwhile: () => Promise<unknown>) => {
        await enqueueAgain(database.kysely, { kind: "rename_store", subjectId: 2n });
        const operations = await listDue(database.kysely, "rename_store", 1);
        const { data = "0x" } = (await encoder?.encode(database.kysely, operations)) ?? {};
        const signed = { hash: `0x${nonce}`, raw: "0x", maxFeeWei: 1n, maxPriorityFeeWei: 1n } as const;
        const id = await insertTransaction(database.kysely, {
          sender: ADDRESS,
          nonce,
          to: ADDRESS,
          data,
          gasLimit: 1n,
          fencingToken: 1n,
          operations,
          signed,
        });
        await meanwhile();
        await concludeOperations(database.kysely, encoders, { id, data });
      };
      await conclude(1n, async () => {});
      expect(await due("rename_store")).to.deep.equal([]);
      await conclude(2n, async () => {
        await updateStore(database.kysely, 2n, { name: "Nova" });
        await enqueueAgain(database.kysely, { kind: "rename_store", subjectId: 2n });
      });
      expect(await due("rename_store")).to.deep.equal([2n]);
    });

    it("are never registered under another store's id", async () => {
      for (const id of [9n, 10n, 42n]) onChain.set(id, `Loja antiga ${id}`);
      await skipRegisteredIds(database, readName);
      expect(await insertStore(database.kysely, FIELDS)).to.equal(43n);
      // A second check changes nothing and never goes back.
      onChain.clear();
      await skipRegisteredIds(database, readName);
      expect(await insertStore(database.kysely, FIELDS)).to.equal(44n);
    });

    it("are looked up for an empty catalogue too, however many there are", async () => {
      const { database: empty } = await engine.open();
      for (let id = 1n; id <= 250n; id++) onChain.set(id, `Loja ${id}`);
      await skipRegisteredIds(empty, readName);
      expect(await insertStore(empty.kysely, FIELDS)).to.equal(251n);
    });

    it("are looked up until the chain has responded once; afterwards it may be unavailable", async () => {
      let isAway = true;
      const ids = new StoreIds(database, async (id) => {
        if (isAway) throw new Error("The chain does not answer");
        return readName(id);
      });
      onChain.set(9n, "Loja antiga");
      expect(await ids.skipRegistered().catch((error: Error) => error.message)).to.include("does not answer");
      isAway = false;
      await ids.skipRegistered();
      isAway = true;
      await ids.skipRegistered();
      expect(await insertStore(database.kysely, FIELDS)).to.equal(10n);
    });

    it("are compared if the contract reports that a store is already registered", async () => {
      const contracts = { purchaseNft: ADDRESS, cashbackDistributor: ADDRESS };
      const encoder = storeEncoders(contracts, readName).find(({ kind }) => kind === "register_store");
      await enqueue(database.kysely, [{ kind: "register_store", subjectId: 3n }]);
      const operations = await listDue(database.kysely, "register_store", 1);
      const revert = { name: "StoreAlreadyRegistered", args: [3] };
      const done = { atFault: operations, verdict: { kind: "done" } };
      expect(await encoder?.readRefusal(database.kysely, revert, operations)).to.deep.equal(done);
      onChain.set(3n, "Outra loja");
      expect(await encoder?.readRefusal(database.kysely, revert, operations)).to.deep.equal({
        ...done,
        prerequisite: { kind: "rename_store", subjectId: 3n },
      });
    });
  });
});
