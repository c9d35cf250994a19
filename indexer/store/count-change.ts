import { addToDay, dayOf } from "../../database/day-totals.ts";
import type { Queries } from "../../database/transaction.ts";
import { makeAllDue } from "../../purchases/due.ts";
import { addToPayouts, recountPurchases } from "../../purchases/totals.ts";

const IDS_PER_STATEMENT = 10_000;

/** Runs a change of tokens and payouts and updates the counts it affects, in the same transaction. */
export async function countChange(
  queries: Queries,
  changed: { tokenIds: readonly bigint[]; payoutIds: readonly bigint[] },
  change: () => Promise<void> | void,
): Promise<void> {
  const before = await sumPayouts(queries, changed.payoutIds);
  await change();
  const after = await sumPayouts(queries, changed.payoutIds);
  await addToPayouts(queries, { paid: after.paid - before.paid, deferred: after.deferred - before.deferred });
  await addToDays(queries, before.days, after.days);
  await recountPurchases(queries, [...new Set([...changed.tokenIds, ...changed.payoutIds])]);
}

/** The whole index was deleted. All purchases become due at once; their sums are updated as they are processed. */
export async function countEmptied(queries: Queries): Promise<void> {
  await queries.deleteFrom("shop_totals").where("name", "like", "payouts_%").execute();
  await queries.deleteFrom("day_totals").where("name", "in", ["payouts", "paid_gwei"]).execute();
  await makeAllDue(queries);
}

type Day = { payouts: bigint; paid_gwei: bigint };
type Sums = Record<"paid" | "deferred", bigint> & { days: Map<bigint, Day> };

async function sumPayouts(queries: Queries, ids: readonly bigint[]): Promise<Sums> {
  const sums: Sums = { paid: 0n, deferred: 0n, days: new Map() };
  for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT) {
    const rows = await queries
      .selectFrom("payouts")
      .select(["state", "amount_gwei", "paid_at"])
      .where("token_id", "in", ids.slice(start, start + IDS_PER_STATEMENT))
      .execute();
    for (const row of rows) {
      sums[row.state] += row.amount_gwei;
      if (row.state === "paid") addPayout(sums.days, dayOf(row.paid_at), row.amount_gwei);
    }
  }
  return sums;
}

function addPayout(days: Map<bigint, Day>, day: bigint, gwei: bigint): void {
  const known = days.get(day) ?? { payouts: 0n, paid_gwei: 0n };
  days.set(day, { payouts: known.payouts + 1n, paid_gwei: known.paid_gwei + gwei });
}

/** Adds the difference to the daily figures, in the order in which every writer locks them. */
async function addToDays(queries: Queries, before: Sums["days"], after: Sums["days"]): Promise<void> {
  const days = [...new Set([...before.keys(), ...after.keys()])].sort((one, other) => Number(one - other));
  for (const day of days) {
    const was = before.get(day) ?? { payouts: 0n, paid_gwei: 0n };
    const is = after.get(day) ?? { payouts: 0n, paid_gwei: 0n };
    await addToDay(queries, day, { payouts: is.payouts - was.payouts, paid_gwei: is.paid_gwei - was.paid_gwei });
  }
}
