export const DAY_SECONDS = 86_400;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** The same for times as the database has them. */
export const BIG_DAY_MS = 86_400_000n;

/** A time in milliseconds as the wire has it: `2026-11-20T14:03:00.000Z`; null of none. */
export function isoTime(atMs: bigint): string;
export function isoTime(atMs: bigint | null): string | null;
export function isoTime(atMs: bigint | null): string | null {
  return atMs === null ? null : new Date(Number(atMs)).toISOString();
}

/** The UTC month of a time in milliseconds, `YYYY-MM`. */
export function monthOf(milliseconds: bigint | number): string {
  return new Date(Number(milliseconds)).toISOString().slice(0, 7);
}

/** The month so many months before a month, `YYYY-MM`. */
export function monthsBefore(month: string, count: number): string {
  const [year = "0", ordinal = "1"] = month.split("-");
  return monthOf(Date.UTC(Number(year), Number(ordinal) - 1 - count, 1));
}
