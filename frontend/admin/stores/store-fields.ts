import { durationText, readDuration } from "../../../domain/duration.ts";
import type { StoreFields } from "../admin-calls.ts";
import type { StoreWithCategories } from "../shapes.ts";

export const EMPTY_STORE: StoreFields = {
  name: "",
  country: "",
  club: "",
  category: "",
  description: "",
  logo: "",
  affiliate_link: "",
  network: "",
  account: "",
  advertiser_id: "",
  store_url: "",
  mint_delay_seconds: "",
  hold_seconds: "",
  claim_days: "",
  featured: false,
};

const text = (value: string | number | null | undefined): string =>
  value === null || value === undefined ? "" : String(value);

/** A store as its form shows it. */
export const fieldsOf = (store: StoreWithCategories): StoreFields => ({
  name: store.name,
  country: store.country,
  club: text(store.club),
  category: text(store.category),
  description: text(store.description),
  logo: text(store.logo),
  affiliate_link: text(store.affiliate_link),
  network: text(store.network),
  account: text(store.account),
  advertiser_id: text(store.advertiser_id),
  store_url: text(store.store_url),
  mint_delay_seconds: text(store.mint_delay_seconds),
  hold_seconds: text(store.hold_seconds),
  claim_days: text(store.claim_days),
  featured: store.featured,
});

const DURATIONS = ["mint_delay_seconds", "hold_seconds"] as const;

/** Durations as typed: "3 dias". */
export function inWords(fields: StoreFields): StoreFields {
  const said = DURATIONS.map((name) => [name, fields[name] && durationText(Number(fields[name]), "pt")]);
  return { ...fields, ...Object.fromEntries(said) };
}

/** Durations in the api's format; unparsable text is sent unchanged and rejected. */
export function inSeconds(fields: StoreFields): StoreFields {
  const read = DURATIONS.map((name) => [name, String(readDuration(fields[name]) ?? fields[name])]);
  return { ...fields, ...Object.fromEntries(read) };
}

type Sold = Pick<StoreWithCategories, "affiliate_link" | "cashback_max"> &
  Partial<Pick<StoreWithCategories, "network" | "account" | "advertiser_id" | "store_url" | "is_draft">>;

/** What a store lacks to sell. docs/product.md#store-draft. */
export function missingOf(store: Sold): ("link" | "rate" | "chain_name")[] {
  const isBuilt = store.network && store.advertiser_id && store.store_url;
  const missing: ("link" | "rate")[] = [
    ...(store.affiliate_link || isBuilt ? [] : (["link"] as const)),
    ...(store.cashback_max > 0 ? [] : (["rate"] as const)),
  ];
  // Only the server knows which names are on chain.
  return missing.length === 0 && store.is_draft ? ["chain_name"] : missing;
}
