import { formatDecimal } from "../money.ts";
import type { ReportProblem } from "./problem.ts";
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
export function trackedSince(report: SaleReport, first: TrackedAmount | null): TrackedAmount | null {
  if (report.currency === "BRL" || report.trackedBrlMicros === null) return first;
  if (first !== null && first.brlMicros === report.trackedBrlMicros) return first;
  return { brlMicros: report.trackedBrlMicros, amountMicros: report.amountMicros, currency: report.currency };
}

/** It was given for an amount of this currency, and is no longer: it still counts in proportion. */
function isGone(report: SaleReport, first: TrackedAmount | null): boolean {
  return report.trackedBrlMicros === null && report.currency === first?.currency;
}

/** Why a network's figure in reais cannot be believed: it stayed while the amount rose or took another currency, or is gone. */
export function trackedProblem(report: SaleReport, first: TrackedAmount | null): ReportProblem | undefined {
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
