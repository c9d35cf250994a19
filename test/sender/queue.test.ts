import { expect } from "chai";
import type { Database } from "../../core/database/connect.ts";
import { OPERATION_KINDS } from "../../core/database/operations.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { listSetAside } from "../../core/sender/dispatch.ts";
import { assign, listAssigned, moveUnsent, type SetAside, takeOut } from "../../core/sender/moves.ts";
import {
  enqueue,
  findOperation,
  listDue,
  type Operation,
  queueFaults,
  release,
  subjectOf,
  summarizeQueue,
  withdraw,
} from "../../core/sender/queue.ts";
import { onBothEngines } from "../testing/databases.ts";

const FAR_MS = 3_600_000n;

describe("The queue of operations", () => {
  onBothEngines(({ open }) => {
    let database: Database;
    let nonce = 0n;
    beforeEach(async () => {
      ({ database } = await open());
    });

    it("says of each kind whether it is about a purchase or a store", async () => {
      for (const kind of OPERATION_KINDS) await enqueue(database.kysely, [{ kind, subjectId: 7n }]);
      const rows = await database.kysely.selectFrom("operations").selectAll().orderBy("id").execute();
      expect(rows.filter((one) => "store" in subjectOf(one)).map(({ kind }) => kind)).to.deep.equal([
        ...["register_store", "rename_store", "set_store_look"],
      ]);
    });

    const pay = (...ids: bigint[]) =>
      enqueue(
        database.kysely,
        ids.map((subjectId) => ({ kind: "pay" as const, subjectId, amountGwei: subjectId })),
      );
    const due = async () => (await listDue(database.kysely, "pay", 100)).map((one) => one.subject_id);
    const setAside = (ids: readonly bigint[], why: SetAside) =>
      moveUnsent(database.kysely, ids, { to: "waiting", ...why });
    const operation = async (id: bigint) => (await findOperation(database.kysely, "pay", id)) as Operation;
    const send = async () => {
      const operations = await listDue(database.kysely, "pay", 100);
      await assign(database.kysely, operations, await insertTransaction(database.kysely, ++nonce));
      return operations.map((one) => one.subject_id);
    };
    const revert = async () => {
      const { id } = await database.kysely
        .selectFrom("transactions")
        .select("id")
        .orderBy("id", "desc")
        .executeTakeFirstOrThrow();
      await takeOut(database.kysely, await listAssigned(database.kysely, id), "reverted");
      await database.kysely.updateTable("operations").set({ not_before: 0n }).where("status", "=", "queued").execute();
    };

    it("leaves operations set aside until their time, and keeps since when they wait", async () => {
      await pay(1n, 2n);
      const first = await operation(1n);
      const why = { reason: "day_cap", text: "AboveDailyCap: 1 CHZ", limit: "1", afterMs: FAR_MS } as const;
      await setAside([first.id], why);
      expect(await due()).to.deep.equal([2n]);
      await database.kysely.updateTable("operations").set({ since: 5n }).where("id", "=", first.id).execute();
      await setAside([first.id], why);
      expect(await operation(1n)).to.include({ status: "waiting", reason: "day_cap", limit_chz: "1", since: 5n });
      await setAside([first.id], { ...why, reason: "pool_empty" });
      expect((await operation(1n)).since > 5n, "another reason, another time").to.equal(true);
    });

    it("retries waiting operations on request, all of them or those with one reason", async () => {
      await pay(1n, 2n, 3n);
      const ids = await Promise.all([1n, 2n].map(async (id) => (await operation(id)).id));
      await setAside(ids.slice(0, 1), { reason: "day_cap", text: "", afterMs: FAR_MS });
      await setAside(ids.slice(1), { reason: "max_payout", text: "", afterMs: FAR_MS });
      expect(await release(database.kysely, { reason: "max_payout" })).to.equal(1n);
      expect(await due()).to.deep.equal([2n, 3n]);
      expect(await release(database.kysely)).to.equal(1n);
      expect(await due()).to.deep.equal([1n, 2n, 3n]);
      expect(await release(database.kysely), "nothing waits").to.equal(0n);
    });

    it("retries a reverted batch in small ones, until the failing operation is alone and the others are done (F41)", async () => {
      const all = Array.from({ length: 12 }, (_, index) => BigInt(index + 1));
      await pay(...all);
      const batches: bigint[][] = [];
      for (let turn = 0; turn < 30 && batches.flat().length < 200; turn++) {
        const sent = await send();
        if (sent.length === 0) {
          await database.kysely
            .updateTable("operations")
            .set({ not_before: 0n })
            .where("status", "=", "waiting")
            .execute();
          continue;
        }
        batches.push(sent);
        if (sent.includes(4n)) await revert();
        else
          await database.kysely
            .updateTable("operations")
            .set({ status: "done" })
            .where("status", "=", "assigned")
            .execute();
        if ((await operation(4n)).status === "failed") break;
      }
      expect(batches.slice(0, 4)).to.deep.equal([all, [1n, 2n, 3n], [4n, 5n, 6n], [4n]]);
      expect(
        batches.flat().filter((id) => id === 5n),
        "is not dragged along",
      ).to.have.length(3);
      for (const id of all.filter((one) => one !== 4n))
        expect((await operation(id)).status, `payout ${id}`).to.equal("done");
      const failed = await operation(4n);
      expect(failed).to.include({ status: "failed", reason: "reverted", attempts: 6n });
      expect(
        (await summarizeQueue(database.kysely)).map(({ kind, status, reason, count }) => [kind, status, reason, count]),
      ).to.deep.equal([["pay", "failed", "reverted", 1]]);
    });

    it("counts a long queue up to 10,000, with every reason in it", async () => {
      const ids = Array.from({ length: 10_100 }, (_, index) => BigInt(index + 1));
      await pay(...ids);
      await database.kysely
        .updateTable("operations")
        .set({ status: "failed", reason: "reverted", error: "Reverted", since: 1n })
        .execute();
      await setAside([10_100n], { reason: "day_cap", text: "Above", afterMs: FAR_MS });
      await pay(20_001n);
      const summary = await summarizeQueue(database.kysely);
      expect(summary.map(({ status, reason, error, count }) => [status, reason, error, count])).to.deep.equal([
        ["failed", "reverted", "Reverted", 10_001],
        ["queued", null, null, 1],
        ["waiting", "day_cap", "Above", 1],
      ]);
      expect(queueFaults(summary)[0]?.text).to.match(/^pay: more than 10000 operations failed/);
    });

    it("finds the smallest of many payouts set aside, and of few the oldest first", async () => {
      const ids = Array.from({ length: 600 }, (_, index) => BigInt(600 - index));
      await pay(...ids);
      const all = await listDue(database.kysely, "pay", 1_000);
      const aside = { reason: "pool_empty", text: "", afterMs: FAR_MS } as const;
      await setAside(
        all.map(({ id }) => id),
        aside,
      );
      const fitting = (atMostGwei: bigint) =>
        listSetAside(database.kysely, "pay", { reasons: ["pool_empty", "day_cap"], atMostGwei });
      expect((await fitting(2n)).map(({ amount_gwei }) => amount_gwei)).to.deep.equal([2n, 1n]);
      expect((await fitting(600n)).map(({ amount_gwei }) => amount_gwei))
        .to.include(1n)
        .and.not.include(600n);
    });

    it("queues a withdrawn operation again with its new amount, and leaves others unchanged", async () => {
      await pay(1n, 2n);
      await withdraw(database.kysely, "pay", 1n, "Withdrawn");
      expect(await due()).to.deep.equal([2n]);
      await enqueue(
        database.kysely,
        [1n, 2n].map((subjectId) => ({ kind: "pay" as const, subjectId, amountGwei: 9n })),
      );
      expect(await due()).to.deep.equal([1n, 2n]);
      expect([(await operation(1n)).amount_gwei, (await operation(2n)).amount_gwei]).to.deep.equal([9n, 2n]);
    });

    it("refuses to send an operation that was withdrawn, or whose amount changed, after it was read", async () => {
      await pay(1n);
      const read = await listDue(database.kysely, "pay", 1);
      await withdraw(database.kysely, "pay", 1n, "Withdrawn");
      const id = await insertTransaction(database.kysely, ++nonce);
      expect(await assign(database.kysely, read, id)).to.equal(false);
      await enqueue(database.kysely, [{ kind: "pay", subjectId: 1n, amountGwei: 7n }]);
      expect(await assign(database.kysely, read, id)).to.equal(false);
    });
  });
});

async function insertTransaction(queries: Queries, nonce: bigint): Promise<bigint> {
  const address = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" as const;
  const { id } = await queries
    .insertInto("transactions")
    .values({
      sender: address,
      nonce,
      to_address: address,
      data: "0x",
      gas_limit: 1n,
      status: "signed",
      fencing_token: 1n,
      created_at: 1n,
      updated_at: 1n,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
