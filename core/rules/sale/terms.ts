import { BOOST_SALE_MS } from "../boost.ts";
import { ownValue } from "../records.ts";

/**
 * A category of a store: the percent of one commission group, or of sales without a known group. `boostedBps` is its
 * percent with the boosts that run, the same without any.
 */
export type StoreRate = { groupCode: string | null; bps: bigint; boostedBps?: bigint; isDefault: boolean };

/** The percents of a sale. docs/product.md#sales-percent */
export type SaleTerms = {
  /** By the network's commission group, in lower case. */
  groups: Readonly<Record<string, bigint>>;
  /** For unknown groups, and for sales without groups. */
  defaultBps: bigint;
  bonusBps: bigint;
};

/** What was promised to a buyer who went to a store; frozen at the click. docs/product.md#sales-percent */
export type ClickTerms = SaleTerms & {
  /** Instead, for what is bought until then (milliseconds UTC): a boost ran at the click. docs/product.md#boost-terms */
  boosted?: (SaleTerms & { until: bigint }) | undefined;
  /** Where the store's sales were reported at the click; null: nowhere yet. */
  link?: { network: string; account: string | null } | null | undefined;
};

const MAXIMUM_BPS = 10_000n;

/** A direct shop need not report a commission, so that no sale of it is held for one below its cashback. */
export const WITHOUT_COMMISSION = "direct";

/** By when a claim is answered. docs/product.md#sales-claims */
export const CLAIM_ANSWER_DAYS = 10n;

/** How long after a click a sale counts for it, unless the store sets its own (`claim_days`). */
export const CLICK_WINDOW_DAYS = 60n;

/**
 * The terms of a store at a click; undefined if it has no rate. The bonus is capped so that no percent exceeds 100.
 * docs/product.md#sales-percent
 * @example
 * freezeTerms(
 *   [
 *     { groupCode: "Camisas", bps: 600n, isDefault: false },
 *     { groupCode: null, bps: 400n, isDefault: true },
 *   ],
 *   200n,
 *   1_700_000_000_000n,
 * ) // { groups: { camisas: 600n }, defaultBps: 400n, bonusBps: 200n }
 */
export function freezeTerms(rates: readonly StoreRate[], bonusBps: bigint, clickedAt: bigint): ClickTerms | undefined {
  const [first, ...others] = rates;
  if (!first) return undefined;
  const terms = saleTerms([first, ...others], bonusBps);
  if (rates.every(({ bps, boostedBps = bps }) => boostedBps === bps)) return terms;
  const raise = (rate: StoreRate): StoreRate => ({ ...rate, bps: rate.boostedBps ?? rate.bps });
  const boosted = saleTerms([raise(first), ...others.map(raise)], bonusBps);
  return { ...terms, boosted: { ...boosted, until: clickedAt + BOOST_SALE_MS } };
}

/** The terms by which a sale counts: the boost's for what was bought soon enough. docs/product.md#boost-terms */
export function termsAt({ boosted, ...plain }: ClickTerms, boughtAt: bigint): SaleTerms {
  return boosted && boughtAt <= boosted.until ? boosted : plain;
}

function saleTerms(rates: readonly [StoreRate, ...StoreRate[]], bonusBps: bigint): SaleTerms {
  const bps = rates.map((rate) => rate.bps);
  const lowest = bps.reduce((a, b) => (b < a ? b : a));
  const highest = bps.reduce((a, b) => (b > a ? b : a));
  const named = rates.filter((rate) => rate.groupCode !== null);
  return {
    groups: Object.fromEntries(named.map((rate) => [groupKey(rate.groupCode ?? ""), rate.bps])),
    defaultBps: rates.find((rate) => rate.isDefault)?.bps ?? lowest,
    bonusBps: bonusBps > MAXIMUM_BPS - highest ? MAXIMUM_BPS - highest : bonusBps,
  };
}

/**
 * The highest percent to which a change of a store's categories raises sales of some group, and what it was; undefined if
 * it raises none. docs/product.md#percent-approvals
 * @example
 * // What no category names goes from the lowest percent to the marked one.
 * highestRaise(
 *   [{ groupCode: "tv", bps: 2_000n, isDefault: false }, { groupCode: null, bps: 300n, isDefault: false }],
 *   [{ groupCode: "tv", bps: 2_000n, isDefault: true }, { groupCode: null, bps: 300n, isDefault: false }],
 * ) // { fromBps: 300n, bps: 2_000n }
 */
