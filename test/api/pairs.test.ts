import { expect } from "chai";
import { sql } from "kysely";
import { connect, type Database } from "../../core/database/connect.ts";
import { copyDatabase, putBack } from "../testing/database-copy.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { OwnMoney } from "./support/own-money.ts";
import { type Act, callAs, STAFF_CALLS, UNDERSTOOD, WHO } from "./support/staff-calls.ts";

/** Calls that decide about money that waits; on PostgreSQL, no others are paired. */
const DECIDES =
  /admin\/(sales|claims|fx-rates|purchases|operations|payouts|approvals|accounts)|api\/(confirm|distribute|mint|store\/:id$)/;
/** Those in which a person says yes or no; pairs with any other are a release's. */
const SAYS = /admin\/(sales|claims|approvals)/;
const CALLS = Object.keys(STAFF_CALLS);
const tierOf = (...calls: readonly string[]) => (calls.every((call) => SAYS.test(call)) ? "@deep" : "@release");
/** What one call found may be gone for the next one. */
const ANSWERS = [...UNDERSTOOD, 404];

/** Connections that end before the test does, and say then what they met. */
const ACTING = "acting";

/**
 * By one person, about all that they and a buyer wait for, where nobody alone may let anything be paid.
 * docs/product.md#who-frees
 */
describe("Two calls of the team", function () {
  this.timeout(1_800_000);
  onEitherEngine(({ open, name }) => {
    let database: Database;
    let acting: Database;
    let world: OwnMoney;
    beforeEach(async () => {
      const opened = await open();
      database = opened.database;
      acting = await connect(name === "SQLite" ? opened.url : `${opened.url}?application_name=${ACTING}`);
      world = await OwnMoney.open(acting, "owner", WHO);
    });
    afterEach(async () => {
      await world?.stop();
      await acting.close();
      if (name === "PostgreSQL") expect(await deadlocksIn(database), "deadlocks").to.equal(0);
    });

    const call = (one: string, acts: readonly Act[]) => callAs(world.caller, one, acts, ANSWERS);
    /** As somebody finds them who looks now; if they are gone, as somebody did before. */
    const actsOf = async (one: string, before: readonly Act[] = []): Promise<readonly Act[]> => {
      const find = async () => STAFF_CALLS[one]?.acts(world) ?? [];
      return find().catch(() => before);
    };

    /** What is wrong with what follows, at once and when networks report what was bought since. */
    const wrongAfter = async (...calls: readonly string[]): Promise<string[]> => {
      const wrong: string[] = [];
      const now = await world.settle();
      if (now.caller > 0) wrong.push(`${now.caller} of the caller's own`);
      const isSecond = calls.some((one) => STAFF_CALLS[one]?.isSecond);
      if (!isSecond && now.buyer > 0) wrong.push(`${now.buyer} of somebody's, above a limit of nothing`);
      const later = await world.settleLater();
      if (later.caller > 5) wrong.push(`${later.caller} of the caller's own, later`);
      return [...wrong, ...(await world.wrong())].map((one) => `${calls.join(" and ")}: ${one}`);
    };

    for (const [index, first] of CALLS.entries()) {
      if (name === "PostgreSQL") {
        if (!DECIDES.test(first)) continue;
        it(`free nothing at once, ${first} and each other that decides @release`, async () => {
          const wrong: string[] = [];
          const copy = await copyDatabase(database);
          for (const second of CALLS.slice(index).filter((one) => DECIDES.test(one))) {
            await putBack(database, copy);
            const both = [[first, await actsOf(first)] as const, [second, await actsOf(second)] as const];
            await Promise.all(both.map(([one, acts]) => call(one, acts)));
            wrong.push(...(await wrongAfter(first, second)));
          }
          expect(wrong).to.deep.equal([]);
        });
        continue;
      }
      for (const [tier, seconds] of Map.groupBy(CALLS, (second) => tierOf(first, second))) {
        it(`free nothing one after the other, ${first} and then each other ${tier}`, async () => {
          const wrong: string[] = [];
          const untouched = await copyDatabase(database);
          const before = new Map<string, readonly Act[]>();
          for (const second of seconds) before.set(second, await actsOf(second));
          await putBack(database, untouched);
          await call(first, await actsOf(first));
          const copy = await copyDatabase(database);
          for (const second of seconds) {
            await putBack(database, copy);
            await call(second, await actsOf(second, before.get(second)));
            wrong.push(...(await wrongAfter(first, second)));
          }
          expect(wrong).to.deep.equal([]);
        });
      }
    }
  });
});

/** Since it was made, by connections that have ended. */
async function deadlocksIn({ kysely }: Database): Promise<number> {
  await until("its connections have ended", async () => {
    const { rows } = await sql<{ n: bigint }>`select count(*) as n from pg_stat_activity
      where application_name = ${ACTING}`.execute(kysely);
    return Number(rows[0]?.n) === 0;
  });
  const { rows } = await sql<{ n: bigint }>`select deadlocks as n from pg_stat_database
    where datname = current_database()`.execute(kysely);
  return Number(rows[0]?.n);
}
