import { durationText, readDuration } from "../../../domain/duration.ts";
import type { StoreFields } from "../admin-calls.ts";
import type { StoreWithCategories } from "../shapes.ts";

export const EMPTY_STORE: StoreFields = {
  name: "",
  country: "",
  club: "",
  category: "",
  description: "",
  terms: "",
  country_en: "",
  category_en: "",
  description_en: "",
  terms_en: "",
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

/** A store as its form shows it. */
export function fieldsOf(store: StoreWithCategories): StoreFields {
  const texts = Object.keys(EMPTY_STORE).map((name) => [name, String(store[name as keyof StoreFields] ?? "")]);
  return { ...EMPTY_STORE, ...Object.fromEntries(texts), featured: store.featured };
}

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
