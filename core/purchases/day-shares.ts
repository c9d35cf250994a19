import { type RawBuilder, sql } from "kysely";
import { dayOf } from "../database/day-totals.ts";
import type { Queries } from "../database/transaction.ts";
import type { DayShare } from "../sender/allowance.ts";
import type { Operation } from "../sender/queue.ts";

const WHOLE_PERCENT = 100n;
const KEPT_DAYS = 2n;

/**
 * What each account has left of its share of the day's cap, and the smallest payout of it that waits.
 * docs/product.md#day-share
 */
export async function readDayShares(queries: Queries, capGwei: bigint): Promise<Map<bigint, DayShare>> {
  const today = dayOf(BigInt(Date.now()));
  const smallest = (status: "queued" | "waiting", why: RawBuilder<unknown>) => sql`(select min(amount_gwei)
    from operations where share_id = account_books.id and kind = 'pay' and status = ${sql.lit(status)} and ${why})`;
  const { rows } = await sql<{
    id: bigint;
    percent: bigint;
    sent: bigint | null;
    queued: bigint | null;
    waiting: bigint | null;
  }>`
    select id, day_share_percent as percent,
      (select gwei from account_sent where day = ${today} and account_id = account_books.id) as sent,
      ${smallest("queued", sql`reason is null`)} as queued,
      ${smallest("waiting", sql`reason = 'day_cap'`)} as waiting
    from account_books order by id`.execute(queries);
  return new Map(
    rows.map(({ id, percent, sent, queued, waiting }) => [
      id,
      { leftGwei: (capGwei * percent) / WHOLE_PERCENT - (sent ?? 0n), smallestGwei: smallestOf(queued, waiting) },
    ]),
  );
}

function smallestOf(one: bigint | null, other: bigint | null): bigint | undefined {
  if (one === null || other === null) return one ?? other ?? undefined;
  return one < other ? one : other;
}

/** Counts what is sent now, in the transaction that stores its bytes. */
export async function noteSentShares(queries: Queries, operations: readonly Operation[]): Promise<void> {
  const today = dayOf(BigInt(Date.now()));
  const sent = sumsOf(operations);
  if (sent.size === 0) return;
  await queries
    .deleteFrom("account_sent")
    .where("day", "<", today - KEPT_DAYS)
    .execute();
  await queries
    .insertInto("account_sent")
    .values([...sent].map(([account_id, gwei]) => ({ day: today, account_id, gwei })))
    .onConflict((conflict) =>
      conflict.columns(["day", "account_id"]).doUpdateSet({ gwei: sql<bigint>`account_sent.gwei + excluded.gwei` }),
    )
    .execute();
}

/** Their transaction failed: nothing of it was paid on the day on which it was sent. */
export async function forgetSentShares(queries: Queries, operations: readonly Operation[]): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(operations, ({ since }) => dayOf(since))) {
    for (const [account, gwei] of sumsOf(ofDay)) {
      await queries
        .updateTable("account_sent")
        .set({ gwei: sql<bigint>`gwei - ${gwei}` })
        .where("day", "=", day)
        .where("account_id", "=", account)
        .execute();
    }
  }
}

function sumsOf(operations: readonly Operation[]): Map<bigint, bigint> {
  const sums = new Map<bigint, bigint>();
  for (const { share_id, amount_gwei } of operations) {
    if (share_id !== null) sums.set(share_id, (sums.get(share_id) ?? 0n) + (amount_gwei ?? 0n));
  }
  return sums;
}
