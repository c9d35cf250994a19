import { among } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import { DAY_MS } from "../rules/iso-time.ts";
import { saoPauloDay } from "../rules/sao-paulo-time.ts";
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

/** For a day without its own, the last rate of so many days before stands. docs/product.md#worth */
const DAYS_BACK = 7;

/** Wei per cent, and the day that it is of: that of the payment, or an earlier one. */
export type DailyRate = { day: string; isEarlier: boolean; weiPerCent: bigint };

/** The rates of some moments, in ms; undefined if neither the day nor those before it have one. */
export async function readDailyRates(
  queries: Queries,
  moments: readonly bigint[],
): Promise<(at: bigint) => DailyRate | undefined> {
  // Many moments are of few days.
  const days = new Set(moments.map(saoPauloDay));
  if (days.size === 0) return () => undefined;
  const rows = await queries
    .selectFrom("chz_rates")
    .select(["day", "wei_per_cent"])
    .where(among(queries, "day", new Set([...days].flatMap(daysUpTo))))
    .execute();
  const known = new Map(rows.map((row) => [row.day, row.wei_per_cent]));
  const rates = new Map([...days].map((day) => [day, latest(daysUpTo(day), known)]));
  return (at) => rates.get(saoPauloDay(at));
}

function latest(days: readonly string[], known: ReadonlyMap<string, bigint>): DailyRate | undefined {
  for (const [back, day] of days.entries()) {
    const weiPerCent = known.get(day);
    if (weiPerCent !== undefined) return { day, isEarlier: back > 0, weiPerCent };
  }
  return undefined;
}

/** A day, and the days before it from which a rate may come, newest first. */
function daysUpTo(day: string): string[] {
  const at = Date.parse(day);
  return Array.from({ length: DAYS_BACK + 1 }, (_, back) => new Date(at - back * DAY_MS).toISOString().slice(0, 10));
}
