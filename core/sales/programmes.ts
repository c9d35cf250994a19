import { createStoreRequestSchema, domainIn } from "../rules/api/catalogue.ts";
import { STORE_NAME_LETTERS } from "../rules/chain-text.ts";
import { type CommissionGroup, readCommission } from "../rules/commission.ts";
import { isRecord } from "../rules/records.ts";
import { isPlainText } from "../rules/text.ts";
import type { PolledAccount, Session } from "./network.ts";
import { plainOf } from "./offer-row.ts";

/** As the network says it; one that it no longer names is `left`, which nobody says. docs/product.md#programmes-paused */
export type ProgrammeState = "active" | "paused" | "ended";

/** A shop that an account works with. What cannot be read is absent: nothing is guessed. docs/product.md#programmes */
export type Programme = {
  advertiserId: string;
  /** Null if none of it can be read. */
  name: string | null;
  state: ProgrammeState;
  country: string | null;
  storeUrl: string | null;
  domains: readonly string[];
  linkCode: string | null;
  category: string | null;
  /** Of its picture; public https. */
  logoUrl: string | null;
  /** Undefined: a call of its own tells them. */
  terms?: ProgrammeTerms;
};

export type ProgrammeTerms = { groups: readonly CommissionGroup[]; expectedDays: number | null };

/** How a network tells of its programmes. */
export type ProgrammeCalls<Account extends PolledAccount> = {
  /** Page by page; a page may repeat what another one had. @throws if the pages do not come to a whole */
  list(session: Session<Account>): AsyncIterable<readonly Programme[]>;
  /** Of one programme, for a network whose list does not tell them. `withDays`: also what takes a further call. */
  readTerms?(session: Session<Account>, advertiserId: string, withDays: boolean): Promise<ProgrammeTerms>;
};

const TEXT = 500;
const DOMAINS = 20;
const GROUPS = 200;
const CODE = 64;
const LABEL = 60;
const LONGEST_DAYS = 730;

/**
 * The fields of a programme as networks write them: text or number, a text or an object with it, in HTML, with a list
 * where one stands elsewhere. What is not understood is absent.
 */
export class Fields {
  readonly #fields: Record<string, unknown>;

  constructor(value: unknown) {
    this.#fields = isRecord(value) ? value : {};
  }

