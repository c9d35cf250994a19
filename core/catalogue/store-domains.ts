import { getDomain, getDomainWithoutSuffix } from "tldts";
import { domainIn, SHORT_DOMAIN } from "../rules/api/catalogue.ts";
import { searchKey } from "../rules/text.ts";
import type { StoreRow } from "./stores.ts";

type NamedStore = { id: number; name: string };
type Site = { store: NamedStore; isShort: boolean };

/** Letters by which names that look alike are compared, and as many as two of them must begin with. */
const LIKE_START = 4;
const MOST_LIKE = 3;
/** Of the names that begin alike, so that an answer costs the same however many there are. */
const MOST_COMPARED = 50;

/** A suffix that others register names below, such as `com.br` or `myshopify.com`, has no domain of its own. */
const SUFFIXES = { allowPrivateDomains: true };

/** Whose page a link leads to, by the domains of all stores on offer. docs/product.md#links */
export class StoreDomains {
  /** With their domains, but those of shortened links and suffixes, and the days that a click counts if it has its own. */
  readonly stores: (NamedStore & { domains: string[]; claim_days?: number })[] = [];
  readonly #sites = new Map<string, Site[]>();
  readonly #names = new Map<string, { key: string; store: NamedStore }[]>();

  constructor(
    rows: readonly (Pick<StoreRow, "id" | "name" | "store_url" | "domains"> & Partial<Pick<StoreRow, "claim_days">>)[],
  ) {
    for (const { id, name, store_url, domains, claim_days } of rows) {
      const store = { id: Number(id), name };
      const listed = new Set([...(domains?.split(",") ?? []), domainIn(store_url ?? "") ?? ""].filter(Boolean));
      for (const one of listed) {
        const isShort = one.startsWith(SHORT_DOMAIN);
        const domain = isShort ? one.slice(SHORT_DOMAIN.length) : one;
        add(this.#sites, domain, { store, isShort });
        if (!isShort) this.#nameBy(getDomainWithoutSuffix(domain, SUFFIXES) ?? "", store);
      }
      this.#nameBy(name, store);
      // Below a suffix are others' shops, and who reads this list knows no suffixes.
      const own = [...listed].filter((one) => !one.startsWith(SHORT_DOMAIN) && getDomain(one, SUFFIXES) !== null);
      const days = claim_days ? { claim_days: Number(claim_days) } : {};
      if (own.length > 0) this.stores.push({ ...store, domains: own, ...days });
    }
  }

  /**
   * The stores of a host, by its longest domain that is listed: several if one shop is in several programmes. A host of
   * many shops counts only for itself, not for the names below it.
   */
  find(host: string): { stores: NamedStore[]; isShort: boolean } {
    const labels = host.replace(/^www\./, "").split(".");
    for (let first = 0; first < labels.length - 1; first++) {
      const domain = labels.slice(first).join(".");
      const sites = this.#sites.get(domain);
      if (sites && (first === 0 || getDomain(domain, SUFFIXES) !== null)) {
        return { stores: sites.map(({ store }) => store), isShort: sites.every(({ isShort }) => isShort) };
      }
    }
    return { stores: [], isShort: false };
  }

  /** Stores whose name or domain begins as this host does: what a mistyped or imitated one may mean. */
  like(host: string): NamedStore[] {
    const wanted = likeKey(getDomainWithoutSuffix(host, SUFFIXES) ?? host);
    const named = this.#names.get(wanted.slice(0, LIKE_START)) ?? [];
    const ranked = named
      .map(({ key, store }) => ({ store, shared: sharedStart(key, wanted) }))
      .sort((one, other) => other.shared - one.shared);
    const found = new Map(ranked.map(({ store }) => [store.id, store]));
    return [...found.values()].slice(0, MOST_LIKE);
  }

  #nameBy(name: string, store: NamedStore): void {
    const key = likeKey(name);
    if (key.length < LIKE_START) return;
    const start = key.slice(0, LIKE_START);
    if ((this.#names.get(start)?.length ?? 0) < MOST_COMPARED) add(this.#names, start, { key, store });
  }
}

function add<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Letters only; digits as the letters that they are taken for. */
function likeKey(name: string): string {
  const letters: Record<string, string> = { 0: "o", 1: "l", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b" };
  return searchKey(name)
    .replace(/\d/g, (digit) => letters[digit] ?? digit)
    .replace(/[^a-z\d]/g, "");
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
