import { expect } from "chai";
import { sql } from "kysely";
import {
  acquireLease,
  assertLease,
  LeaseLostError,
  leadWhileHeld,
  releaseLease,
  renewLease,
} from "../../core/process/lease.ts";
import { onBothEngines } from "../testing/databases.ts";
import { until } from "../testing/until.ts";

const LONG_MS = 60_000;
/** Long enough for a slow machine to run a transaction: PostgreSQL ends one that is idle for longer. */
const SHORT_MS = 2_000;

describe("Lease", () => {
  onBothEngines(({ open, name }) => {
    it("is held by one process at a time", async () => {
      const { database, again } = await open();
      const other = await again();
      const held = await acquireLease(database, "indexer", "a", LONG_MS);
      expect(held?.fencingToken).to.equal(1n);
      expect(await acquireLease(other, "indexer", "b", LONG_MS)).to.equal(undefined);
      expect((await acquireLease(other, "sender", "b", LONG_MS))?.fencingToken).to.equal(1n);
    });

    it("goes to one of many concurrent callers", async () => {
      const { database, again } = await open();
      const others = [database, await again(), await again()];
      const asked = others.flatMap((one, index) =>
        [1, 2, 3].map((n) => acquireLease(one, "x", `${index}.${n}`, LONG_MS)),
      );
      expect((await Promise.all(asked)).filter(Boolean)).to.have.length(1);
    });

    it("is taken over with a higher fencing token once it has expired", async () => {
      const { database, again } = await open();
      const other = await again();
      await acquireLease(database, "indexer", "a", 1);
      const taken = await until("b takes over", () => acquireLease(other, "indexer", "b", LONG_MS));
      expect(taken.fencingToken).to.equal(2n);
    });

    it("is free at once when the clock was set back to before it was taken", async () => {
      const { database } = await open();
      await acquireLease(database, "indexer", "a", LONG_MS + 3_600_000);
      expect((await acquireLease(database, "indexer", "b", LONG_MS))?.fencingToken).to.equal(2n);
    });

    it("is free at once when it is released", async () => {
      const { database } = await open();
      const lease = await acquireLease(database, "indexer", "a", LONG_MS);
      if (lease) await releaseLease(database, lease);
      expect((await acquireLease(database, "indexer", "b", LONG_MS))?.fencingToken).to.equal(2n);
    });

    it("does not let a paused former holder renew or write", async () => {
      const { database, again } = await open();
      const other = await again();
      const old = await acquireLease(database, "indexer", "a", SHORT_MS);
      if (!old) throw new Error("not acquired");
      expect(await renewLease(database, old, SHORT_MS)).to.equal(true);
      await until("b takes over", () => acquireLease(other, "indexer", "b", LONG_MS));
      expect(await renewLease(database, old, LONG_MS)).to.equal(false);
      const write = database.kysely.transaction().execute(async (transaction) => {
        await transaction.insertInto("chain_cursor").values({ id: 1n, block_number: 1n, block_hash: "0x" }).execute();
        await assertLease(transaction, old);
      });
      expect(await write.catch((error) => error)).to.be.instanceOf(LeaseLostError);
      expect(await database.kysely.selectFrom("chain_cursor").selectAll().execute()).to.deep.equal([]);
    });

    it("stays with a holder that writes: an assertion renews it", async () => {
      const { database, again } = await open();
      const other = await again();
      const held = await acquireLease(database, "indexer", "a", LONG_MS);
      if (!held) throw new Error("not acquired");
      await database.kysely.updateTable("leases").set({ expires_at: 1n }).execute();
      await database.kysely.transaction().execute((transaction) => assertLease(transaction, held));
      expect(await acquireLease(other, "indexer", "b", LONG_MS)).to.equal(undefined);
    });

    if (name === "PostgreSQL") {
      it("stays with a holder that renews it while another process waits for its row", async () => {
        const { database, again } = await open();
        const other = await again();
        const held = await acquireLease(database, "indexer", "a", LONG_MS);
        if (!held) throw new Error("not acquired");
        let taken: ReturnType<typeof acquireLease> | undefined;
        await database.kysely.transaction().execute(async (transaction) => {
          await assertLease(transaction, held);
          taken = acquireLease(other, "indexer", "b", LONG_MS);
          const waits = sql<{ n: bigint }>`select count(*) as n from pg_locks where not granted`;
          await until("it waits", async () => Number((await waits.execute(database.kysely)).rows[0]?.n) > 0);
          await assertLease(transaction, held);
        });
        expect(await taken).to.equal(undefined);
      });
    }

    it("is led by one process, and by the next as soon as the first ends", async () => {
      const { database, again } = await open();
      const log: string[] = [];
      const lead = (one: typeof database, holder: string, end: AbortController, onStandby?: () => void) =>
        leadWhileHeld(
          { database: one, name: "x", holder, ttlMs: 2_000, signal: end.signal, onStandby },
          async (lease, signal) => {
            log.push(`${holder} ${lease.fencingToken}`);
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
            log.push(`${holder} ends`);
          },
        );
      const [endA, endB] = [new AbortController(), new AbortController()];
      const runA = lead(database, "a", endA);
      await until("a leads", () => log.length === 1);
      let isStandby = false;
      const runB = lead(await again(), "b", endB, () => {
        isStandby = true;
      });
      await until("b stands by", () => isStandby);
      expect(log).to.deep.equal(["a 1"]);
      endA.abort();
      await runA;
      await until("b leads", () => log.length === 3);
      expect(log).to.deep.equal(["a 1", "a ends", "b 2"]);
      endB.abort();
      await runB;
    });

    it("is not said to be another's while the database cannot be asked", async () => {
      const { database } = await open();
      await sql`drop table leases`.execute(database.kysely);
      const [end, said] = [new AbortController(), [] as string[]];
      const onError = () => {
        said.push("error");
        end.abort();
      };
      const onStandby = () => said.push("standby");
      const parameters = { database, name: "x", holder: "a", ttlMs: 10, signal: end.signal, onStandby, onError };
      await leadWhileHeld(parameters, async () => {});
      expect(said).to.deep.equal(["error"]);
    });

    it("is said to be another's again once the database answers again", async () => {
      const { database } = await open();
      await acquireLease(database, "x", "another", 60_000);
      const [end, said] = [new AbortController(), [] as string[]];
      const renamed = (from: string, to: string) =>
        sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(database.kysely);
      const leading = leadWhileHeld(
        {
          ...{ database, name: "x", holder: "a", ttlMs: 10, signal: end.signal },
          onStandby: () => void said.push("standby"),
          onError: () => void (said.at(-1) !== "error" && said.push("error")),
        },
        async () => {},
      );
      await until("it stands by", () => said.length === 1);
      await renamed("leases", "away");
      await until("the database fails", () => said.length === 2);
      await renamed("away", "leases");
      await until("it stands by again", () => said.length === 3);
      end.abort();
      await leading;
      expect(said).to.deep.equal(["standby", "error", "standby"]);
    });

    it("tells a leader that it was replaced, and lets it compete again", async () => {
      const { database } = await open();
      const tokens: bigint[] = [];
      const end = new AbortController();
      await leadWhileHeld(
        { database, name: "x", holder: "a", ttlMs: 200, signal: end.signal },
        async (lease, signal) => {
          tokens.push(lease.fencingToken);
          if (tokens.length === 2) return;
          await database.kysely.updateTable("leases").set({ fencing_token: 50n, expires_at: 1n }).execute();
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        },
      );
      expect(tokens).to.deep.equal([1n, 51n]);
    });
  });
});
