import { expect } from "chai";
import { sql } from "kysely";
import type { Database } from "../../core/database/connect.ts";
import { MIGRATIONS, migrate, migrationsOf } from "../../core/database/migrate.ts";
import { onBothEngines } from "../testing/databases.ts";
import { eventually } from "../testing/until.ts";

const WALLET = `0x${"a".repeat(40)}`;
const AT_FIRST = MIGRATIONS.slice(0, 1);

/** docs/decisions/0014-open-words.md */
describe("A database whose words were closed", function () {
  this.timeout(120_000);

  onBothEngines(({ name, openEmpty }) => {
    async function shopOfThen() {
      const { database, again } = await openEmpty();
      await migrate(database, AT_FIRST);
      await sql`insert into users (wallet, email, first_name, last_name, created_at) values (${WALLET}, '', '', '', 1)`.execute(
        database.kysely,
      );
      return { database, beside: await again() };
    }
    const addNonce = ({ kysely }: Database, nonce: string, purpose: string) =>
      sql`insert into sign_in_nonces (nonce, wallet, purpose, message, expires_at)
        values (${nonce}, ${WALLET}, ${purpose}, '', 1)`.execute(kysely);

    it("takes a new word after the upgrade, beside a process of before that goes on", async () => {
      const { database, beside } = await shopOfThen();
      await addNonce(beside, "before", "login");
      const refusal = await addNonce(database, "early", "erase").catch((error: Error) => error.message);
      expect(refusal).to.match(/check/i);
      await migrate(database);
      await addNonce(beside, "after", "login");
      await addNonce(database, "new", "erase");
      const { rows } = await sql`select nonce, purpose from sign_in_nonces order by nonce`.execute(beside.kysely);
      expect(rows).to.deep.equal([
        { nonce: "after", purpose: "login" },
        { nonce: "before", purpose: "login" },
        { nonce: "new", purpose: "erase" },
      ]);
    });

    it("keeps all other rules: numbers, addresses, references", async () => {
      const { database } = await shopOfThen();
      await migrate(database);
      for (const broken of [
        sql`insert into sessions (token_hash, wallet, kind, created_at, last_seen_at) values ('h', '0xnobody', 'nonce', 1, 1)`,
        sql`update users set wallet = upper(wallet)`,
        sql`insert into stores (name, country, featured, created_at, updated_at) values ('n', 'c', 2, 1, 1)`,
      ])
        expect(await broken.execute(database.kysely).catch((error: Error) => error)).to.be.instanceOf(Error);
      if (database.engine === "postgres") return;
      const { rows } = await sql`pragma integrity_check`.execute(database.kysely);
      expect(rows).to.deep.equal([{ integrity_check: "ok" }]);
      // Nobody edits the schema by SQL alone afterwards.
      const edit = sql`update sqlite_schema set sql = sql`
        .execute(database.kysely)
        .catch((error: Error) => error.message);
      expect(await edit).to.match(/may not be modified/);
    });

    // SQLite has one writer.
    if (name === "SQLite") return;
    it("is upgraded though a shop's transaction takes its tables in another order", async () => {
      const { database, beside } = await shopOfThen();
      const isWaiting = () =>
        sql`select 1 from pg_locks where not granted`.execute(beside.kysely).then(({ rows }) => rows.length > 0);
      let upgrade: Promise<void> | undefined;
      // What the upgrade alters last, then first: one of both must give way, and it is never the shop.
      await beside.kysely.transaction().execute(async (queries) => {
        await sql`set local deadlock_timeout = '1h'`.execute(queries);
        await sql`update approvals set decided_at = 1`.execute(queries);
        upgrade = migrate(database);
        await eventually(async () => expect(await isWaiting()).to.equal(true));
        await sql`update sessions set revoked_at = 1`.execute(queries);
      });
      await upgrade;
      expect(await migrationsOf(database.kysely)).to.deep.equal(MIGRATIONS.map((one) => one.name));
    });
  });
});
