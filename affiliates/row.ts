import { isRecord } from "../domain/records.ts";
import { readMicros } from "../domain/sale/amount.ts";

/**
 * Reads the fields of one row in a network's response and records those with an unexpected format. Numbers arrive as
 * text, see `exact-json.ts`.
 */
export class Row {
  readonly problems: string[];
  readonly #fields: Record<string, unknown>;
  readonly #place: string;

  constructor(value: unknown, place = "", problems: string[] = []) {
    this.problems = problems;
    this.#place = place;
    this.#fields = isRecord(value) ? value : {};
    if (!isRecord(value)) problems.push(`${place.replace(/\.$/, "") || "the row"} is not an object`);
  }

  get drift(): string | null {
    return this.problems.length > 0 ? this.problems.join("; ").slice(0, 500) : null;
  }

  /** Text or number; null if it is missing, null or empty. */
  text(field: string): string | null {
    const value = this.#fields[field];
    if (value === undefined || value === null || value === "") return null;
    if (typeof value === "string") return value;
    this.#wrong(field, value);
    return null;
  }

  requiredText(field: string): string {
    const value = this.text(field);
    if (value === null && this.#isMissing(field)) this.problems.push(`${this.#place}${field} is missing`);
    return value ?? "";
  }

  flag(field: string): boolean {
    const value = this.#fields[field];
    if (value === undefined || value === null || value === "") return false;
    const text = String(value).toLowerCase();
    if (text === "true" || text === "1") return true;
    if (text !== "false" && text !== "0") this.#wrong(field, value);
    return false;
  }

  /** A decimal amount in millionths; null if it is missing. */
  micros(field: string): bigint | null {
    const text = this.text(field);
    if (text === null) return null;
    const micros = readMicros(text);
    if (micros === undefined) this.#wrong(field, text);
    return micros ?? null;
  }

  requiredMicros(field: string): bigint {
    const micros = this.micros(field);
    if (micros === null && this.#isMissing(field)) this.problems.push(`${this.#place}${field} is missing`);
    return micros ?? 0n;
  }

  /** A time in milliseconds, parsed by `read`; null if it is missing. */
  time(field: string, read: (text: string) => number | undefined): bigint | null {
    const text = this.text(field);
    if (text === null) return null;
    const time = read(text);
    if (time === undefined) this.#wrong(field, text);
    return time === undefined ? null : BigInt(time);
  }

  child(field: string): Row {
    return new Row(this.#fields[field], `${this.#place}${field}.`, this.problems);
  }

  optionalChild(field: string): Row | undefined {
    return this.#isMissing(field) ? undefined : this.child(field);
  }

  children(field: string): Row[] {
    const value = this.#fields[field];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) {
      return value.map((one, index) => new Row(one, `${this.#place}${field}[${index}].`, this.problems));
    }
    this.#wrong(field, value);
    return [];
  }

  #isMissing(field: string): boolean {
    const value = this.#fields[field];
    return value === undefined || value === null || value === "";
  }

  #wrong(field: string, value: unknown): void {
    this.problems.push(`${this.#place}${field} is ${JSON.stringify(value)?.slice(0, 80)}`);
  }
}

/** A time with an offset, or without one in UTC: `2026-11-20T14:03:00`, `2026-11-20 14:03:00`, `…-07:00`. */
export function readTime(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?) ?(Z|[+-]\d{2}:?\d{2})?$/.exec(text.trim());
  if (!match) return undefined;
  const [, day, time, zone = "Z"] = match;
  const at = Date.parse(`${day}T${time}${zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2")}`);
  return Number.isNaN(at) ? undefined : at;
}

/** A time as `YYYY-MM-DDTHH:MM:SS` in UTC, the networks' format. */
export function utcText(at: Date): string {
  return at.toISOString().slice(0, 19);
}
