import { cashbackOfCentBps } from "../cashback.ts";

/** What determines a purchase's cashback: its exact share, and the rate that its confirmation froze. */
export type CashbackShare = { cashback_cent_bps: bigint; wei_per_cent: bigint | null };

/** A purchase's cashback in gwei at its frozen rate, or at the current one before that. */
export function cashbackOf(purchase: CashbackShare, currentWeiPerCent: bigint): bigint {
  return cashbackOfCentBps(purchase.cashback_cent_bps, purchase.wei_per_cent ?? currentWeiPerCent);
}

/**
 * How much of a cashback is kept for its buyer's debt: the smaller of the two. docs/product.md#debt
 * @example
 * offsetOf(8n, 5n) // 5n
 * offsetOf(8n, 20n) // 8n
 */
export function offsetOf(cashbackGwei: bigint, debtGwei: bigint): bigint {
  if (debtGwei <= 0n) return 0n;
  return debtGwei < cashbackGwei ? debtGwei : cashbackGwei;
}
