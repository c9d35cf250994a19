import { createStoreRequestSchema } from "../../../core/rules/api/catalogue.ts";
import { durationText, readDuration } from "../../../core/rules/duration.ts";
import { LANGUAGES, OTHER_LANGUAGES, type OtherLanguage } from "../../../core/rules/languages.ts";
import { keysOf, recordOf } from "../../../core/rules/records.ts";
import type { StoreFields } from "../admin-calls.ts";
import type { StoreWithCategories } from "../shapes.ts";
import { NETWORK_WORDS, networkName } from "../words.ts";

/** Suggested spellings, so that a country is not stored under two names. Any other text is accepted. */
const COUNTRIES = [
  "Alemanha",
  "Argentina",
  "Bélgica",
  "Bolívia",
  "Brasil",
  "Canadá",
  "Chile",
  "China",
  "Colômbia",
  "Coreia do Sul",
  "Equador",
  "Espanha",
  "Estados Unidos",
  "França",
  "Holanda",
  "Inglaterra",
  "Itália",
  "Japão",
  "México",
  "Paraguai",
  "Peru",
  "Portugal",
  "Reino Unido",
  "Suíça",
  "Turquia",
  "Uruguai",
  "Venezuela",
] as const;

export type StoreField = {
  name: Exclude<keyof StoreFields, "featured">;
  isRequired?: true;
  /** Of a text that is not in Portuguese. */
  lang?: string;
  /** Text if absent. A duration is typed and shown as "3 dias". */
  kind?: "url" | "long" | "duration";
  hint?: string;
  suggestions?: readonly string[];
  /** What the store's page shows, if not the value: for a code, or where there is none. */
  shown?: (store: StoreWithCategories) => string | null;
};

export const MAIN_FIELDS: readonly StoreField[] = [
  { name: "name", isRequired: true },
  { name: "country", isRequired: true, suggestions: COUNTRIES },
  { name: "club" },
  { name: "category" },
  {
    name: "affiliate_link",
    kind: "url",
    hint: "{click} no link vira o código da visita; sem ele, vai no fim. {url} vira a página do produto.",
  },
];

export const TEXT_FIELDS: readonly StoreField[] = [
  { name: "description", kind: "long" },
  {
    name: "terms",
    kind: "long",
    hint: "O que não rende cashback nesta loja. Aparece na página dela e na compra.",
  },
];
export const LOGO_FIELDS: readonly StoreField[] = [{ name: "logo", kind: "url" }];

/** The network that reports its sales. docs/product.md#sales. */
export const NETWORK_FIELDS: readonly StoreField[] = [
  {
    name: "network",
    hint: Object.keys(NETWORK_WORDS).join(", "),
    suggestions: Object.keys(NETWORK_WORDS),
    shown: ({ network }) => network && networkName(network),
  },
  { name: "account" },
  {
    name: "advertiser_id",
    hint: "O código da loja nos relatórios da rede; vários, separados por vírgula.",
  },
  {
    name: "link_code",
    hint: "Só na Admitad: o código do link. Sem ele, o anunciante vale como código e as vendas são ligadas pela conta.",
    shown: ({ link_code, network }) =>
      link_code ?? (network === "admitad" ? "falta: as vendas são ligadas pela conta" : null),
  },
  {
    name: "merchant",
    hint: "Um pedido do mesmo comerciante paga uma vez só. Vazio: o endereço do site da loja.",
    shown: ({ merchant, store_url }) => merchant ?? URL.parse(store_url ?? "")?.hostname.replace(/^www\./, "") ?? null,
  },
  {
    name: "store_url",
    kind: "url",
    hint: "Na Awin e na Admitad o link pode ser montado dele.",
  },
  {
    name: "domains",
    hint: "Sites em que um link colado é desta loja, além do site dela, separados por vírgula. Encurtador: short:amzn.to.",
    shown: ({ domains }) => domains?.join(", ") || null,
  },
  {
    name: "mint_delay_seconds",
    kind: "duration",
    hint: "Como 3 dias ou 12 horas. Vazio: a da plataforma.",
    shown: ({ mint_delay_seconds }) => durationOf(mint_delay_seconds) ?? "a da plataforma",
  },
  {
    name: "hold_seconds",
    kind: "duration",
    hint: "Como 30 dias. Vazio: o da plataforma.",
    shown: ({ hold_seconds }) => durationOf(hold_seconds) ?? "o da plataforma",
  },
  {
    name: "claim_days",
    hint: "Vazio: os da plataforma.",
    shown: ({ claim_days }) => String(claim_days ?? "os da plataforma"),
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
  ...TEXT_FIELDS,
  ...LOGO_FIELDS,
  ...NETWORK_FIELDS,
  ...OTHER_LANGUAGES.flatMap(fieldsIn),
];

const DURATIONS = STORE_FIELDS.filter(({ kind }) => kind === "duration").map(({ name }) => name);

function durationOf(seconds: number | null): string | undefined {
  return seconds === null ? undefined : durationText(seconds, "pt");
}

export const EMPTY_STORE: StoreFields = {
  ...recordOf(keysOf(createStoreRequestSchema.shape), () => ""),
  featured: false,
};

/** A store as its form shows it. */
export function fieldsOf(store: StoreWithCategories): StoreFields {
  const texts = keysOf(EMPTY_STORE).map((name) => [name, String(store[name] ?? "")]);
  return { ...EMPTY_STORE, ...Object.fromEntries(texts), featured: store.featured };
}

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
