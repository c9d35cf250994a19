/** Gwei in a hundredth of a CHZ. */
const HUNDREDTH_GWEI = 10_000_000n;

/**
 * Amounts in hundredths of a CHZ that add up to their sum as it is shown, which is rounded: each is rounded down, and the
 * hundredths that are missing go to the largest remainders. docs/product.md#statement
 * @example
 * // 1.004 + 1.003 + 2.008 CHZ is 4.02, of which two hundredths are missing.
 * byLargestRemainder([1_004_000_000n, 1_003_000_000n, 2_008_000_000n]) // { total: 402n, parts: [101n, 100n, 201n] }
 */
export function byLargestRemainder(gwei: readonly bigint[]): { total: bigint; parts: bigint[] } {
  const sum = gwei.reduce((all, one) => all + one, 0n);
  const total = (sum + HUNDREDTH_GWEI / 2n) / HUNDREDTH_GWEI;
  const parts = gwei.map((one) => one / HUNDREDTH_GWEI);
  const missing = Number(total - parts.reduce((all, one) => all + one, 0n));
  const byRemainder = gwei
    .map((one, index) => ({ index, remainder: one % HUNDREDTH_GWEI }))
    .sort((one, other) => Number(other.remainder - one.remainder));
  const raised = new Set(byRemainder.slice(0, missing).map(({ index }) => index));
  return { total, parts: parts.map((one, index) => (raised.has(index) ? one + 1n : one)) };
}
