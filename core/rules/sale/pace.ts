import { BIG_DAY_MS } from "../iso-time.ts";
import { SITUATIONS, type Situation } from "../purchase/situation.ts";

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

/** How many days a store usually takes for each step; null while too few of its sales took it. docs/product.md#sales-pace */
export type StorePace = {
  /** From the click to the first report. */
  report: number | null;
  /** From the report to the confirmation. */
  confirm: number | null;
  /** From the confirmation to the payment. */
  pay: number | null;
};

/** The pace of each store, kept for a while. */
export type StorePaces = { of(storeId: bigint): Promise<StorePace> };

/** When the next step of a live purchase is usual, in ms; null where nothing is known, or a known day rules. */
export function usualAt(
  situation: Situation,
  { reportedAt, approvedAt }: { reportedAt: bigint; approvedAt: bigint | null },
  { confirm, pay }: StorePace,
): bigint | null {
  const after = (from: bigint | null, days: number | null) =>
    from === null || days === null ? null : from + BigInt(days) * BIG_DAY_MS;
  const { next } = SITUATIONS[situation];
  if (next === "store") return after(reportedAt, confirm);
  return next === "network" ? after(approvedAt, pay) : null;
}
