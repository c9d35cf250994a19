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

/**
 * A report's amounts in BRL cents. `rateMicros` is the price of one unit of the report's currency in millionths of a
 * real. Undefined if a rate is needed and none is given. docs/product.md#sales-currency
 */
export function saleValue(report: SaleReport, rateMicros: bigint | null): SaleValue | undefined {
  const parts = report.parts.length > 0 ? report.parts : [{ group: null, amountMicros: report.amountMicros }];
  if (report.currency !== "BRL" && report.trackedBrlMicros !== null) return trackedValue(report, parts);
  const rate = report.currency === "BRL" ? ONE_MICROS : rateMicros;
  if (rate === null) return undefined;
  const convert = (micros: bigint) => (micros * rate) / (ONE_MICROS * MICROS_PER_CENT);
  const converted = parts.map(({ group, amountMicros }) => ({ group, amountCents: convert(amountMicros) }));
  const isComplete = sumOf(parts.map((part) => part.amountMicros)) === report.amountMicros;
  const commissionCents = convertCommission(report, convert);
  if (commissionCents === undefined) return undefined;
  return {
    amountCents: isComplete ? sumOf(converted.map((part) => part.amountCents)) : convert(report.amountMicros),
    commissionCents,
    parts: converted,
  };
}

/** The network reports reais only for the total: the parts share it in proportion, the rest goes to the largest. */
function trackedValue(report: SaleReport, parts: SaleReport["parts"]): SaleValue | undefined {
  const tracked = (report.trackedBrlMicros ?? 0n) / MICROS_PER_CENT;
  const scale = (micros: bigint) => (report.amountMicros === 0n ? 0n : (tracked * micros) / report.amountMicros);
  const commissionCents = convertCommission(report, scale);
  if (commissionCents === undefined) return undefined;
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

function convertCommission(report: SaleReport, convert: (micros: bigint) => bigint): bigint | null | undefined {
  if (report.commissionMicros === null) return null;
  const currency = report.commissionCurrency ?? report.currency;
  if (currency === "BRL") return report.commissionMicros / MICROS_PER_CENT;
  return currency === report.currency ? convert(report.commissionMicros) : undefined;
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

/** Why a report's amounts are unusable; undefined if they are valid. */
export function amountProblem(report: Pick<SaleReport, "amountMicros" | "parts">): string | undefined {
  if (report.amountMicros < 0n) return "the amount is negative";
  if (report.parts.some((part) => part.amountMicros < 0n)) return "a part is negative";
  const excess = sumOf(report.parts.map((part) => part.amountMicros)) - report.amountMicros;
  if (excess > MICROS_PER_CENT * BigInt(report.parts.length)) return "the parts are more than the whole";
  return undefined;
}
