import { custom, type LimitRule, must } from "./field-rules.ts";
import { TorcidaError } from "./torcida-error.ts";

/** Brazilian reais as integer cents, percents as integer basis points, CHZ as integer gwei or wei. Never floats. */

const DECIMAL = /^(\d{1,15})(?:\.(\d{1,}))?$/;

/** The input is not a number in range. The message is a clause that follows the field's name; `params` name the limit. */
export class InvalidNumberError extends TorcidaError {
  /** Written out, because the web app shortens the names of classes. */
  override readonly name = "InvalidNumberError";
  override readonly docs = "docs/product.md#money-units";
  readonly params: { rule: LimitRule; max: number | string } | undefined;

  constructor(broken: string | { message: string; params: { rule: LimitRule; max: number | string } }) {
    super(typeof broken === "string" ? broken : broken.message);
    this.params = typeof broken === "string" ? undefined : broken.params;
  }
}

/** A number's fault as an issue of Zod. Another error is rethrown. */
export function numberIssue(error: unknown) {
  if (!(error instanceof InvalidNumberError)) throw error;
  return { code: "custom" as const, message: error.message, params: error.params };
}

/**
 * Parses a non-negative decimal with at most `decimals` places to an integer of that scale. Accepts a JSON number or
 * text with a dot; rejects exponents, signs, commas and whitespace.
 * @throws InvalidNumberError
 * @example
 * parseDecimal("12.5", 2) // 1250n
 */
export function parseDecimal(input: number | string, decimals: number): bigint {
  const text = typeof input === "number" ? numberText(input) : input;
  const match = DECIMAL.exec(text);
  if (!match) throw new InvalidNumberError(must("number"));
  const whole = match[1] ?? "0";
  const fraction = (match[2] ?? "").replace(/0+$/, "");
  if (fraction.length > decimals) throw new InvalidNumberError(custom("decimals", decimals));
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new InvalidNumberError(must("finite"));
  return String(value);
}

/** Reais, as a JSON number or text with a dot, to cents. @throws InvalidNumberError */
export function parseReais(input: number | string): bigint {
  return parseDecimal(input, 2);
}

/**
 * A percent such as "5,75", "5.75" or 5.75 to basis points, 0 to 10,000. @throws InvalidNumberError
 * @example
 * parsePercent("5,75") // 575n
 */
export function parsePercent(input: number | string): bigint {
  const bps = parseDecimal(typeof input === "string" ? input.trim().replace(",", ".") : input, 2);
  if (bps > 10_000n) throw new InvalidNumberError(custom("max", 100));
  return bps;
}

/**
 * An integer of the given scale as decimal text, without trailing zeros beyond `minimumDecimals`.
 * @example
 * formatDecimal(1250n, 2) // "12.5"
 * formatDecimal(1250n, 2, 2) // "12.50"
 */
export function formatDecimal(value: bigint, decimals: number, minimumDecimals = 0): string {
  const sign = value < 0n ? "-" : "";
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, "")
    .padEnd(minimumDecimals, "0");
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/** Basis points as percent text without trailing zeros: 575n → "5.75", 500n → "5". */
export function percentText(bps: bigint | number): string {
  return formatDecimal(BigInt(bps), 2);
}

/** Cents as reais with a dot and two decimals: 12345n → "123.45". */
export function reaisText(cents: bigint): string {
  return formatDecimal(cents, 2, 2);
}

/** Gwei of CHZ as decimal CHZ text: 8_000_000_000n → "8". */
export function chzTextFromGwei(gwei: bigint): string {
  return formatDecimal(gwei, 9);
}

/** The same back: "6.1725" → 6172500000n. @throws as `parseDecimal` */
export function gweiFromChzText(chz: number | string): bigint {
  return parseDecimal(chz, 9);
}

/** Wei of CHZ as decimal CHZ text. */
export function chzTextFromWei(wei: bigint): string {
  return formatDecimal(wei, 18);
}

/**
 * Parses an amount as people and tickets write it: "R$ 1.234,50", "1234.5", "1,50". Tickets of another deployment may
 * write it differently. Returns undefined if the text is not an amount.
 * @example
 * readReaisText("R$ 1.234,50") // 123_450n
 */
export function readReaisText(text: string): bigint | undefined {
  const bare = text.replace(/R\$/i, "").replace(/[\s\u00a0]/g, "");
  const plain = bare.includes(",") ? bare.replaceAll(".", "").replace(",", ".") : bare;
  return tryParse(plain, 2);
}

/** Parses "5.75%", "5,75" or "5" to basis points; undefined if the text is not a percent. */
export function readPercentText(text: string): bigint | undefined {
  return tryParse(text.replace("%", "").trim().replace(",", "."), 2);
}

function tryParse(text: string, decimals: number): bigint | undefined {
  try {
    return parseDecimal(text, decimals);
  } catch {
    return undefined;
  }
}
