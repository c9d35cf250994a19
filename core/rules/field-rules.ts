/** The sentences of rules without figures, after the field's name. */
export const SENTENCES = {
  missing: "is missing",
  text: "must be a text",
  flag: "must be true or false",
  list: "must be a list",
  object: "must be an object with its fields",
  empty: "must not be empty",
  number: "must be a non-negative decimal number such as 12.50",
  finite: "must be a finite number",
  positive: "must be more than 0",
  whole: "must be a whole number",
  not_negative: "must not be negative",
  id: "must be a positive whole number",
  percent: "must be a percent such as 5.75",
  public_link: "must be a public https:// address",
  link_names: "must have nothing to fill but {click} and {url}",
  store_page: "must be a page of the store's shop: of its address or of one of its other sites",
  key: "must be 1 to 32 lower-case letters, digits and hyphens",
  domain: "must be domains such as shop.com, at most 20",
  slug: "must be lower-case letters, digits and hyphens",
  reserved: "must not name a page",
  names: "must be names with commas between them",
  colours: "must be two or three colours such as #c8102e",
  country_code: "must be the two letters of a country, such as BR",
  control_characters: "must not contain control characters",
  link: "must not begin like a link: explorers would make it one",
  hidden_characters: "must not contain invisible characters, characters that turn text around, or stacked accents",
  team_words: "must not contain a word that stands for the team or the system, such as admin or owner",
  contract: "must be a contract address",
  wallet: "must be a wallet address: 0x and 40 hex digits",
  click: "must be the id of a click",
  day: "must be a day such as 2026-11-20",
  month: "must be a month such as 2026-11",
  year: "must be a year such as 2026",
  email: "must be an e-mail address",
  file_format: "must be csv or json",
} as const;

export const LIMITS = {
  max_length: (max: number | string) => `must be at most ${max} characters`,
  max_bytes: (max: number | string) => `must be at most ${max} bytes (letters of some scripts count up to four times)`,
  max: (max: number | string) => `must be at most ${max}`,
  decimals: (max: number | string) => `must have at most ${max} decimals`,
  rows: (max: number | string) => `must be a whole number from 1 to ${max}`,
} as const;

export type PlainRule = keyof typeof SENTENCES;
export type LimitRule = keyof typeof LIMITS;
/** The rule that a field of a request breaks. docs/product.md#field-rules */
export type FieldRule = PlainRule | LimitRule | "unknown" | "one_of" | "other";
/** Figures of a rule: `max` of a limit, `values` of `one_of`. */
export type RuleParams = { max?: number | string; values?: readonly string[] };
export type BrokenRule = { rule: FieldRule; params?: RuleParams };

/** A rule's sentence, as a message of a schema. */
export const must = (rule: PlainRule): string => SENTENCES[rule];
export const limit = (rule: LimitRule, max: number | string): string => LIMITS[rule](max);

/** A limit that Zod knows nothing of, as the options of a `refine` or an issue of a `transform`. */
export const custom = (rule: LimitRule, max: number | string) => ({
  message: limit(rule, max),
  params: { rule, max } as const,
});
