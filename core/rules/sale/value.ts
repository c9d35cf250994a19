import { BOOST_SALE_MS } from "../boost.ts";
import { type InviteTerms, inviteCentBps, type SaleInvite } from "../invites.ts";
import { formatDecimal } from "../money.ts";
import type { ClickFacts, Kept, SaleFacts } from "./facts.ts";
import type { ReportProblem } from "./holds.ts";
import type { SaleReport } from "./report.ts";

const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d{1,40}))?$/;
const MICROS = 6;
const MICROS_PER_CENT = 10_000n;
/** The largest amount that anybody may report: a billion of its currency. Sums of such amounts fit every column. */
export const MAXIMUM_MICROS = 1_000_000_000n * 1_000_000n;
const ONE_MICROS = 1_000_000n;

/**
 * Parses a network's decimal to millionths; rounds more than six places, because some networks print
 * binary fractions (11.499999999999998). Undefined if the text is not a plain decimal.
 * @example
 * readMicros("11.499999999999998") // 11_500_000n
 */
export function readMicros(text: string): bigint | undefined {
  const match = DECIMAL.exec(text.trim());
  if (!match) return undefined;
  const [, sign = "", whole = "0", fraction = ""] = match;
  const kept = BigInt(whole + fraction.slice(0, MICROS).padEnd(MICROS, "0"));
  const micros = Number(fraction[MICROS] ?? "0") >= 5 ? kept + 1n : kept;
  return sign === "-" ? -micros : micros;
}

/** A sale in BRL cents. */
export type SaleValue = {
  amountCents: bigint;
  /** Null if the network does not report it. */
  commissionCents: bigint | null;
  parts: { group: string | null; amountCents: bigint }[];
};

/** A figure in reais that a network gave beside another currency, and the amount that it first gave it for. */
export type TrackedAmount = { brlMicros: bigint; amountMicros: bigint; currency: string };

/** What a sale is worth to its buyer, and what it keeps of how that was found. */
export type Valued = Pick<Kept, "rates" | "tracked"> & {
  /** Undefined while an amount is not known. */
  value: SaleValue | undefined;
  drift: readonly ReportProblem[];
  /** The currency whose rate is missing. */
  missing: string | null;
  cashbackCentBps: bigint;
  /** The same without a boost, which people decided to pay on top of what the network pays. */
  plainCentBps: bigint;
  /** The same without any bonus: the percents alone. */
  baseCentBps: bigint;
  /** What the network would pay by the commissions that were known at the click; 0 where none was. */
  clickedCommissionCentBps: bigint;
  bonusBps: bigint;
  unknownGroups: readonly string[];
};

/**
 * Values a report by the percents that were promised, of what was bought at a time (milliseconds). A rate and a figure that
 * were once used for it stay. docs/product.md#sales-currency
 */
function valueSale(
  report: SaleReport,
  { kept, rates: today }: { kept: Pick<Kept, "rates" | "tracked">; rates: ReadonlyMap<string, bigint> },
  promised: ClickTerms | undefined,
  { boughtAt, invite }: { boughtAt: bigint; invite: SaleInvite | null | undefined },
): Valued {
  const rates = new Map(kept.rates);
  for (const currency of [report.currency, report.commissionCurrency ?? report.currency]) {
    const rate = today.get(currency);
    if (currency !== "BRL" && rate !== undefined && !rates.has(currency)) rates.set(currency, rate);
  }
  const isUsable = amountProblem(report, kept.tracked) === undefined;
  const tracked = isUsable ? trackedSince(report, kept.tracked) : kept.tracked;
  const terms = promised && termsAt(promised, boughtAt);
  const none = {
    rates,
    tracked,
    value: undefined,
    missing: null,
    cashbackCentBps: 0n,
    plainCentBps: 0n,
    baseCentBps: 0n,
    clickedCommissionCentBps: 0n,
    bonusBps: terms?.bonusBps ?? 0n,
    unknownGroups: [],
  };
  const problem = amountProblem(report, tracked);
  const found = [problem, trackedProblem(report, tracked)].filter((one) => one !== undefined);
  const problems = [...(report.drift ?? []), ...found];
  const isUnknown = problems.length === 0 && report.status === "unknown";
  const drift: readonly ReportProblem[] = isUnknown ? [{ code: "unknown_status" }] : problems;
  if (problem !== undefined) return { ...none, drift };
  const value = saleValue(report, (currency) => rates.get(currency) ?? null, tracked);
  if ("missing" in value) return { ...none, drift, missing: value.missing };
  const { centBps, unknownGroups } = terms ? saleCashback(value.parts, terms) : { centBps: 0n, unknownGroups: [] };
  if (value.amountCents <= 0n) return { ...none, value, drift, unknownGroups };
  const { amountCents, parts } = value;
  const cashbackBy = (terms: SaleTerms | undefined) => (terms ? saleCashback(parts, terms).centBps : 0n);
  const invited = terms ? inviteCentBps(invite, { amountCents, centBps, boughtAt }) : 0n;
  return {
    ...none,
    ...{ value, drift, unknownGroups },
    cashbackCentBps: centBps + invited,
    plainCentBps: cashbackBy(promised) + invited,
    baseCentBps: cashbackBy(promised && { ...promised, bonusBps: 0n }),
    clickedCommissionCentBps: cashbackBy(promised?.commission),
    bonusBps: none.bonusBps + invited / amountCents,
  };
}

