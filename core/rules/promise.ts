import { type BonusProgram, bonus, type ClubOfStore, cappedBonus, type TokenBalance } from "./bonus.ts";
import type { SaleRules } from "./sale/rules.ts";

/** What a store pays now, with the boosts that run: `boostEndsAt` (milliseconds UTC) of a category that one raises. */
export type PromisingStore = ClubOfStore & {
  categories: readonly { bps: bigint; boostEndsAt: bigint | null }[];
};

/**
 * The categories by which some sale of a store counts. Networks name a sale's group, and what no category names counts by
 * the default one, or the lowest: another without a group is never paid, and so promised to nobody. A simulated purchase
 * has no group, and counts by the highest of all. docs/product.md#promise
 * @example
 * payableOf(
 *   [{ groupCode: null, isDefault: false, cashbackBps: 500n }, { groupCode: null, isDefault: false, cashbackBps: 350n }],
 *   { isLive: true },
 * ).length // 1
 */
export function payableOf<Category extends { groupCode: string | null; isDefault: boolean; cashbackBps: bigint }>(
  categories: readonly Category[],
  { isLive }: Pick<SaleRules, "isLive">,
): Category[] {
  if (!isLive) return [...categories];
  const lowest = categories.reduce<bigint | undefined>(
    (least, { cashbackBps }) => (least === undefined || cashbackBps < least ? cashbackBps : least),
    undefined,
  );
  const hasDefault = categories.some((one) => one.isDefault);
  return categories.filter(
    ({ groupCode, isDefault, cashbackBps }) =>
      groupCode !== null || isDefault || (!hasDefault && cashbackBps === lowest),
  );
}

type Held = { slug: string; name: string; balance: TokenBalance };
/** A user with the fan tokens to choose from, and what they hold of each; undefined: a visitor, who earns no bonus. */
export type PromiseReader<Token extends Held = Held> = { tokens: readonly Token[]; program: BonusProgram } | undefined;

export type StorePromise<Token> = {
  /** The highest of the store's percents, in basis points. */
  baseBps: bigint;
  /** Whether other categories pay less. */
  isRange: boolean;
  /** Of the best token, as far as it fits on the base. */
  bonusBps: bigint;
  totalBps: bigint;
  /** The first of those with that bonus; undefined without a bonus. */
  token: Token | undefined;
  /** Until when the base is what it is because of a boost, milliseconds UTC; null if it stays. */
  boostEndsAt: bigint | null;
};

/**
 * What a reader can earn at a store now: the one figure of every page, picture and call. docs/product.md#promise
 * @example
 * // 5 % in a boost until 99, and 2 % for the token of the club, whatever is held of it.
 * promiseOf(
 *   { club: "Palmeiras", clubToken: null, categories: [{ bps: 300n, boostEndsAt: null }, { bps: 500n, boostEndsAt: 99n }] },
 *   { tokens: [{ slug: "verdao", name: "Palmeiras", balance: { units: 0n, decimals: 0 } }], program: "club" },
 * ).totalBps // 700n
 */
export function promiseOf<Token extends Held>(
  { club, clubToken, categories }: PromisingStore,
  reader: PromiseReader<Token>,
): StorePromise<Token> {
  const baseBps = categories.reduce((most, { bps }) => (bps > most ? bps : most), 0n);
  let best: { bonusBps: bigint; token: Token | undefined } = { bonusBps: 0n, token: undefined };
  for (const token of reader?.tokens ?? []) {
    const { totalBps } = bonus({ token, club, clubToken, balance: token.balance }, reader?.program);
    const bonusBps = cappedBonus(baseBps, totalBps);
    if (bonusBps > best.bonusBps) best = { bonusBps, token };
  }
  return {
    baseBps,
    isRange: categories.some(({ bps }) => bps < baseBps),
    ...best,
    totalBps: baseBps + best.bonusBps,
    boostEndsAt: endOf(categories.filter(({ bps }) => bps === baseBps)),
  };
}

/** When the last of the best categories falls back: another that pays as much without a boost outlasts them all. */
function endOf(best: PromisingStore["categories"]): bigint | null {
  let last: bigint | null = null;
  for (const { boostEndsAt } of best) {
    if (boostEndsAt === null) return null;
    if (last === null || boostEndsAt > last) last = boostEndsAt;
  }
  return last;
}
