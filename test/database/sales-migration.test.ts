import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { connect } from "../../database/connect.ts";
import { migrate } from "../../database/migrate.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";

const BUYER = `0x${"ab".repeat(20)}`;
const token = (digit: string) => digit.repeat(32);

describe("The migration to sales", function () {
  this.timeout(300_000);
  const directory = mkdtempSync(join(tmpdir(), "torcida-sales-"));
  let postgres: Postgres | undefined;
  before(async () => {
    postgres = await startPostgres();
  });
  after(async () => {
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  for (const engine of ["SQLite", "PostgreSQL"] as const) {
    it(`keeps purchases, and makes clicks and sales of the live ones on ${engine}`, async () => {
      const url = engine === "SQLite" ? join(directory, "old.db") : ((await postgres?.createDatabase()) ?? "");
      const database = await connect(url);
      try {
        await migrate(database, "0002-approvals");
        await sql`insert into stores (name, country, created_at, updated_at) values ('Loja', 'Brasil', 1, 1)`.execute(
          database.kysely,
        );
        for (const [digit, source, mark] of [
          ["1", "simulated", null],
          ["2", "live", null],
          ["3", "live", "approved_at"],
          ["4", "live", "reversed_at"],
        ] as const) {
          await sql`insert into purchases (wallet, store_id, store_name, amount_cents, cashback_bps, bonus_bps, source, click_id, created_at)
            values (${BUYER}, 1, 'Loja', 10000, 500, 50, ${source}, ${token(digit)}, 1000)`.execute(database.kysely);
          if (mark === null) continue;
          await sql`update purchases set ${sql.ref(mark)} = 5 where click_id = ${token(digit)}`.execute(
            database.kysely,
          );
          await sql`insert into affiliate_events (network, event_id, click_id, kind, body_hash, received_at)
            values ('acme', ${digit}, ${token(digit)}, 'report', '', 2000)`.execute(database.kysely);
        }
        await sql`insert into adjustments (purchase_id, wallet, amount_gwei, created_at) values (4, ${BUYER}, 77, 9)`.execute(
          database.kysely,
        );
        await migrate(database);

        const { kysely } = database;
        const purchases = await kysely.selectFrom("purchases").selectAll().orderBy("id").execute();
        expect(purchases.map((row) => row.cashback_cent_bps)).to.deep.equal(Array(4).fill(10_000n * 550n));
        expect(purchases.map((row) => row.sale_id)).to.deep.equal([null, null, 1n, 2n]);
        const clicks = await kysely.selectFrom("clicks").selectAll().orderBy("id").execute();
        expect(clicks.map((row) => row.token)).to.deep.equal([token("2"), token("3"), token("4")]);
        expect(JSON.parse(clicks[0]?.terms ?? "")).to.deep.equal({ groups: {}, defaultBps: "500", bonusBps: "50" });
        const sales = await kysely.selectFrom("sales").selectAll().orderBy("id").execute();
        expect(
          sales.map((row) => [row.network, row.account, row.sale_key, row.status, row.state, row.cashback_cent_bps]),
        ).to.deep.equal([
          ["direct", "acme", token("3"), "approved", "approved", 5_500_000n],
          ["direct", "acme", token("4"), "declined", "declined", 0n],
        ]);
        expect(sales.map((row) => row.revision_id)).to.deep.equal([1n, 2n]);
        expect(await kysely.selectFrom("adjustments").selectAll().execute()).to.deep.equal([
          { purchase_id: 4n, revision_id: 0n, wallet: BUYER, cent_bps: 5_500_000n, amount_gwei: 77n, created_at: 9n },
        ]);
      } finally {
        await database.close();
      }
    });
  }
});
