import {
  type BonusProgram,
  HOLDING_TIERS,
  holdingTier,
  TIERS_PROGRAM,
  type TierName,
  type TokenBalance,
} from "../../core/rules/bonus.ts";

/** The tier that a balance reaches, and what the next one requires. */
export type TierProgress = {
  reached: { name: TierName; bonusBps: bigint } | undefined;
  /** `missing` is in the balance's units; `above` is the number of whole tokens that must be exceeded. */
  next: { bonusBps: bigint; missing: bigint } | { bonusBps: bigint; above: bigint } | undefined;
  /** Progress towards the highest tier, 0 to 100, for the bar. */
  wayPercent: number;
};

/** By the active program: thresholds 10, 30 and 50, or the home page's tiers. docs/product.md#tier-badge. */
export function tierProgress(balance: TokenBalance, program: BonusProgram): TierProgress {
  return program === "tiers" ? byTheCopy(balance) : byThresholds(balance);
}

function byThresholds(balance: TokenBalance): TierProgress {
  const tier = holdingTier(balance);
  const index = tier ? HOLDING_TIERS.indexOf(tier) : HOLDING_TIERS.length;
  const next = HOLDING_TIERS[index - 1];
  return {
    reached: tier,
    wayPercent: wayTo(HOLDING_TIERS[0]?.minimum ?? 1n, balance),
    next: next && { bonusBps: next.bonusBps, missing: next.minimum * oneOf(balance) - balance.units },
  };
}

/** Silver depends on the store, so a balance alone never earns it. */
function byTheCopy(balance: TokenBalance): TierProgress {
  if (balance.units > TIERS_PROGRAM.goldAbove * oneOf(balance))
    return { reached: { name: "gold", bonusBps: TIERS_PROGRAM.goldBps }, next: undefined, wayPercent: 100 };
  return {
    reached: balance.units > 0n ? { name: "basic", bonusBps: TIERS_PROGRAM.basicBps } : undefined,
    next: { bonusBps: TIERS_PROGRAM.goldBps, above: TIERS_PROGRAM.goldAbove },
    wayPercent: wayTo(TIERS_PROGRAM.goldAbove, balance),
  };
}

function wayTo(wholeTokens: bigint, balance: TokenBalance): number {
  const percent = (balance.units * 100n) / (wholeTokens * oneOf(balance));
  return Number(percent > 100n ? 100n : percent);
}

const oneOf = ({ decimals }: TokenBalance): bigint => 10n ** BigInt(decimals);
