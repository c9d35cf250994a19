import { expect } from "chai";
import { sql } from "kysely";
import { insertUser } from "../../api/people/users.ts";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { touchUser } from "../../core/database/touch-user.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { makeAllDue } from "../../core/purchases/due.ts";
import { planNextSteps } from "../../core/purchases/next-step.ts";
import { withdrawPurchase } from "../../core/purchases/purchase-rows.ts";
import { fixedRate } from "../../core/rates/rate-source.ts";
import { RULES } from "../sales/support/shop.ts";
import { insertPlainPurchase, PLAIN_TICKET } from "../testing/plain-purchase.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { until } from "../testing/until.ts";

const WALLET = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const LOCK_WAITS = sql<{
  count: bigint;
}>`select count(*) as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Only PostgreSQL has concurrent writers; SQLite serializes them. */
describe("A return at the moment of the payout (F14, F31) @deep", function () {
  this.timeout(300_000);
  let postgres: Postgres;
  let database: Database;
  before(async () => {
    postgres = await startPostgres();
    database = await connect(await postgres.createDatabase());
    await migrate(database);
    await seedCatalogue(database);
  });
  after(async () => {
    await database?.close();
    await postgres?.stop();
  });

  it("is waited for: a purchase that is being returned is not paid (F14)", async () => {
    const { kysely } = database;
    await insertUser(kysely, WALLET, { email: "a@example.com", firstName: "A", lastName: "B" });
    const id = await insertPlainPurchase(kysely, { wallet: WALLET });
    const confirmed = { status_transaction: "0x2", status_block: 2n, status_at: 2n };
    await kysely
      .insertInto("nfts")
      .values({ ...PLAIN_TICKET, token_id: id, owner: WALLET, ...confirmed })
      .execute();
    await kysely.insertInto("chain_cursor").values({ id: 1n, block_number: 9n, block_hash: "0x9" }).execute();
    await makeAllDue(kysely);

    let planning: Promise<boolean> | undefined;
    await inTransaction(kysely, async (queries) => {
      await touchUser(queries, WALLET);
      await withdrawPurchase(queries, id);
      planning = planNextSteps(database, {
        rates: fixedRate(10n ** 16n),
        rules: RULES,
        approvals: { aboveGwei: undefined, roleOf: () => undefined },
        stepDelayMs: 0,
        payoutConfirmations: 1,
        assertLease: async () => {},
      });
      await until("the planner waits for the return", async () => {
        const { rows } = await LOCK_WAITS.execute(kysely);
        return Number(rows[0]?.count) > 0;
      });
    });
    await planning;
    const operations = await kysely.selectFrom("operations").select("kind").where("subject_id", "=", id).execute();
    expect(operations.map((one) => one.kind)).to.deep.equal([]);
  });
});
