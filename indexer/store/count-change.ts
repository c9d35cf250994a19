import type { Queries } from "../../database/transaction.ts";
import { makeAllDue } from "../../purchases/due.ts";
import { addToPayouts, recountPurchases } from "../../purchases/totals.ts";

const IDS_PER_STATEMENT = 10_000;

/** Runs a change of tokens and payouts, and counts what it changes, in the transaction that it is part of. */
export async function countChange(
  queries: Queries,
  changed: { tokenIds: readonly bigint[]; payoutIds: readonly bigint[] },
  change: () => Promise<void> | void,
): Promise<void> {
  const before = await sumPayouts(queries, changed.payoutIds);
  await change();
  const after = await sumPayouts(queries, changed.payoutIds);
  await addToPayouts(queries, { paid: after.paid - before.paid, deferred: after.deferred - before.deferred });
  await recountPurchases(queries, [...new Set([...changed.tokenIds, ...changed.payoutIds])]);
}

/** The whole index is gone: the sums of purchases follow as they are looked at, which is at once. */
export async function countEmptied(queries: Queries): Promise<void> {
  await queries.deleteFrom("shop_totals").where("name", "like", "payouts_%").execute();
  await makeAllDue(queries);
}

type Sums = Record<"paid" | "deferred", bigint>;

async function sumPayouts(queries: Queries, ids: readonly bigint[]): Promise<Sums> {
  const sums: Sums = { paid: 0n, deferred: 0n };
  for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT) {
    const rows = await queries
      .selectFrom("payouts")
      .select(["state", "amount_gwei"])
      .where("token_id", "in", ids.slice(start, start + IDS_PER_STATEMENT))
      .execute();
    for (const row of rows) sums[row.state] += row.amount_gwei;
  }
  return sums;
}
