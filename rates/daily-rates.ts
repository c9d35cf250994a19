import { amongTexts } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import { saoPauloDay } from "../domain/sao-paulo-time.ts";
import type { RateSource } from "./rate-source.ts";

/**
 * Stores the first rate of each day of São Paulo when it is called; it never changes afterwards, so that a statement is
 * the same whenever it is read. Without a rate the day waits for one. docs/product.md#worth
 */
export function dailyRateKeeper(queries: Queries, rates: RateSource, now = Date.now): () => Promise<void> {
  let kept = "";
  return async () => {
    const at = now();
    const day = saoPauloDay(at);
    const rate = rates.current();
    if (day === kept || rate.kind !== "rate") return;
    await queries
      .insertInto("chz_rates")
      .values({ day, wei_per_cent: rate.weiPerCent, accepted_at: BigInt(at) })
      .onConflict((conflict) => conflict.column("day").doNothing())
      .execute();
    kept = day;
  };
}

/** Wei per cent on the day of some moments, in ms; undefined for a day without a rate. */
export async function readDailyRates(
  queries: Queries,
  moments: readonly bigint[],
): Promise<(at: bigint) => bigint | undefined> {
  const dayOf = (at: bigint) => saoPauloDay(Number(at));
  const days = new Set(moments.map(dayOf));
  if (days.size === 0) return () => undefined;
  const rows = await queries
    .selectFrom("chz_rates")
    .select(["day", "wei_per_cent"])
    .where(amongTexts(queries, "day", days))
    .execute();
  const known = new Map(rows.map((row) => [row.day, row.wei_per_cent]));
  return (at) => known.get(dayOf(at));
}
