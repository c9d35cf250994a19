import {
  type BonusProgram,
  HOLDING_TIERS,
  type Holding,
  holdingTier,
  TIERS_PROGRAM,
  type TierName,
} from "../../domain/bonus.ts";

/** The tier that a holding reaches, and what the next one requires. */
export type TierProgress = {
  reached: { name: TierName; bonusBps: bigint } | undefined;
  /** `missing` is in the holding's units; `above` is the number of whole tokens that must be exceeded. */
  next: { bonusBps: bigint; missing: bigint } | { bonusBps: bigint; above: bigint } | undefined;
  /** Progress towards the highest tier, 0 to 100, for the bar. */
  wayPercent: number;
};

/** By the active program: thresholds 10, 30 and 50, or the home page's tiers. docs/product.md#tier-badge. */
export function tierProgress(holding: Holding, program: BonusProgram): TierProgress {
  return program === "tiers" ? byTheCopy(holding) : byThresholds(holding);
}

function byThresholds(holding: Holding): TierProgress {
  const tier = holdingTier(holding);
  const index = tier ? HOLDING_TIERS.indexOf(tier) : HOLDING_TIERS.length;
  const next = HOLDING_TIERS[index - 1];
  return {
    reached: tier,
    wayPercent: wayTo(HOLDING_TIERS[0]?.minimum ?? 1n, holding),
    next: next && { bonusBps: next.bonusBps, missing: next.minimum * oneOf(holding) - holding.units },
  };
}

/** Silver depends on the store, so a holding alone never earns it. */
function byTheCopy(holding: Holding): TierProgress {
  if (holding.units > TIERS_PROGRAM.goldAbove * oneOf(holding))
    return { reached: { name: "gold", bonusBps: TIERS_PROGRAM.goldBps }, next: undefined, wayPercent: 100 };
  return {
    reached: holding.units > 0n ? { name: "basic", bonusBps: TIERS_PROGRAM.basicBps } : undefined,
    next: { bonusBps: TIERS_PROGRAM.goldBps, above: TIERS_PROGRAM.goldAbove },
    wayPercent: wayTo(TIERS_PROGRAM.goldAbove, holding),
  };
}

function wayTo(wholeTokens: bigint, holding: Holding): number {
  const percent = (holding.units * 100n) / (wholeTokens * oneOf(holding));
  return Number(percent > 100n ? 100n : percent);
}

const oneOf = ({ decimals }: Holding): bigint => 10n ** BigInt(decimals);
