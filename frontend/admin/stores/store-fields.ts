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
  maxLength: number;
  type?: string;
  hint?: string;
  problem: string;
  suggestions?: readonly string[];
  isLong?: true;
};

const TOO_LONG = "Este texto é longo demais.";
const NOT_HTTPS = "Informe um endereço que comece com https://.";
const NOT_DURATION = "Escreva como 3 dias, 12 horas ou 30 minutos, até um ano.";
const NOT_COUNT = "Informe um número inteiro, sem sinal.";
export const MAIN_FIELDS: readonly FieldDefinition[] = [
  {
    name: "name",
    label: "Nome *",
    maxLength: 40,
    problem: "Use até 40 caracteres; letras com acento contam por dois.",
  },
  { name: "country", label: "País *", maxLength: 60, problem: TOO_LONG, suggestions: COUNTRIES },
  { name: "club", label: "Clube", maxLength: 60, problem: TOO_LONG },
  { name: "category", label: "Categoria", maxLength: 60, problem: TOO_LONG },
  {
    name: "affiliate_link",
    label: "Link de afiliado",
    maxLength: 2_048,
    type: "url",
    hint: "{click} no link vira o código do clique; sem ele, vai no fim.",
    problem: NOT_HTTPS,
  },
];

export const LOGO_FIELDS: readonly FieldDefinition[] = [
  { name: "logo", label: "URL do logo", maxLength: 2_048, type: "url", problem: NOT_HTTPS },
];
export const TEXT_FIELDS: readonly FieldDefinition[] = [
  { name: "description", label: "Descrição", maxLength: 1_000, isLong: true, problem: TOO_LONG },
  {
    name: "terms",
    label: "Exclusões",
    maxLength: 1_000,
    isLong: true,
    hint: "O que não rende cashback nesta loja. Aparece na página dela e na compra.",
    problem: TOO_LONG,
  },
];

/** The English texts, labelled in English. docs/product.md#store-languages. */
export const ENGLISH_FIELDS: readonly FieldDefinition[] = [
  { name: "country_en", label: "Country", maxLength: 60, problem: TOO_LONG },
  { name: "category_en", label: "Category", maxLength: 60, problem: TOO_LONG },
];
export const ENGLISH_TEXT_FIELDS: readonly FieldDefinition[] = [
  { name: "description_en", label: "Description", maxLength: 1_000, isLong: true, problem: TOO_LONG },
  { name: "terms_en", label: "Exclusions", maxLength: 1_000, isLong: true, problem: TOO_LONG },
];

/** The network that reports its sales. docs/product.md#sales. */
export const NETWORK_FIELDS: readonly FieldDefinition[] = [
  {
    name: "network",
    label: "Rede",
    maxLength: 32,
    hint: Object.keys(NETWORK_WORDS).join(", "),
    problem: "Use letras minúsculas, números e hífens.",
    suggestions: Object.keys(NETWORK_WORDS),
  },
  { name: "account", label: "Conta na rede", maxLength: 32, problem: "Use letras minúsculas, números e hífens." },
  {
    name: "advertiser_id",
    label: "Anunciante",
    maxLength: 200,
    hint: "O código da loja nos relatórios da rede; vários, separados por vírgula.",
    problem: TOO_LONG,
  },
  {
    name: "link_code",
    label: "Código do link",
    maxLength: 64,
    hint: "Só na Admitad: o código do link. Sem ele, o anunciante vale como código e as vendas são ligadas pela conta.",
    problem: TOO_LONG,
  },
  {
    name: "merchant",
    label: "Comerciante",
    maxLength: 120,
    hint: "Um pedido do mesmo comerciante paga uma vez só. Vazio: o endereço do site da loja.",
    problem: TOO_LONG,
  },
  {
    name: "store_url",
    label: "Site da loja",
    maxLength: 2_048,
    type: "url",
    hint: "Na Awin e na Admitad o link pode ser montado dele.",
    problem: NOT_HTTPS,
  },
  {
    name: "mint_delay_seconds",
    label: "Espera antes do ingresso",
    maxLength: 60,
    hint: "Como 3 dias ou 12 horas. Vazio: a da plataforma.",
    problem: NOT_DURATION,
  },
  {
    name: "hold_seconds",
    label: "Prazo de segurança",
    maxLength: 60,
    hint: "Como 30 dias. Vazio: o da plataforma.",
    problem: NOT_DURATION,
  },
  {
    name: "claim_days",
    label: "Dias para reclamar",
    maxLength: 3,
    hint: "Vazio: os da plataforma.",
    problem: NOT_COUNT,
  },
];
