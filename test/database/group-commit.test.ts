import { expect } from "chai";
import { sql } from "kysely";
import { GroupCommit } from "../../core/database/batching.ts";
import type { Database } from "../../core/database/connect.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { onBothEngines } from "../testing/databases.ts";

describe("Writes of many callers in one transaction", () => {
  onBothEngines(({ open }) => {
    let database: Database;
    let groups: number[];
    /** As another process sees it. */
    let other: Database;
    beforeEach(async () => {
      const opened = await open();
      ({ database } = opened);
      other = await opened.again();
      await sql`create table notes (id bigint primary key, text text not null)`.execute(database.kysely);
      groups = [];
    });

    const insert = async (queries: Queries, ids: readonly number[]) => {
      groups.push(ids.length);
      await sql`insert into notes (id, text) values ${sql.join(ids.map((id) => sql`(${id}, 'note')`))}`.execute(
        queries,
      );
      return ids.map((id) => `note ${id}`);
    };
    const stored = async () => {
      const { rows } = await sql<{ id: bigint }>`select id from notes order by id`.execute(other.kysely);
      return rows.map((row) => Number(row.id));
    };

    it("returns each caller's own result, in few transactions", async () => {
      const writer = new GroupCommit(database.kysely, insert);
      const ids = Array.from({ length: 300 }, (_, index) => index + 1);
      expect(await Promise.all(ids.map((id) => writer.add(id)))).to.deep.equal(ids.map((id) => `note ${id}`));
      expect(await stored()).to.deep.equal(ids);
      expect(groups).to.deep.equal([256, 44]);
    });

    it("fails only the caller whose row the database rejects", async () => {
      const writer = new GroupCommit(database.kysely, insert);
      await writer.add(3);
      const outcomes = await Promise.allSettled([1, 2, 3, 4].map((id) => writer.add(id)));
      expect(outcomes.map((one) => one.status)).to.deep.equal(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
      expect(await stored()).to.deep.equal([1, 2, 3, 4]);
    });

    it("fails the whole group and writes nothing if no single row is at fault", async () => {
      let isAway = true;
      const writer = new GroupCommit<number, string>(database.kysely, async (queries, ids) => {
        const results = await insert(queries, ids);
        if (isAway) throw Object.assign(new Error("The database is locked"), { code: "SQLITE_BUSY" });
        return results;
      });
      const outcomes = await Promise.allSettled([1, 2].map((id) => writer.add(id)));
      expect(outcomes.map((one) => one.status)).to.deep.equal(["rejected", "rejected"]);
      expect(groups, "no caller is tried again").to.deep.equal([2]);
      expect(await stored()).to.deep.equal([]);
      isAway = false;
      expect(await writer.add(5)).to.equal("note 5");
    });

    it("returns only after the commit", async () => {
      const writer = new GroupCommit(database.kysely, insert);
      await Promise.all([1, 2, 3].map((id) => writer.add(id).then(async () => expect(await stored()).to.include(id))));
    });
  });
});
