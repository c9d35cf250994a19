import { createStoreRequestSchema } from "../../../core/rules/api/catalogue.ts";
import { durationText, readDuration } from "../../../core/rules/duration.ts";
import { LANGUAGES, OTHER_LANGUAGES, type OtherLanguage } from "../../../core/rules/languages.ts";
import { keysOf, recordOf } from "../../../core/rules/records.ts";
import type { StoreFields } from "../admin-calls.ts";
import type { StoreWithCategories } from "../shapes.ts";
import { panelLanguage, type TextId, t } from "../texts.ts";
import { NETWORKS, networkName } from "../words.ts";

/** Suggested spellings, so that a country is not stored under two names. Any other text is accepted. */
const COUNTRIES = "store.countries" satisfies TextId;

export type StoreField = {
  name: Exclude<keyof StoreFields, "featured">;
  isRequired?: true;
  /** Of a text in another language. */
  lang?: string;
  /** Text if absent. A duration is typed and shown as "3 dias". */
  kind?: "url" | "long" | "duration";
  hint?: TextId;
  suggestions?: () => readonly string[];
  /** What the store's page shows, if not the value: for a code, or where there is none. */
  shown?: (store: StoreWithCategories) => string | null;
};

/** What a store is: the form shows these, and folds the rest. docs/product.md#store */
export const MAIN_FIELDS: readonly StoreField[] = [
  { name: "name", isRequired: true },
  { name: "country", isRequired: true, suggestions: () => t(COUNTRIES).split(", ") },
  { name: "club" },
  { name: "category" },
  { name: "description", kind: "long" },
];

export const OFFER_FIELDS: readonly StoreField[] = [
  { name: "affiliate_link", kind: "url", hint: "store.hint.affiliate_link" },
  { name: "terms", kind: "long", hint: "store.hint.terms" },
];
export const LOGO_FIELDS: readonly StoreField[] = [
  { name: "logo", kind: "url" },
  { name: "club_slug", hint: "store.hint.club_slug" },
];

/** The network that reports its sales. docs/product.md#sales. */
export const NETWORK_FIELDS: readonly StoreField[] = [
  {
    name: "network",
    hint: "store.hint.network",
    suggestions: () => NETWORKS,
    shown: ({ network }) => network && networkName(network),
  },
  { name: "account" },
  {
    name: "advertiser_id",
    hint: "store.hint.advertiser_id",
  },
  {
    name: "link_code",
    hint: "store.hint.link_code",
    shown: ({ link_code, network }) => link_code ?? (network === "admitad" ? t("store.noLinkCode") : null),
  },
  {
    name: "merchant",
    hint: "store.hint.merchant",
    shown: ({ merchant, store_url }) => merchant ?? URL.parse(store_url ?? "")?.hostname.replace(/^www\./, "") ?? null,
  },
  {
    name: "store_url",
    kind: "url",
    hint: "store.hint.store_url",
  },
  {
    name: "domains",
    hint: "store.hint.domains",
    shown: ({ domains }) => domains?.join(", ") || null,
  },
  {
    name: "cashback_share_percent",
    hint: "store.hint.cashback_share_percent",
  },
  {
    name: "mint_delay_seconds",
    kind: "duration",
    hint: "store.hint.mint_delay_seconds",
    shown: ({ mint_delay_seconds }) => durationOf(mint_delay_seconds) ?? t("store.platformWait"),
  },
  {
    name: "hold_seconds",
    kind: "duration",
    hint: "store.hint.hold_seconds",
    shown: ({ hold_seconds }) => durationOf(hold_seconds) ?? t("store.platformPeriod"),
  },
  {
    name: "claim_days",
    hint: "store.hint.claim_days",
    shown: ({ claim_days }) => String(claim_days ?? t("store.platformDays")),
  },
];

/** The texts in another language. docs/product.md#store-languages. */
export function fieldsIn(language: OtherLanguage): readonly StoreField[] {
  const { locale: lang } = LANGUAGES[language];
  return [
    { name: `country_${language}`, lang },
    { name: `category_${language}`, lang },
    { name: `description_${language}`, lang, kind: "long" },
    { name: `terms_${language}`, lang, kind: "long" },
  ];
}

export const STORE_FIELDS = [
  ...MAIN_FIELDS,
  ...OFFER_FIELDS,
  ...LOGO_FIELDS,
  ...NETWORK_FIELDS,
  ...OTHER_LANGUAGES.flatMap(fieldsIn),
];

const DURATIONS = STORE_FIELDS.filter(({ kind }) => kind === "duration").map(({ name }) => name);

function durationOf(seconds: number | null): string | undefined {
  return seconds === null ? undefined : durationText(seconds, panelLanguage());
}

export const EMPTY_STORE: StoreFields = {
  ...recordOf(keysOf(createStoreRequestSchema.shape), () => ""),
  featured: false,
};

/** A store as its form shows it. */
export function fieldsOf(store: StoreWithCategories): StoreFields {
  const texts = keysOf(EMPTY_STORE).map((name) => [name, String(store[name] ?? "")]);
  // What a name alone means is not chosen yet.
  const club_slug = store.club_accepted ? (store.club_slug ?? "") : "";
  return { ...EMPTY_STORE, ...Object.fromEntries(texts), club_slug, featured: store.featured };
}

/** Durations as typed: "3 dias". */
export function inWords(fields: StoreFields): StoreFields {
  const said = DURATIONS.map((name) => [name, fields[name] && durationText(Number(fields[name]), panelLanguage())]);
  return { ...fields, ...Object.fromEntries(said) };
}

/** Durations in the api's format; unparsable text is sent unchanged and rejected. */
export function inSeconds(fields: StoreFields): StoreFields {
  const read = DURATIONS.map((name) => [name, String(readDuration(fields[name]) ?? fields[name])]);
  return { ...fields, ...Object.fromEntries(read) };
}
