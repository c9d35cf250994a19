import { among } from "../../core/database/among.ts";
import { addToDay, dayOf } from "../../core/database/day-totals.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { addToPayouts, recountPurchases } from "../../core/purchases/counting.ts";
import { makeAllDue } from "../../core/purchases/due.ts";
import type { Payout } from "../fold.ts";

/** The columns of a payout that the totals include. */
type CountedPayout = Pick<Payout, "state" | "amountGwei" | "paidAtMs">;

/**
 * Runs a change of tokens and payouts and updates the counts it affects, in the same transaction.
 * @param change Returns all payouts that the changed ids have after it, so that they need not be read again.
 */
export async function countChange(
  queries: Queries,
  changed: { tokenIds: readonly bigint[]; payoutIds: readonly bigint[] },
  change: () => Promise<Iterable<CountedPayout>> | Iterable<CountedPayout>,
): Promise<void> {
  const before = sumOf(await readPayouts(queries, changed.payoutIds));
  const after = sumOf(await change());
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

async function readPayouts(queries: Queries, ids: readonly bigint[]): Promise<CountedPayout[]> {
  if (ids.length === 0) return [];
  const rows = await queries
    .selectFrom("payouts")
    .select(["state", "amount_gwei", "paid_at"])
    .where(among(queries, "token_id", ids))
    .execute();
  return rows.map((row) => ({ state: row.state, amountGwei: row.amount_gwei, paidAtMs: Number(row.paid_at) }));
}

function sumOf(payouts: Iterable<CountedPayout>): Sums {
  const sums: Sums = { paid: 0n, deferred: 0n, days: new Map() };
  for (const { state, amountGwei, paidAtMs } of payouts) {
    sums[state] += amountGwei;
    if (state === "paid") addPayout(sums.days, dayOf(BigInt(paidAtMs)), amountGwei);
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