type Worth = Pick<SaleFacts, "report" | "createdAt" | "kept" | "rates" | "invite" | "declined">;

/**
 * What a sale is worth to whom it belongs to. `isEntitled`: to anything; undefined without known amounts, when what was
 * decided stays as it is.
 */
export function worthOf(
  { report, createdAt, invite, declined, ...of }: Worth,
  { click, isMoved }: { click: ClickFacts | null; isMoved: boolean },
) {
  const promised = (isMoved ? null : of.kept.terms) ?? click?.terms;
  const valued = valueSale(report, of, promised, { boughtAt: report.occurredAt ?? createdAt, invite });
  const status = declined ? "declined" : report.status === "unknown" ? "pending" : report.status;
  const isDeclined = status === "declined";
  const cashbackCentBps = isDeclined ? 0n : valued.cashbackCentBps;
  const isEntitled = isDeclined || valued.value !== undefined ? cashbackCentBps > 0n : undefined;
  return { valued, status, isDeclined, cashbackCentBps, isEntitled } as const;
}

/** The prices of one unit of a currency in millionths of a real; null if there is none. */
export type RateOf = (currency: string) => bigint | null;

/**
 * A report's amounts in BRL cents, each by the rate of its own currency; or the currency whose rate is missing.
 * `tracked` is what the network's figure in reais was first given for. docs/product.md#sales-currency
 */
export function saleValue(
  report: SaleReport,
  rateOf: RateOf,
  tracked: TrackedAmount | null = null,
): SaleValue | { missing: string } {
  const parts = report.parts.length > 0 ? report.parts : [{ group: null, amountMicros: report.amountMicros }];
  const brlMicros = trackedNow(report, tracked);
  if (brlMicros !== null) return trackedValue({ ...report, parts }, rateOf, brlMicros / MICROS_PER_CENT);
  const rate = report.currency === "BRL" ? ONE_MICROS : rateOf(report.currency);
  if (rate === null) return { missing: report.currency };
  const converted = parts.map(({ group, amountMicros }) => ({ group, amountCents: convert(amountMicros, rate) }));
  const isComplete = sumOf(parts.map((part) => part.amountMicros)) === report.amountMicros;
  const commissionCents = convertCommission(report, rateOf, (micros) => convert(micros, rate));
  if (typeof commissionCents === "string") return { missing: commissionCents };
  return {
    amountCents: isComplete ? sumOf(converted.map((part) => part.amountCents)) : convert(report.amountMicros, rate),
    commissionCents,
    parts: converted,
  };
}

function convert(micros: bigint, rate: bigint): bigint {
  return (micros * rate) / (ONE_MICROS * MICROS_PER_CENT);
}

/** What the whole is in reais by the network's figure; null if it gives none. */
function trackedNow(report: SaleReport, first: TrackedAmount | null): bigint | null {
  if (report.currency === "BRL") return null;
  if (first !== null && first.amountMicros > 0n) {
    const inProportion = (first.brlMicros * report.amountMicros) / first.amountMicros;
    // The amount fell and the figure stayed: it falls in proportion.
    if (isGone(report, first) || hasFallen(report, first)) return inProportion;
  }
  return report.trackedBrlMicros;
}

/** The network reports reais only for the total: the parts share it in proportion, the rest goes to the largest. */
function trackedValue(report: SaleReport, rateOf: RateOf, tracked: bigint): SaleValue | { missing: string } {
  const { parts } = report;
  const scale = (micros: bigint) => (report.amountMicros === 0n ? 0n : (tracked * micros) / report.amountMicros);
  const commissionCents = convertCommission(report, rateOf, scale);
  if (typeof commissionCents === "string") return { missing: commissionCents };
  const shared = shareInProportion(
    scale(sumOf(parts.map((part) => part.amountMicros))),
    parts.map((part) => part.amountMicros),
  );
  return {
    amountCents: tracked,
    commissionCents,
    parts: parts.map(({ group }, index) => ({ group, amountCents: shared[index] ?? 0n })),
  };
}

