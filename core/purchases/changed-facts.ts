import { hash } from "node:crypto";
import { sql } from "kysely";
import {
  type ChangedFact,
  moveChangedFact,
  noteChangedFact,
  type Place,
  takeChangedFact,
} from "../database/changed-facts.ts";
import type { Database } from "../database/connect.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import { inTransaction, isDatabaseAway, type Queries } from "../database/transaction.ts";
import { LeaseLostError } from "../process/lease.ts";
import { idsOf, jsonOf } from "../rules/records.ts";
import { isConfigured } from "../rules/sale/holds.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import { UNSENT } from "../sender/queue.ts";
import { noteAccountTerms } from "./account-books.ts";
import { uncount } from "./approvals.ts";
import { decideSales } from "./decide-sales.ts";
import { makeDue } from "./due.ts";
import { recountPurchases, withdrawMove } from "./purchase-rows.ts";

/** Notes whether the rules are others than those by which all sales were decided last. */
export async function noteRules(queries: Queries, rules: SaleRules): Promise<void> {
  await noteAccountTerms(queries, rules.accounts.filter(isConfigured));
  const { limits, holdMs, accounts, fx, isLive } = rules;
  const known = accounts.map(({ network, account, aliases = [], goneAt = null }) => ({
    ...{ network, account },
    ...(aliases.length > 0 && { aliases }),
    ...(goneAt !== null && { goneAt }),
  }));
  const ofSales = { limits, holdMs, known, isLive, fx: [fx.url, [...fx.fixed]] };
  // Only a digest is kept: an address can contain a secret.
  const digest = hash("sha256", jsonOf(ofSales));
  if ((await readSetting(queries, "sale_rules")) === digest) return;
  await writeSetting(queries, "sale_rules", digest);
  await noteChangedFact(queries, "sales");
}

const DECIDED_AT_ONCE = 200;

type DecideOptions = { rules: SaleRules; assertLease: (queries: Queries) => Promise<void> };

/** The next sales that a changed fact affects. One that cannot be decided is found by halving, and left out. */
export async function decideNextChanged(
  database: Database,
  options: DecideOptions,
  limit = DECIDED_AT_ONCE,
): Promise<void> {
  const write = (work: (queries: Queries) => Promise<void>) =>
    inTransaction(database.kysely, async (queries) => {
      await options.assertLease(queries);
      await work(queries);
    });
  try {
    await write((queries) => decideChanged(queries, options.rules, limit));
  } catch (error) {
    if (isDatabaseAway(error) || error instanceof LeaseLostError) throw error;
    if (limit === 1) await write(skipChanged);
    else await decideNextChanged(database, options, Math.floor(limit / 2));
  }
}

/** Decides the next purchases or sales that a changed fact affects; at most so many. */
export async function decideChanged(queries: Queries, rules: SaleRules, limit: number): Promise<void> {
  const taken = await takeChangedFact(queries);
  if (!taken) return;
  const { fact, after } = taken;
  const affected = fact === "payouts" ? await listJudged(queries, after, limit) : await listOpen(queries, taken, limit);
  const ids = idsOf(affected);
  if (fact === "payouts") {
    // Out of the queue and of their deciders' days: their purchases are due, and are judged in their order.
    for (const id of ids) await withdrawMove(queries, id, "pay");
    await uncount(queries, ids);
    await recountPurchases(queries, ids);
  } else await decideSales(queries, ids, rules);
  await moveChangedFact(queries, fact, affected.length < limit ? undefined : affected.at(-1));
}

/** Leaves one out that cannot be decided. Its purchases are due, which tells why. */
async function skipChanged(queries: Queries): Promise<void> {
  const taken = await takeChangedFact(queries);
  if (!taken) return;
  const { fact, after } = taken;
  const [one] = fact === "payouts" ? await listJudged(queries, after, 1) : await listOpen(queries, taken, 1);
  if (one) {
    const own = fact === "payouts" ? sql<boolean>`id = ${one.id}` : sql<boolean>`sale_id = ${one.id}`;
    const purchases = await queries.selectFrom("purchases").select("id").where(own).execute();
    await makeDue(queries, idsOf(purchases));
  }
  await moveChangedFact(queries, fact, one);
}

/** Sales that are neither over nor without a buyer. The first condition is that of the index. */
async function listOpen(
  queries: Queries,
  { fact, after }: { fact: ChangedFact; after: Place },
  limit: number,
): Promise<Place[]> {
  const store = fact === "sales" ? undefined : BigInt(fact.slice("store ".length));
  const next =
    store === undefined
      ? sql`(store_id, id) > (${after.storeId}, ${after.id})`
      : sql`store_id = ${store} and id > ${after.id}`;
  const { rows } = await sql<Place>`select store_id as "storeId", id from sales
    where state in ('held', 'open', 'approved', 'payable') and ${next} order by store_id, id limit ${limit}`.execute(
    queries,
  );
  return rows;
}

/** Purchases whose payout was queued by the decision of staff, or within an account's limit, and is not sent. */
async function listJudged(queries: Queries, after: Place, limit: number): Promise<Place[]> {
  const rows = await queries
    .selectFrom("operations")
    .innerJoin("purchases", "purchases.id", "operations.subject_id")
    .select("purchases.id")
    .where("operations.kind", "=", "pay")
    .where("operations.status", "in", UNSENT)
    .where(({ or, eb, exists }) =>
      or([
        eb("purchases.decided_by", "is not", null),
        exists(
          eb
            .selectFrom("sales")
            .innerJoin("account_books", (join) =>
              join
                .onRef("account_books.network", "=", "sales.network")
                .onRef("account_books.account", "=", "sales.account"),
            )
            .select("sales.id")
            .whereRef("sales.id", "=", "purchases.sale_id")
            .where("account_books.credit_cents", "is not", null),
        ),
      ]),
    )
    .where("purchases.id", ">", after.id)
    .orderBy("purchases.id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => ({ storeId: 0n, id }));
}
