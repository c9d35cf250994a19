import { slugify } from "./text.ts";

/** An amount of a token: `units` of its smallest part, and its `decimals`. */
export type TokenBalance = { units: bigint; decimals: number };

export type BonusParameters = {
  /** The chosen fan token; undefined means no bonus. */
  token: { slug: string; name: string } | undefined;
  balance: TokenBalance;
} & ClubOfStore;

/** A store's club as it was typed, and the fan token of the club that a person chose. docs/product.md#club-match */
export type ClubOfStore = { club: string | null | undefined; clubToken: string | null };

export type Bonus = {
  /** Bonus for buying at the club's store, in basis points. */
  storeBps: bigint;
  /** Bonus for what the buyer holds, in basis points. */
  holdingBps: bigint;
  totalBps: bigint;
};

/** `club` is the default; `tiers` is the program described on the home page. docs/product.md#bonus. */
export type BonusProgram = "club" | "tiers";

export type TierName = "gold" | "silver" | "basic";
export type HoldingTier = { name: TierName; minimum: bigint; bonusBps: bigint };

/** Thresholds are inclusive, highest first. Also the dashboard's tier badges. docs/product.md#bonus-club. */
export const HOLDING_TIERS: readonly HoldingTier[] = [
  { name: "gold", minimum: 50n, bonusBps: 200n },
  { name: "silver", minimum: 30n, bonusBps: 100n },
  { name: "basic", minimum: 10n, bonusBps: 50n },
];

/** For a fan token of the store's club, whatever the balance. docs/product.md#bonus-club. */
export const STORE_BONUS_BPS = 200n;

/** docs/product.md#bonus-tiers. */
export const TIERS_PROGRAM = { basicBps: 100n, silverBps: 300n, goldBps: 500n, goldAbove: 100n } as const;

const NO_BONUS: Bonus = { storeBps: 0n, holdingBps: 0n, totalBps: 0n };

/**
 * Whether a fan token belongs to a store's club: it is the chosen club's, its slug is the lower-cased
 * club, its name is the club, or its slug is the club's slug. docs/product.md#bonus-match.
 */
export function tokenMatchesClub(token: { slug: string; name: string }, { club, clubToken }: ClubOfStore): boolean {
  if (token.slug === clubToken) return true;
  const wanted = club?.trim().toLowerCase();
  if (!wanted) return false;
  return token.slug === wanted || token.name.trim().toLowerCase() === wanted || token.slug === slugify(wanted);
}

/** The highest tier that a balance reaches, or undefined below the lowest tier. */
export function holdingTier(balance: TokenBalance): HoldingTier | undefined {
  return HOLDING_TIERS.find((tier) => balance.units >= tier.minimum * 10n ** BigInt(balance.decimals));
}

/**
 * The bonus of a purchase, in basis points, by the active program.
 * @example
 * // 30 tokens of the store's club: 2 % for the club, 1 % for silver.
 * bonus({
 *   token: { slug: "verdao", name: "Palmeiras" },
 *   club: "Palmeiras",
 *   clubToken: null,
 *   balance: { units: 30n, decimals: 0 },
 * }).totalBps // 300n
 */
export function bonus(parameters: BonusParameters, program: BonusProgram = "club"): Bonus {
  return program === "tiers" ? tiersBonus(parameters) : clubBonus(parameters);
}

/**
 * The highest bonus that a purchase at a store can have, in basis points. docs/product.md#margin-loss
 * @example
 * highestBonus({ club: "Palmeiras", clubToken: null }, "club") // 400n
 */
export function highestBonus({ club, clubToken }: ClubOfStore, program: BonusProgram): bigint {
  if (program === "tiers") return TIERS_PROGRAM.goldBps;
  const [highest] = HOLDING_TIERS;
  const hasClub = Boolean(club?.trim()) || clubToken !== null;
  return hasClub ? STORE_BONUS_BPS + (highest?.bonusBps ?? 0n) : 0n;
}

function clubBonus({ token, balance, ...club }: BonusParameters): Bonus {
  if (!token || !tokenMatchesClub(token, club)) return NO_BONUS;
  const holdingBps = holdingTier(balance)?.bonusBps ?? 0n;
  return { storeBps: STORE_BONUS_BPS, holdingBps, totalBps: STORE_BONUS_BPS + holdingBps };
}

function tiersBonus({ token, balance, ...club }: BonusParameters): Bonus {
  if (!token || balance.units <= 0n) return NO_BONUS;
  const one = 10n ** BigInt(balance.decimals);
  const holdingBps =
    balance.units > TIERS_PROGRAM.goldAbove * one
      ? TIERS_PROGRAM.goldBps
      : tokenMatchesClub(token, club)
        ? TIERS_PROGRAM.silverBps
        : TIERS_PROGRAM.basicBps;
  return { storeBps: 0n, holdingBps, totalBps: holdingBps };
}

/** Base and bonus together are at most 100 %: the contract rejects more. docs/product.md#purchase-terms */
const MOST_BPS = 10_000n;

/** The part of a bonus that fits on top of a base percent. */
export function cappedBonus(baseBps: bigint, bonusBps: bigint): bigint {
  return baseBps + bonusBps > MOST_BPS ? MOST_BPS - baseBps : bonusBps;
}
