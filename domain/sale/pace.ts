import { BIG_DAY_MS } from "../iso-time.ts";

/** From fewer sales, a median says little. */
const ENOUGH = 20;

/** The median of some durations in whole days, rounded up and at least one; undefined if they are too few. */
export function usualDays(durationsMs: readonly bigint[]): number | undefined {
  if (durationsMs.length < ENOUGH) return undefined;
  const sorted = durationsMs.toSorted((one, other) => (one < other ? -1 : 1));
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0n;
  const days = Number((median + BIG_DAY_MS - 1n) / BIG_DAY_MS);
  return Math.max(1, days);
}