/** The figure stays, and the amount is no higher than the one that it was first given for. */
function hasFallen(report: Amounts, first: TrackedAmount | null): boolean {
  const isUnchanged = report.trackedBrlMicros === first?.brlMicros && report.currency === first.currency;
  return isUnchanged && report.amountMicros <= first.amountMicros;
}

/** What the network's figure in reais was first given for, as of a report whose amounts are valid. */
function trackedSince(report: SaleReport, first: TrackedAmount | null): TrackedAmount | null {
  if (report.currency === "BRL" || report.trackedBrlMicros === null) return first;
  if (first !== null && first.brlMicros === report.trackedBrlMicros) return first;
  return { brlMicros: report.trackedBrlMicros, amountMicros: report.amountMicros, currency: report.currency };
}

/** It was given for an amount of this currency, and is no longer: it still counts in proportion. */
function isGone(report: SaleReport, first: TrackedAmount | null): boolean {
  return report.trackedBrlMicros === null && report.currency === first?.currency;
}

/** Why a network's figure in reais cannot be believed: it stayed while the amount rose or took another currency, or is gone. */
function trackedProblem(report: SaleReport, first: TrackedAmount | null): ReportProblem | undefined {
  if (first === null || report.currency === "BRL") return undefined;
  if (isGone(report, first)) return { code: "missing", field: TRACKED_FIELD };
  if (report.trackedBrlMicros !== first.brlMicros) return undefined;
  if (hasFallen(report, first)) return undefined;
  const amount = (micros: bigint, currency: string) => `${formatDecimal(micros, MICROS, 2)} ${currency}`;
  return {
    code: "tracked_stays",
    value: amount(report.amountMicros, report.currency),
    before: amount(first.amountMicros, first.currency),
    brl: formatDecimal(first.brlMicros, MICROS, 2),
  };
}

/** In cents, or the currency whose rate is missing. */
function convertCommission(
  report: SaleReport,
  rateOf: RateOf,
  inCurrency: (micros: bigint) => bigint,
): bigint | null | string {
  if (report.commissionMicros === null) return null;
  const currency = report.commissionCurrency ?? report.currency;
  if (currency === "BRL") return report.commissionMicros / MICROS_PER_CENT;
  if (currency === report.currency) return inCurrency(report.commissionMicros);
  const rate = rateOf(currency);
  return rate === null ? currency : convert(report.commissionMicros, rate);
}

/**
 * Divides a total by weights, each share rounded down; the rest goes to the largest.
 * @example
 * shareInProportion(100n, [1n, 1n, 1n]) // [34n, 33n, 33n]
 */
export function shareInProportion(whole: bigint, weights: readonly bigint[]): bigint[] {
  const total = sumOf(weights);
  if (total === 0n) return weights.map((_weight, index) => (index === 0 ? whole : 0n));
  const shares = weights.map((weight) => (whole * weight) / total);
  const largest = weights.reduce((best, weight, index) => (weight > (weights[best] ?? 0n) ? index : best), 0);
  shares[largest] = (shares[largest] ?? 0n) + whole - sumOf(shares);
  return shares;
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}

/**
 * Why a report's amounts are unusable; undefined if they are valid. Figures that contradict each other have no value, and
 * never count as 0. `first`: what the network's figure in reais was first given for. docs/product.md#sales-contradictions
 */
export function amountProblem(report: Amounts, first: TrackedAmount | null = null): ReportProblem | undefined {
  const { amountMicros, commissionMicros } = report;
  if (report.isUnread) return { code: "unread" };
  if (amountMicros < 0n) return { code: "negative" };
  if (report.parts.some((part) => part.amountMicros < 0n)) return { code: "negative_part" };
  if (commissionMicros !== null && commissionMicros < 0n) return odd("commission", commissionMicros);
  const ofParts = sumOf(report.parts.map((part) => part.amountMicros));
  if (ofParts - amountMicros > MICROS_PER_CENT * BigInt(report.parts.length)) return { code: "parts_exceed" };
  // Freight is in no part; a whole order is.
  if (report.parts.length > 0 && isSome(amountMicros) && !isSome(ofParts)) return odd("parts", ofParts);
  const tracked = report.currency === "BRL" ? null : report.trackedBrlMicros;
  if (tracked === null || hasFallen(report, first)) return undefined;
  return isSome(tracked) === isSome(amountMicros) && tracked >= 0n ? undefined : odd(TRACKED_FIELD, tracked);
}

