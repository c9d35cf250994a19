import { z } from "zod";
import { readMicros } from "./sale/value.ts";

/** A percent for buyers is a whole multiple of this, in basis points, however odd the commission is. */
const STEP_BPS = 25n;
const HUNDRED = 100n;
const MOST_BPS = 10_000n;
const MICROS_PER_BPS = 10_000n;

/** `CASHBACK_SHARE_PERCENT`, unless it is set. */
export const DEFAULT_SHARE_PERCENT = 60n;

/** One rate of a programme: `code` is what sales call it; `bps` is null for a fixed sum a sale. docs/product.md#programmes */
export const commissionGroupSchema = z.object({ code: z.string(), name: z.string(), bps: z.number().nullable() });
export type CommissionGroup = z.infer<typeof commissionGroupSchema>;

/**
 * What buyers get of a commission: its share, rounded down to a quarter of a percent. docs/product.md#followed-percent
 * @example
 * followedPercent(799n, 60n) // 475n
 */
export function followedPercent(commissionBps: bigint, sharePercent: bigint): bigint {
  return ((commissionBps * sharePercent) / HUNDRED / STEP_BPS) * STEP_BPS;
}

/**
 * A network's percent in basis points, rounded down; undefined if it is none from 0 to 100. docs/product.md#programmes
 * @example
 * readCommission("7.999") // 799n
 */
export function readCommission(text: string): bigint | undefined {
  const plain = text.replace(/\s*%\s*$/, "").replace(/^(\d+),(\d+)$/, "$1.$2");
  // More places than anybody counts are none that nobody understands.
  const micros = readMicros(plain.replace(/^(\d+\.\d{6})\d+$/, "$1"));
  if (micros === undefined || micros < 0n) return undefined;
  const bps = micros / MICROS_PER_BPS;
  return bps > MOST_BPS ? undefined : bps;
}

/** `agreedBps`: the highest percent to which a person agreed. `proposedBps`: the last one that was asked for. */
export type Followed = { bps: bigint; agreedBps: bigint; proposedBps: bigint | null };

/**
 * How a percent follows its commission: at once down, and up as far as a person once agreed; the rest is `proposed`, once.
 * docs/product.md#followed-percent
 * @example
 * follow(450n, { bps: 300n, agreedBps: 400n, proposedBps: null }) // { bps: 400n, proposed: 450n }
 */
export function follow(wanted: bigint, { bps, agreedBps, proposedBps }: Followed): { bps: bigint; proposed?: bigint } {
  if (wanted <= bps) return { bps: wanted };
  const next = wanted < agreedBps ? wanted : agreedBps > bps ? agreedBps : bps;
  return wanted > next && wanted !== proposedBps ? { bps: next, proposed: wanted } : { bps: next };
}

/**
 * What a commission pays for of a percent: all of it, also with the highest bonus on top; that without the bonus; or less than
 * the percent. docs/product.md#margin-loss
 * @example
 * coverOf(475n, { commissionBps: 800n, bonusBps: 400n }) // "percent"
 */
export function coverOf(
  bps: bigint,
  { commissionBps, bonusBps }: Record<"commissionBps" | "bonusBps", bigint>,
): "all" | "percent" | "less" {
  if (bps > commissionBps) return "less";
  return bps + bonusBps > commissionBps ? "percent" : "all";
}

/** A network's bad day: so many of an account's stores do not change at once. docs/product.md#programmes-brake */
export function isTooMany(changed: number, stores: number): boolean {
  return changed >= 3 && changed * 10 > stores;
}
