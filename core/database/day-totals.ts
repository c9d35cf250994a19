import { sql } from "kysely";
import { BIG_DAY_MS } from "../rules/iso-time.ts";
import { isKeyOf, recordOf } from "../rules/records.ts";
import { engineOf } from "./clock.ts";
import type { Queries } from "./transaction.ts";

/** The daily counters (UTC days). docs/product.md#panel-figures */
export const DAY_TOTALS = [
  ...(["users", "clicks", "purchases", "amount_cents", "cashback_cent_bps", "payouts", "paid_gwei"] as const),
] as const;
export type DayTotals = Record<(typeof DAY_TOTALS)[number], bigint>;

/** PostgreSQL writers are spread over this many rows, so that they rarely wait for each other. */
const SLOTS = 16;

/** The UTC day of a time: days since 1970-01-01. */
export function dayOf(milliseconds: bigint): bigint {
  return milliseconds / BIG_DAY_MS;
}

/** `YYYY-MM-DD`. */
export function dayText(day: bigint): string {
  return new Date(Number(day * BIG_DAY_MS)).toISOString().slice(0, 10);
}

/** The slot of a counter that this writer adds to. */
export function anySlot(queries: Queries): bigint {
  return engineOf(queries) === "sqlite" ? 0n : BigInt(Math.floor(Math.random() * SLOTS));
}

/** Adds to a day's counters, in the transaction of the counted change; skips zeros. */
export async function addToDay(queries: Queries, day: bigint, change: Partial<DayTotals>): Promise<void> {
  const slot = anySlot(queries);
  const values = Object.entries(change)
    .flatMap(([name, value]) => (value === undefined || value === 0n ? [] : [{ day, name, slot, value }]))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  if (values.length === 0) return;
  await queries
    .insertInto("day_totals")
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(["day", "name", "slot"]).doUpdateSet({ value: sql<bigint>`day_totals.value + excluded.value` }),
    )
    .execute();
}

/** The counters of all days from a day on. Days without events are missing. */
export async function readDays(queries: Queries, from: bigint): Promise<Map<bigint, DayTotals>> {
  const rows = await queries
    .selectFrom("day_totals")
    .select(["day", "name", "value"])
    .where("day", ">=", from)
    .execute();
  const days = new Map<bigint, DayTotals>();
  for (const { day, name, value } of rows) {
    const totals = days.get(day) ?? noTotals();
    days.set(day, totals);
    if (isKeyOf(totals, name)) totals[name] += value;
  }
  return days;
}

export function noTotals(): DayTotals {
  return recordOf(DAY_TOTALS, () => 0n);
}
