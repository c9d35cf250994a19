import { durationText, readDuration } from "../../../domain/duration.ts";
import { keysOf } from "../../../domain/records.ts";
import type { StoreFields } from "../admin-calls.ts";
import type { StoreWithCategories } from "../shapes.ts";
import { NETWORK_WORDS } from "../words.ts";

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
  link_code: "",
  merchant: "",
  store_url: "",
  mint_delay_seconds: "",
  hold_seconds: "",
  claim_days: "",
  featured: false,
};

/** A store as its form shows it. */
export function fieldsOf(store: StoreWithCategories): StoreFields {
  const texts = keysOf(EMPTY_STORE).map((name) => [name, String(store[name] ?? "")]);
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

type TextField = Exclude<keyof StoreFields, "featured">;
export type FieldDefinition = {
  name: TextField;
  label: string;
  type?: string;
  hint?: string;
  suggestions?: readonly string[];
  isLong?: true;
};

export const MAIN_FIELDS: readonly FieldDefinition[] = [
  {
    name: "name",
    label: "Nome *",
  },
  { name: "country", label: "País *", suggestions: COUNTRIES },
  { name: "club", label: "Clube" },
  { name: "category", label: "Categoria" },
  {
    name: "affiliate_link",
    label: "Link de afiliado",
    type: "url",
    hint: "{click} no link vira o código do clique; sem ele, vai no fim.",
  },
];

export const LOGO_FIELDS: readonly FieldDefinition[] = [{ name: "logo", label: "URL do logo", type: "url" }];
export const TEXT_FIELDS: readonly FieldDefinition[] = [
  { name: "description", label: "Descrição", isLong: true },
  {
    name: "terms",
    label: "Exclusões",
    isLong: true,
    hint: "O que não rende cashback nesta loja. Aparece na página dela e na compra.",
  },
];

/** The English texts, labelled in English. docs/product.md#store-languages. */
export const ENGLISH_FIELDS: readonly FieldDefinition[] = [
  { name: "country_en", label: "Country" },
  { name: "category_en", label: "Category" },
];
export const ENGLISH_TEXT_FIELDS: readonly FieldDefinition[] = [
  { name: "description_en", label: "Description", isLong: true },
  { name: "terms_en", label: "Exclusions", isLong: true },
];

/** The network that reports its sales. docs/product.md#sales. */
export const NETWORK_FIELDS: readonly FieldDefinition[] = [
  {
    name: "network",
    label: "Rede",
    hint: Object.keys(NETWORK_WORDS).join(", "),
    suggestions: Object.keys(NETWORK_WORDS),
  },
  { name: "account", label: "Conta na rede" },
  {
    name: "advertiser_id",
    label: "Anunciante",
    hint: "O código da loja nos relatórios da rede; vários, separados por vírgula.",
  },
  {
    name: "link_code",
    label: "Código do link",
    hint: "Só na Admitad: o código do link. Sem ele, o anunciante vale como código e as vendas são ligadas pela conta.",
  },
  {
    name: "merchant",
    label: "Comerciante",
    hint: "Um pedido do mesmo comerciante paga uma vez só. Vazio: o endereço do site da loja.",
  },
  {
    name: "store_url",
    label: "Site da loja",
    type: "url",
    hint: "Na Awin e na Admitad o link pode ser montado dele.",
  },
  {
    name: "mint_delay_seconds",
    label: "Espera antes do ingresso",
    hint: "Como 3 dias ou 12 horas. Vazio: a da plataforma.",
  },
  {
    name: "hold_seconds",
    label: "Prazo de segurança",
    hint: "Como 30 dias. Vazio: o da plataforma.",
  },
  {
    name: "claim_days",
    label: "Dias para reclamar",
    hint: "Vazio: os da plataforma.",
  },
];
