/** The current rate, or why there is none; then nothing is converted or guessed. */
export type Rate =
  | { kind: "rate"; weiPerCent: bigint }
  /** `lastWeiPerCent` is for display only, never for paying. */
  | { kind: "unavailable"; reason: string; lastWeiPerCent: bigint | undefined };

/** A source of the exchange rate. Earlier purchases keep their frozen rate. */
export type RateSource = {
  current(): Rate;
  stop(): void;
};

/** A rate that never changes, in wei per cent; rejected on mainnet. docs/product.md#rate */
export function fixedRate(weiPerCent: bigint): RateSource {
  return { current: () => ({ kind: "rate", weiPerCent }), stop() {} };
}

/** The rate for showing amounts without a frozen one; never used to pay while there is no rate. */
export function shownRate(rates: RateSource, fallback: bigint): bigint {
  const rate = rates.current();
  return (rate.kind === "rate" ? rate.weiPerCent : rate.lastWeiPerCent) ?? fallback;
}
