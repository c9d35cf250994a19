import type { RateSource } from "./rate-source.ts";

/** The rate for showing amounts without a frozen one; never used to pay while there is no rate. */
export function shownRate(rates: RateSource, fallback: bigint): bigint {
  const rate = rates.current();
  return (rate.kind === "rate" ? rate.weiPerCent : rate.lastWeiPerCent) ?? fallback;
}