  /** The first of these fields that has a text, without markup; `inside` is where an object has it. */
  text(names: readonly string[], inside: readonly string[] = ["name"]): string | null {
    for (const name of names) {
      const text = textIn(this.#fields[name], inside);
      if (text !== null) return text;
    }
    return null;
  }

  /** An id, which is never cut off. */
  id(name: string): string | null {
    const value = this.#fields[name];
    const text = typeof value === "number" ? String(value) : value;
    return typeof text === "string" && text.trim() !== "" && isPlainText(text, CODE) ? text.trim() : null;
  }

  list(name: string): unknown[] {
    const value = this.#fields[name];
    if (Array.isArray(value)) return value;
    return isRecord(value) ? Object.values(value).flat() : [];
  }

  child(name: string): Fields {
    return new Fields(this.#fields[name]);
  }

  flag(name: string): boolean {
    return /^(?:true|1|yes)$/i.test(String(this.#fields[name]));
  }

  /** A whole number of days, rounded up. */
  days(names: readonly string[]): number | null {
    const days = Math.ceil(Number(this.text(names) ?? Number.NaN));
    return days >= 0 && days <= LONGEST_DAYS ? days : null;
  }
}

/** Until a sale is approved, and from then until it is paid; null if neither is known. */
export function daysTogether(approval: number | null, payment: number | null): number | null {
  return approval === null && payment === null ? null : (approval ?? 0) + (payment ?? 0);
}

function textIn(value: unknown, inside: readonly string[]): string | null {
  if (typeof value === "string" || typeof value === "number")
    return plainOf(String(value), TEXT).replaceAll("\n", " ") || null;
  if (!isRecord(value)) return null;
  for (const name of inside) {
    const text = textIn(value[name], []);
    if (text !== null) return text;
  }
  return null;
}

/** A name that a store can have: what does not fit is cut off at a word. Null: none of it can be read. */
function nameFrom(text: string | null): string | null {
  const whole = (text ?? "").normalize("NFC").replace(/\p{Cf}/gu, "");
  if (fits(whole)) return whole;
  const [first = "", ...rest] = whole.split(" ");
  let name = [...first].slice(0, STORE_NAME_LETTERS).join("");
  for (const word of rest) {
    if (!fits(`${name} ${word}`)) break;
    name = `${name} ${word}`;
  }
  return fits(name) ? name : null;
}

const fits = (name: string): boolean => createStoreRequestSchema.shape.name.safeParse(name).success;

const shortened = (text: string | null) => (text === null ? null : [...text].slice(0, LABEL).join("").trim() || null);

/** An address of a shop's own page or picture, always over https. */
function webAddress(text: string | null): string | null {
  const url = URL.parse(text === null || text.includes("//") ? (text ?? "") : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.port || domainIn(url.hostname) === undefined)
    return null;
  url.protocol = "https:";
  return url.href.length <= TEXT ? url.href : null;
}

type Said = {
  advertiserId: string | null;
  name: string | null;
  state: ProgrammeState;
  country?: string | null;
  address: string | null;
  domains?: readonly unknown[];
  linkCode?: string | null;
  category?: string | null;
  logo?: string | null;
  terms?: ProgrammeTerms;
};

/** A programme made fit to be stored; undefined without an id. */
export function programmeOf({ advertiserId, name, address, domains = [], ...said }: Said): Programme | undefined {
  if (advertiserId === null || advertiserId.includes(",")) return undefined;
  const storeUrl = webAddress(address);
  const named = domains.flatMap((one) => domainIn(textIn(one, ["domain", "name"]) ?? "") ?? []);
  const host = storeUrl === null ? undefined : domainIn(storeUrl);
  return {
    ...{ advertiserId, name: nameFrom(name), state: said.state, storeUrl },
    country: shortened(said.country ?? null),
    domains: [...new Set([...named, ...(host === undefined ? [] : [host])])].slice(0, DOMAINS).toSorted(),
    linkCode: said.linkCode ?? null,
    category: shortened(said.category ?? null),
    logoUrl: webAddress(said.logo ?? null),
    ...(said.terms === undefined ? {} : { terms: said.terms }),
  };
}

/** A rate as a network says it; `isFixed`: a sum a sale. */
export type SaidGroup = { code: string | null; name: string | null; percent: string | null; isFixed?: boolean };

/**
 * Of several rates of one group the lowest counts: which one a sale gets, only the network knows. Of more groups than are kept
 * the one that pays least is kept too, and one with a fixed sum: a category without a group follows them.
 */
export function groupsOf(said: readonly SaidGroup[]): CommissionGroup[] {
  const groups = new Map<string, CommissionGroup>();
  const beyond = new Map<string, CommissionGroup>();
  for (const { code, name, percent, isFixed = false } of said) {
    if (code === null || !isPlainText(code, CODE)) continue;
    const bps = isFixed || percent === null ? undefined : readCommission(percent);
    if (bps === undefined && !isFixed) continue;
    const key = code.trim().toLowerCase();
    const isBeyond = !groups.has(key) && groups.size >= GROUPS;
    const kept = isBeyond ? beyond : groups;
    const known = kept.get(key);
    const lowest = bps === undefined || known?.bps === null ? null : Math.min(Number(bps), known?.bps ?? Number(bps));
    kept.set(key, {
      code: known?.code ?? code.trim(),
      name: known?.name ?? shortened(name) ?? code.trim(),
      bps: lowest,
    });
  }
  const least = [...beyond.values()].toSorted((one, other) => (one.bps ?? 0) - (other.bps ?? 0));
  const worst = [least.find(({ bps }) => bps !== null), least.find(({ bps }) => bps === null)];
  return [...groups.values(), ...worst.flatMap((one) => one ?? [])];
}
