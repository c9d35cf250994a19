import { isRecord, ownValue } from "../rules/records.ts";
import { type ReportProblem, sayProblems } from "../rules/sale/holds.ts";
import type { SaleReport } from "../rules/sale/report.ts";
import { MAXIMUM_MICROS, readMicros } from "../rules/sale/value.ts";
import { isPlainText, plainText } from "../rules/text.ts";
import { messageOf } from "../rules/unknown-error.ts";
import type { Page } from "./network.ts";

/** The longest word of a network, such as an order number or a commission group. */
const WORD = 256;
/** The longest remark of a network, such as the reason of a decline; the rest is cut off. */
const REMARK = 500;
const PARTS = 500;
/** So many of a row's problems are kept. */
const PROBLEMS_KEPT = 8;
/** How much of a row that is not understood is kept. */
const KEPT = 2_000;
/** The years in which a sale can have happened. */
const EARLIEST = Date.parse("2000-01-01T00:00:00Z");
const LATEST = Date.parse("2101-01-01T00:00:00Z");

/**
 * Reads the fields of one row in a network's response and records those with an unexpected format. Numbers arrive as
 * text, see `parseExactJson`.
 */
export class Row {
  readonly problems: ReportProblem[];
  readonly #fields: Record<string, unknown>;
  readonly #place: string;
  /** Shared by the row and its children. */
  readonly #unread: { some: boolean };

  constructor(value: unknown, place = "", problems: ReportProblem[] = [], unread = { some: false }) {
    this.problems = problems;
    this.#unread = unread;
    this.#place = place;
    this.#fields = isRecord(value) ? value : {};
    if (!isRecord(value)) problems.push({ code: "not_object", field: place.replace(/\.$/, "") });
  }

  /** What was not understood, and whether an amount is missing for it. */
  get findings(): Pick<SaleReport, "drift" | "isUnread"> {
    const drift = this.problems.length > 0 ? this.problems.slice(0, PROBLEMS_KEPT) : null;
    return { drift, ...(this.#unread.some && { isUnread: true }) };
  }

  /** Text or number of at most 256 plain characters; null if it is missing, null or empty. */
  text(field: string): string | null {
    const value = this.#fields[field];
    if (value === undefined || value === null || value === "") return null;
    if (typeof value === "string" && isPlainText(value, WORD)) return value;
    this.#wrong(field, value);
    return null;
  }

  /** A remark for people, shortened and made plain. */
  remark(field: string): string | null {
    const value = this.#fields[field];
    return typeof value === "string" && value !== "" ? plainText(value, REMARK) : null;
  }

  requiredText(field: string): string {
    const value = this.text(field);
    if (value === null && this.#isMissing(field)) this.#missing(field);
    return value ?? "";
  }

  /** Our status for the network's word; one without an equivalent is recorded. */
  status(field: string, statuses: Readonly<Record<string, SaleReport["status"]>>): SaleReport["status"] {
    const word = this.requiredText(field);
    const status = ownValue(statuses, word);
    if (status === undefined && word !== "") this.#wrong(field, word);
    return status ?? "unknown";
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
    if (text === null) {
      if (!this.#isMissing(field)) this.#unread.some = true;
      return null;
    }
    const micros = readMicros(text);
    if (micros !== undefined && micros <= MAXIMUM_MICROS && micros >= -MAXIMUM_MICROS) return micros;
    this.#unread.some = true;
    this.#wrong(field, text);
    return null;
  }

  requiredMicros(field: string): bigint {
    const micros = this.micros(field);
    if (micros === null) this.#unread.some = true;
    if (micros === null && this.#isMissing(field)) this.#missing(field);
    return micros ?? 0n;
  }

  /** A time in milliseconds, parsed by `read`; null if it is missing. */
  time(field: string, read: (text: string) => number | undefined): bigint | null {
    const text = this.text(field);
    if (text === null) return null;
    const time = read(text);
    if (time !== undefined && time >= EARLIEST && time < LATEST) return BigInt(time);
    this.#wrong(field, text);
    return null;
  }

  requiredTime(field: string, read: (text: string) => number | undefined): bigint | null {
    if (this.#isMissing(field)) this.#missing(field);
    return this.time(field, read);
  }

  child(field: string): Row {
    return new Row(this.#fields[field], `${this.#place}${field}.`, this.problems, this.#unread);
  }

  optionalChild(field: string): Row | undefined {
    return this.#isMissing(field) ? undefined : this.child(field);
  }

  children(field: string): Row[] {
    const value = this.#fields[field];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.length <= PARTS) {
      return value.map((one, index) => new Row(one, `${this.#place}${field}[${index}].`, this.problems, this.#unread));
    }
    this.#unread.some = true;
    this.#wrong(field, value);
    return [];
  }

  #isMissing(field: string): boolean {
    const value = this.#fields[field];
    return value === undefined || value === null || value === "";
  }

  #missing(field: string): void {
    this.problems.push({ code: "missing", field: `${this.#place}${field}` });
  }

  #wrong(field: string, value: unknown): void {
    this.problems.push({ code: "odd", field: `${this.#place}${field}`, value: shown(value) });
  }
}

/** A row that could not be read or stored; with the sale's key if it has one. */
export type UnreadRow = { saleKey: string | null; occurredAt: bigint | null; text: string; problem: string };

/** A row as it is kept: shortened and made plain. */
export function unreadRow(value: unknown, error: unknown, report?: SaleReport): UnreadRow {
  const { saleKey = null, occurredAt = null } = report ?? {};
  return { saleKey, occurredAt, text: shown(value, KEPT), problem: plainText(messageOf(error), REMARK) };
}

/**
 * Reads the rows of a page, each by itself: a row that is not understood costs no other one. `id` is the field with the
 * sale's key; `read` returns undefined for a row of somebody else.
 */
export function readRows(
  rows: readonly unknown[],
  { id, keyPattern }: { id: string; keyPattern: RegExp },
  read: (row: Row, saleKey: string) => SaleReport | undefined,
): Page {
  const page: Page = { reports: [], unread: [] };
  for (const value of rows) {
    let saleKey: string | null = null;
    try {
      const row = new Row(value);
      saleKey = row.text(id);
      if (saleKey === null || !keyPattern.test(saleKey)) {
        saleKey = null;
        throw new TypeError(sayProblems(row.problems, "en") || `${id} is not the id of a sale`);
      }
      const report = read(row, saleKey);
      if (report) page.reports.push(report);
    } catch (error) {
      page.unread.push({ ...unreadRow(value, error), saleKey });
    }
  }
  return page;
}

function shown(value: unknown, maximum = 80): string {
  try {
    return plainText(JSON.stringify(value) ?? String(value), maximum);
  } catch {
    // Nested too deeply.
    return typeof value;
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

/**
 * Parses JSON and keeps every number as its original text, so that 0.1 does not become a binary fraction and a
 * twenty-digit id keeps all its digits.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) => {
    if (typeof value !== "number") return value;
    // V8 (Node 24.21) forgets the text of some numbers whose key is a lone quote: what may be rounded is missing then.
    return context?.source ?? (Number.isSafeInteger(value) ? String(value) : null);
  });
}
