import { expect } from "chai";
import { sql } from "kysely";
import { engineOf } from "../../core/database/clock.ts";
import { writeProblem } from "../../core/database/write-probe.ts";
import { onBothEngines } from "../testing/databases.ts";

describe("A database that answers and cannot write", () => {
  onBothEngines(({ open }) => {
    it("is told from one that can, with the reason", async () => {
      const opened = await open();
      const { kysely } = opened.database;
      if (engineOf(kysely) === "sqlite") {
        // Of this connection alone, and never below what is there.
        const other = await opened.again();
        await sql`pragma max_page_count = 1`.execute(other.kysely);
        expect(await writeProblem(other.kysely)).to.equal("its disk is full");
      } else {
        const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(kysely);
        const name = sql.id(rows[0]?.name ?? "");
        await sql`alter database ${name} set default_transaction_read_only = on`.execute(kysely);
        const other = await opened.again();
        expect(await writeProblem(other.kysely)).to.equal("it is read-only");
      }
      expect(await writeProblem(kysely)).to.equal(undefined);
    });
  });
});
