import { sql } from "kysely";
import { appendAudit } from "../../core/database/audit-log.ts";
import { noteChangedFact } from "../../core/database/changed-facts.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { onBothEngines } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { OwnMoney } from "./support/own-money.ts";
import { callAs, STAFF_CALLS, WHO } from "./support/staff-calls.ts";

type Step = (queries: Queries, world: OwnMoney) => Promise<unknown>;

/** What the planner and every decision lock, in their order. */
const facts: Step = async (queries, { shop, directId }) => {
  for (const fact of ["payouts", "sales", `store ${shop.storeId}`, `store ${directId}`] as const)
    await noteChangedFact(queries, fact);
};
const buyers: Step = (queries) => sql`select 1 from users order by wallet for update`.execute(queries);
const theirs: Step = async (queries) => {
  for (const table of ["sales", "purchases", "operations", "account_books"])
    await sql`select 1 from ${sql.table(table)} order by 1 for update`.execute(queries);
};
const log: Step = (queries) =>
  appendAudit(queries, { actor: "system", action: "payouts.pause", subject: "payouts", detail: {} });

const HOLDERS: Record<string, { held: Step; rest: readonly Step[] }> = {
  "a changed fact is worked off": { held: facts, rest: [buyers, theirs] },
  "a buyer is decided about": { held: buyers, rest: [theirs, log] },
};

/** docs/architecture.md#locks */
describe("A call of the team takes its turn @release", function () {
  this.timeout(600_000);
  onBothEngines(({ open, name }) => {
    // SQLite has one writer.
    if (name === "SQLite") return;
    let world: OwnMoney;
    afterEach(() => world.stop());

    for (const [holder, { held, rest }] of Object.entries(HOLDERS)) {
      for (const [call, { acts }] of Object.entries(STAFF_CALLS)) {
        it(`while ${holder}, and holds nothing that is wanted there: ${call}`, async () => {
          const { database, again } = await open();
          world = await OwnMoney.open(database, "owner", WHO);
          const { kysely } = await again();
          for (const act of await acts(world)) {
            let called: Promise<void> | undefined;
            await kysely.transaction().execute(async (queries) => {
              await held(queries, world);
              let isOver = false;
              called = callAs(world.caller, call, [act]).finally(() => {
                isOver = true;
              });
              called.catch(() => undefined);
              await until("the call waits, or is over", async () => isOver || (await isWaitedFor(queries)));
              // Before PostgreSQL looks for a deadlock, which it would end by beginning one of the two anew.
              await sql`set local lock_timeout = '500ms'`.execute(queries);
              for (const step of rest) await step(queries, world);
            });
            await called;
          }
        });
      }
    }
  });
});

async function isWaitedFor(queries: Queries): Promise<boolean> {
  const { rows } = await sql<{ n: bigint }>`select count(*) as n from pg_stat_activity
    where pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(queries);
  return Number(rows[0]?.n) > 0;
}
