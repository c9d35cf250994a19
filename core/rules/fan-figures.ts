import { DAY_MS, monthOf, monthsBefore } from "./iso-time.ts";

/* What is told of a club's fans together. docs/product.md#fans */

/** From so many fans with a paid purchase in it, a month is told. */
export const FANS_TOLD = 20n;

/** Told sums are rounded to this. */
const ROUNDED_GWEI = 10_000_000_000n;
const GWEI = 1_000_000_000n;

/** A month of UTC counts what is paid in it, until a day after its end: the index may be behind. */
export function isMonthOpen(month: string, now: number): boolean {
  return month >= monthOf(now - DAY_MS) && month <= monthOf(now);
}

/**
 * The newest month that is closed.
 * @example
 * lastClosedMonth(Date.UTC(2026, 10, 1, 23)) // "2026-09"
 * lastClosedMonth(Date.UTC(2026, 10, 2)) // "2026-10"
 */
export function lastClosedMonth(now: number): string {
  return monthsBefore(monthOf(now - DAY_MS), 1);
}

/** What a month counts of a club's fans. */
export type ClubMonth = { fans: bigint; purchases: bigint; gwei: bigint };

/** `cashback`: CHZ, rounded to ten; `perFan`: of that, to a tenth. */
export type Figures = { fans: number; purchases: number; cashback: number; perFan: number };

/**
 * What is told of a month: nothing of few fans, and no sum by which one of them could be told.
 * @example
 * toldFigures({ fans: 19n, purchases: 90n, gwei: 1_234_000_000_000n }) // null
 * toldFigures({ fans: 20n, purchases: 90n, gwei: 1_235_000_000_000n }) // { fans: 20, purchases: 90, cashback: 1_240, perFan: 62 }
 */
export function toldFigures({ fans, purchases, gwei }: ClubMonth): Figures | null {
  if (fans < FANS_TOLD) return null;
  const cashback = Number(((gwei + ROUNDED_GWEI / 2n) / ROUNDED_GWEI) * (ROUNDED_GWEI / GWEI));
  const perFan = Math.round((cashback * 10) / Number(fans)) / 10;
  return { fans: Number(fans), purchases: Number(purchases), cashback, perFan };
}
