import { expect } from "chai";
import { sql } from "kysely";
import { storedFaults } from "../../api/operations/system-faults.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { summarizeQueue } from "../../core/sender/queue.ts";
import { onEitherEngine } from "../testing/databases.ts";

const MINUTE_MS = 60_000;

describe("The faults that the database tells", () => {
  onEitherEngine((engine) => {
    it("are none in a new one, and each has a name and its reason", async () => {
      const opened = await engine.open();
      const { kysely } = opened.database;
      const account = { network: "awin", account: "br" } as const;
      const now = BigInt(Date.now());
      const read = () =>
        storedFaults(
          { kysely, keys: [], accounts: [account as never], readQueue: () => summarizeQueue(kysely) },
          (error) => {
            throw error;
          },
        );
      expect(await read()).to.deep.equal([]);
      await kysely
        .insertInto("affiliate_status")
        .values({ ...account, error: "401: the token is not valid", error_at: now - BigInt(5 * MINUTE_MS) })
        .execute();
      await writeSetting(kysely, "backed_up_at", String(now - BigInt(5 * 60 * MINUTE_MS)));
      await sql`insert into operations (kind, subject_id, status, not_before, since, created_at, updated_at)
        values ('mint', 1, 'queued', ${now - BigInt(4 * MINUTE_MS)}, ${now}, ${now}, ${now})`.execute(kysely);
      const found = new Map((await read()).map(({ name, text }) => [name, text]));
      expect([...found.keys()]).to.have.members(["network_unread", "backup_old", "operations_stand"]);
      expect(found.get("network_unread")).to.equal("awin/br cannot be read since 5 min: 401: the token is not valid");
      expect(found.get("operations_stand")).to.equal(
        "mint: nothing is sent, the oldest operation has been due for 4 min",
      );
    });

    if (engine.name !== "SQLite") return;
    it("have the reason why nothing can be written", async () => {
      const { kysely } = (await engine.open()).database;
      await sql`pragma query_only = on`.execute(kysely);
      const watched = { kysely, keys: [], accounts: [], readQueue: async () => [] };
      expect(await storedFaults(watched, () => [])).to.deep.equal([
        { name: "database_unwritable", text: "The database cannot write: it is read-only" },
      ]);
    });
  });
});
