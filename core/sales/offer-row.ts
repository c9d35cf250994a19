import { OFFER_CODE_LETTERS, OFFER_TERMS_LETTERS, OFFER_TITLE_LETTERS } from "../rules/api/offers.ts";
import { isHiddenCharacter, isReadableName } from "../rules/chain-text.ts";
import { DAY_MS } from "../rules/iso-time.ts";
import { isRecord } from "../rules/records.ts";
import { readTime } from "./row.ts";

/** An offer as a network says it, made fit to be shown. Times are milliseconds UTC. */
export type NetworkOffer = {
  key: string;
  advertiserId: string;
  title: string;
  code: string | null;
  terms: string | null;
  url: string | null;
  /** Null: now. */
  startsAt: bigint | null;
  /** Null if the network says none. */
  endsAt: bigint | null;
  withCashback: boolean;
};

/** So much of a text is looked at. */
const READ_LETTERS = 20_000;
const WORD = 200;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/**
 * A network's text, which may be HTML, as plain text: its tags go, its entities are read once, what cannot be seen goes,
 * and what is longer is cut. Whatever is left, such as "<b>" that was written as "&lt;b&gt;", is text.
 * @example
 * plainOf("<p>10&nbsp;% <b>off</b></p>", 40) // "10 % off"
 */
export function plainOf(html: string, maximum: number): string {
  const text = html
    .slice(0, READ_LETTERS)
    .toWellFormed()
    .replace(/<(?:script|style)\b[^>]{0,500}>[^<]*/gi, "")
    .replace(/<(?:br|\/p|\/li|\/div|\/tr)\b[^>]{0,500}>/gi, "\n")
    .replace(/<\/?[a-z!][^<>]{0,2000}>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
      const point = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
      if (point === undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "";
    });
  const seen = [...text].filter((one) => one === "\n" || one === "\t" || !isHiddenCharacter(one)).join("");
  const lines = seen.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  return cut(lines.filter(Boolean).join("\n"), maximum);
}

function cut(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  return `${text
    .slice(0, maximum - 1)
    .toWellFormed()
    .replace(/\ufffd$/, "")
    .trimEnd()}…`;
}

/** Words that stand where there is no code. */
const NO_CODE =
  /^(?:-+|n\/?a|none|no code.*|not required|no voucher.*|sem c[oó]digo|n[aã]o (?:precisa|necess[aá]rio).*)$/i;
/** A shop that pays for no cashback where the offer is used says so in its conditions, in its own words. */
const EXCLUSIVE = [
  /\b(?:not valid|not eligible|no|without|exclud\w+|except|excluding|cannot be combined)\b[^.\n]{0,40}\bcash ?back/i,
  /\bcash ?back\b[^.\n]{0,40}\b(?:excluded|not (?:paid|valid|eligible|allowed|available)|n[aã]o (?:vale|v[aá]lido|se aplica|[eé]|cumulativ\w+))/i,
  /\b(?:sem|n[aã]o (?:[eé] )?(?:cumulativ\w+|acumul\w+|v[aá]lid\w+)|exceto|exclui\w*)\b[^.\n]{0,40}\bcash ?back/i,
];

/** The fields of an offer's row by their names at this network: numbers arrive as text, and every one may be missing. */
export class OfferRow {
  readonly #fields: Record<string, unknown>;

  constructor(value: unknown) {
    this.#fields = isRecord(value) ? value : {};
  }

  /** The first of these that is a text with something in it. */
  text(...names: string[]): string {
    for (const name of names) {
      const value = this.#fields[name];
      if (typeof value === "string" && value.trim() !== "") return value;
      if (typeof value === "number") return String(value);
    }
    return "";
  }

  child(...names: string[]): OfferRow {
    return new OfferRow(names.map((name) => this.#fields[name]).find(isRecord));
  }

  /** An id: null unless it is short and without spaces. */
  id(...names: string[]): string | null {
    const text = this.text(...names).trim();
    return /^[\w.-]{1,64}$/.test(text) ? text : null;
  }

  /** Undefined if there is one that cannot be read: without it, the offer would say something else. */
  time(read: (text: string) => number | undefined, ...names: string[]): bigint | null | undefined {
    const text = this.text(...names).trim();
    if (text === "" || /^0000-/.test(text)) return null;
    const at = read(text) ?? readTime(text);
    return at === undefined || !Number.isFinite(at) || at < 0 ? undefined : BigInt(Math.trunc(at));
  }

  /** Whether any field, or a sentence of these texts, says that no cashback is paid where it is used. */
  isExclusive(...texts: string[]): boolean {
    const marks = Object.entries(this.#fields).filter(([name]) => /cash_?back/i.test(name));
    const says = (value: unknown, word: string) => String(value).toLowerCase() === word;
    const isMarked = marks.some(([name, value]) =>
      /exclu|without|not|no_|^no/i.test(name)
        ? says(value, "true") || says(value, "1")
        : says(value, "false") || says(value, "0"),
    );
    return isMarked || texts.some((text) => EXCLUSIVE.some((one) => one.test(text)));
  }
}

/** A day alone is the whole day: its end is the next one's beginning. */
export const dayEnd =
  (read: (text: string) => number | undefined) =>
  (text: string): number | undefined => {
    const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? read(`${text}T00:00:00`) : undefined;
    return day === undefined ? read(text) : day + DAY_MS;
  };
export const dayStart =
  (read: (text: string) => number | undefined) =>
  (text: string): number | undefined =>
    read(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);

type Said = Partial<Record<"title" | "description" | "terms" | "code" | "url", string>> & {
  key: string | null;
  advertiserId: string | null;
  startsAt: bigint | null | undefined;
  endsAt: bigint | null | undefined;
};

/** Undefined for a row that says too little, or what cannot be read, to be shown as an offer. */
export function readOffer(row: OfferRow, said: Said): NetworkOffer | undefined {
  const { key, advertiserId, startsAt, endsAt } = said;
  if (key === null || advertiserId === null || startsAt === undefined || endsAt === undefined) return undefined;
  if (endsAt !== null && endsAt <= (startsAt ?? BigInt(Date.now()))) return undefined;
  const line = (text = "") => plainOf(text, OFFER_TITLE_LETTERS).replaceAll("\n", " ");
  const title = line(said.title) || line(said.description);
  if (!isReadableName(title)) return undefined;
  const given = plainOf(said.code ?? "", WORD).replaceAll("\n", " ");
  const code = given === "" || NO_CODE.test(given) ? null : given;
  // A code that is cut or looks like something else would be refused at the till.
  if (code !== null && (code.length > OFFER_CODE_LETTERS || !isReadableName(code))) return undefined;
  const texts = [said.description ?? "", said.terms ?? ""].map((text) => plainOf(text, OFFER_TERMS_LETTERS));
  const terms = [...new Set(texts)].filter((text) => text !== "" && text !== title).join("\n");
  return {
    key,
    advertiserId,
    title,
    code,
    terms: cut(terms, OFFER_TERMS_LETTERS) || null,
    url: (said.url ?? "").trim() || null,
    startsAt,
    endsAt,
    withCashback: !row.isExclusive(title, ...texts),
  };
}
