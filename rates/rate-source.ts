/** The rate in force, or why there is none; then nothing is converted, and nothing guessed. */
export type Rate =
  | { kind: "rate"; weiPerCent: bigint }
  /** `lastWeiPerCent` is for showing about what a purchase is worth, never for paying. */
  | { kind: "unavailable"; reason: string; lastWeiPerCent: bigint | undefined };

/** Where the CHZ of a cent of a real comes from. Earlier purchases keep the rate that was frozen for them. */
export type RateSource = {
  current(): Rate;
  stop(): void;
};

export function fixedRate(weiPerCent: bigint): RateSource {
  return { current: () => ({ kind: "rate", weiPerCent }), stop() {} };
}