type Amounts = Pick<
  SaleReport,
  "amountMicros" | "parts" | "isUnread" | "commissionMicros" | "currency" | "trackedBrlMicros"
>;

/** As Awin names it, the only network that has it. */
const TRACKED_FIELD = "trackedCurrencyAmount.amount";

/** A cent of its currency at least. */
const isSome = (micros: bigint): boolean => micros >= MICROS_PER_CENT;

function odd(field: string, micros: bigint): ReportProblem {
  return { code: "odd", field, value: formatDecimal(micros, MICROS, 2) };
}

// Percents ----------------------------------------------------------------------------------------------------------------

/**
 * A category of a store: the percent of one commission group, or of sales without a known group. `boostedBps` is its
 * percent with the boosts that run, the same without any; `commissionBps`: what the network pays for it, if that is known.
 */
export type StoreRate = { groupCode: string | null; bps: bigint; isDefault: boolean } & {
  boostedBps?: bigint;
  commissionBps?: bigint | null;
};

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
  /** An invitation adds to the percents of the click's first sale. docs/product.md#invite */
  invite?: InviteTerms | undefined;
  /** What the network paid at the click, where that was known. docs/product.md#margin-loss */
  commission?: SaleTerms | undefined;
};

const MAXIMUM_BPS = 10_000n;

/** A direct shop need not report a commission, so that no sale of it is held for one below its cashback. */
export const WITHOUT_COMMISSION = "direct";

/**
 * Where a store's sales are reported: the one place that says what a store without a network is. It sells nothing until it
 * has one; those that are older than 1.1, and the samples, are direct shops. docs/product.md#sales-accounts
 */
export function networkOf(store: { network: string | null; unlinked_is_direct: bigint | null }): string | null {
  return store.network ?? (store.unlinked_is_direct === 1n ? WITHOUT_COMMISSION : null);
}

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
  if (rates.length === 0) return undefined;
  const isKnown = rates.some(({ commissionBps }) => commissionBps);
  const commission = isKnown && { commission: saleTerms(rates, 0n, ({ commissionBps }) => commissionBps ?? 0n) };
  const terms = { ...saleTerms(rates, bonusBps), ...commission };
  if (rates.every(({ bps, boostedBps = bps }) => boostedBps === bps)) return terms;
  const boosted = saleTerms(rates, bonusBps, ({ bps, boostedBps = bps }) => boostedBps);
  return { ...terms, boosted: { ...boosted, until: clickedAt + BOOST_SALE_MS } };
}

/** The terms by which a sale counts: the boost's for what was bought soon enough. docs/product.md#boost-terms */
export function termsAt({ boosted, ...plain }: ClickTerms, boughtAt: bigint): SaleTerms {
  return boosted && boughtAt <= boosted.until ? boosted : plain;
}

function saleTerms(
  rates: readonly StoreRate[],
  bonusBps: bigint,
  bpsOf: (rate: StoreRate) => bigint = ({ bps }) => bps,
): SaleTerms {
  const bps = rates.map(bpsOf);
  const lowest = bps.reduce((a, b) => (b < a ? b : a));
  const highest = bps.reduce((a, b) => (b > a ? b : a));
  const named = rates.filter((rate) => rate.groupCode !== null);
  return {
    groups: Object.fromEntries(named.map((rate) => [groupKey(rate.groupCode ?? ""), bpsOf(rate)])),
    defaultBps: bps[rates.findIndex((rate) => rate.isDefault)] ?? lowest,
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
  const percentsOf = (rates: readonly StoreRate[]) => {
    const { groups, defaultBps } = freezeTerms(rates, 0n, 0n) ?? { groups: {}, defaultBps: 0n };
    return { groups, of: (group: string) => percentOf({ groups }, group) ?? defaultBps };
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

/** The percent of a group that the terms name themselves, which may be called `toString`. */
function percentOf({ groups }: Pick<SaleTerms, "groups">, group: string): bigint | undefined {
  const key = groupKey(group);
  return Object.hasOwn(groups, key) ? groups[key] : undefined;
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
    const named = group === null ? undefined : percentOf(terms, group);
    if (group !== null && named === undefined) unknown.add(group);
    centBps += amountCents * ((named ?? terms.defaultBps) + terms.bonusBps);
  }
  return { centBps, unknownGroups: [...unknown] };
}
