import { WEI_PER_GWEI } from "../rules/product.ts";

export type Fees = { maxFeeWei: bigint; maxPriorityFeeWei: bigint };

/** A small tip is enough on Chiliz; the base fee matters. */
const TIP_WEI = WEI_PER_GWEI;
/** Nodes accept a replacement at 10 % more; this is slightly higher. */
const BUMP_NUMERATOR = 1_125n;
const BUMP_DENOMINATOR = 1_000n;

/** Allows the base fee to double before the transaction is mined. */
export function suggestedFees(baseFeeWei: bigint): Fees {
  return { maxFeeWei: baseFeeWei * 2n + TIP_WEI, maxPriorityFeeWei: TIP_WEI };
}

/** The fees that replace a stuck transaction, at most the cap; undefined if it already pays the cap. */
export function bumpedFees(previous: Fees, suggested: Fees, capWei: bigint): Fees | undefined {
  const raise = (fee: bigint) => (fee * BUMP_NUMERATOR) / BUMP_DENOMINATOR + 1n;
  const larger = (a: bigint, b: bigint) => (a > b ? a : b);
  const atMost = (fee: bigint, most: bigint) => (fee > most ? most : fee);
  if (previous.maxFeeWei >= capWei) return undefined;
  const maxFeeWei = atMost(larger(raise(previous.maxFeeWei), suggested.maxFeeWei), capWei);
  const maxPriorityFeeWei = larger(raise(previous.maxPriorityFeeWei), suggested.maxPriorityFeeWei);
  return { maxFeeWei, maxPriorityFeeWei: atMost(maxPriorityFeeWei, maxFeeWei) };
}