export function highestRaise(
  before: readonly StoreRate[],
  after: readonly StoreRate[],
): { fromBps: bigint; bps: bigint } | undefined {
  const percentsOf = ([first, ...rest]: readonly StoreRate[]) => {
    const { groups, defaultBps } = first ? saleTerms([first, ...rest], 0n) : { groups: {}, defaultBps: 0n };
    return { groups, of: (group: string) => ownValue(groups, group) ?? defaultBps };
  };
  const [was, is] = [percentsOf(before), percentsOf(after)];
  const names = ["", ...Object.keys(was.groups), ...Object.keys(is.groups)];
  const raises = names
    .map((name) => ({ fromBps: was.of(name), bps: is.of(name) }))
    .filter((one) => one.bps > one.fromBps);
  return raises.toSorted((one, other) => Number(other.bps - one.bps))[0];
}

/** A change of one category, as far as it decides which percent a sale gets. */
export type RateChange = {
  cashbackBps?: bigint | undefined;
  groupCode?: string | null;
  isDefault?: boolean;
  deleted?: true;
};
type PlainRate = Pick<StoreRate, "groupCode" | "isDefault"> & { id: bigint; plainBps: bigint };

/**
 * The highest percent to which a change of a category raises it, or sales that get another category's percent by it. Its
 * own comes first.
 */
export function raiseOf(
  categories: readonly PlainRate[],
  id: bigint,
  { cashbackBps, groupCode, isDefault, deleted }: RateChange,
): { fromBps: bigint; bps: bigint } | undefined {
  const before = categories.map((one) => ({ ...one, bps: one.plainBps }));
  const after = before
    .filter((one) => !(deleted && one.id === id))
    .map((one) => {
      if (one.id !== id) return isDefault ? { ...one, isDefault: false } : one;
      const group = groupCode === undefined ? one.groupCode : groupCode;
      return { ...one, bps: cashbackBps ?? one.bps, groupCode: group, isDefault: isDefault ?? one.isDefault };
    });
  const fromBps = before.find((one) => one.id === id)?.bps ?? 0n;
  const own = cashbackBps !== undefined && cashbackBps > fromBps ? { fromBps, bps: cashbackBps } : undefined;
  const ofSales = highestRaise(before, after);
  return own && (!ofSales || ofSales.bps <= own.bps) ? own : ofSales;
}

/** Normalizes groups for comparison, because people type them into the panel. */
export function groupKey(group: string): string {
  return group.trim().toLowerCase();
}

/**
 * A sale's cashback: Σ part × percent, exact, in cents × basis points; and its unknown groups.
 * @example
 * // R$ 100,00 at 6 + 2 %, and R$ 50,00 of a group that the store does not name at 4 + 2 %: R$ 11,00.
 * saleCashback(
 *   [
 *     { group: "camisas", amountCents: 10_000n },
 *     { group: "Bolas", amountCents: 5_000n },
 *   ],
 *   { groups: { camisas: 600n }, defaultBps: 400n, bonusBps: 200n },
 * ) // { centBps: 11_000_000n, unknownGroups: ["Bolas"] }
 */
export function saleCashback(
  parts: readonly { group: string | null; amountCents: bigint }[],
  terms: SaleTerms,
): { centBps: bigint; unknownGroups: string[] } {
  const unknown = new Set<string>();
  let centBps = 0n;
  for (const { group, amountCents } of parts) {
    const named = group === null ? undefined : ownValue(terms.groups, groupKey(group));
    if (group !== null && named === undefined) unknown.add(group);
    centBps += amountCents * ((named ?? terms.defaultBps) + terms.bonusBps);
  }
  return { centBps, unknownGroups: [...unknown] };
}

/**
 * The single percent of a ticket for a value and an exact cashback: rounded up, so that the contract never limits
 * what is owed. The part that was promised as bonus is bonus.
 * @example
 * // R$ 11,00 of R$ 150,00 are 7.333… %, rounded up: a ticket of 5.34 + 2 %.
 * blendRate(15_000n, 11_000_000n, 200n) // { cashbackBps: 534n, bonusBps: 200n }
 */
export function blendRate(
  valueCents: bigint,
  centBps: bigint,
  bonusBps: bigint,
): { cashbackBps: bigint; bonusBps: bigint } {
  const total = divideUp(centBps, valueCents);
  const bonus = bonusBps < total ? bonusBps : total;
  return { cashbackBps: total - bonus, bonusBps: bonus };
}

/** Integer division rounded up; the dividend is not negative, the divisor positive. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
