import { expect } from "chai";
import { acquireLease, assertLease, LeaseLostError, releaseLease, renewLease } from "../../database/leases.ts";
import { onBothEngines } from "../support/databases.ts";
import { until } from "../support/until.ts";

const LONG_MS = 60_000;

describe("Lease", () => {
  onBothEngines(({ open }) => {
    it("is held by one at a time", async () => {
      const { database, again } = await open();
      const other = await again();
      const held = await acquireLease(database, "indexer", "a", LONG_MS);
      expect(held?.fencingToken).to.equal(1n);
      expect(await acquireLease(other, "indexer", "b", LONG_MS)).to.equal(undefined);
      expect((await acquireLease(other, "sender", "b", LONG_MS))?.fencingToken).to.equal(1n);
    });

    it("goes to one of many who ask at once", async () => {
      const { database, again } = await open();
      const others = [database, await again(), await again()];
      const asked = others.flatMap((one, index) =>
        [1, 2, 3].map((n) => acquireLease(one, "x", `${index}.${n}`, LONG_MS)),
      );
      expect((await Promise.all(asked)).filter(Boolean)).to.have.length(1);
    });

    it("is taken over with a higher fencing token once it has run out", async () => {
      const { database, again } = await open();
      const other = await again();
      await acquireLease(database, "indexer", "a", 1);
      const taken = await until("b takes over", () => acquireLease(other, "indexer", "b", LONG_MS));
      expect(taken.fencingToken).to.equal(2n);
    });

    it("is free at once when it is given back", async () => {
      const { database } = await open();
      const lease = await acquireLease(database, "indexer", "a", LONG_MS);
      if (lease) await releaseLease(database, lease);
      expect((await acquireLease(database, "indexer", "b", LONG_MS))?.fencingToken).to.equal(2n);
    });

    it("lets a paused old holder neither renew nor write", async () => {
      const { database, again } = await open();
      const other = await again();
      const old = await acquireLease(database, "indexer", "a", 1);
      if (!old) throw new Error("not acquired");
      expect(await renewLease(database, old, 1)).to.equal(true);
      await until("b takes over", () => acquireLease(other, "indexer", "b", LONG_MS));
      expect(await renewLease(database, old, LONG_MS)).to.equal(false);
      const write = database.kysely.transaction().execute(async (transaction) => {
        await transaction.insertInto("chain_cursor").values({ id: 1n, block_number: 1n, block_hash: "0x" }).execute();
        await assertLease(transaction, old);
      });
      expect(await write.catch((error) => error)).to.be.instanceOf(LeaseLostError);
      expect(await database.kysely.selectFrom("chain_cursor").selectAll().execute()).to.deep.equal([]);
    });
  });
});
