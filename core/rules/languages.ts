type Row = {
  /** For numbers, dates and `lang` attributes. */
  locale: string;
  /** As its readers call it, and its short form on a button. */
  name: string;
  short: string;
  /** For previews of shared links. */
  openGraph: string;
};

/**
 * The languages of screens, shared links and messages; the first is the default. A new one is a line here and a file of
 * texts in `core/rules/languages/`, and the columns of its `translations`. docs/product.md#language
 */
export const LANGUAGES = {
  pt: { locale: "pt-BR", name: "Português", short: "PT", openGraph: "pt_BR" },
  en: { locale: "en", name: "English", short: "EN", openGraph: "en_US" },
} as const satisfies Record<string, Row>;

export type Language = keyof typeof LANGUAGES;
export type OtherLanguage = Exclude<Language, typeof DEFAULT_LANGUAGE>;

export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as [Language, ...Language[]];
export const DEFAULT_LANGUAGE = "pt";
export const OTHER_LANGUAGES = LANGUAGE_NAMES.slice(1) as OtherLanguage[];

/** The default unless another was asked for. */
export const languageFrom = (asked: unknown): Language =>
  LANGUAGE_NAMES.find((language) => language === asked) ?? DEFAULT_LANGUAGE;

/** The one after it in the table, and the first after the last. */
export const languageAfter = (language: Language): Language =>
  LANGUAGE_NAMES[(LANGUAGE_NAMES.indexOf(language) + 1) % LANGUAGE_NAMES.length] ?? DEFAULT_LANGUAGE;

/** Fields of the catalogue, each once for every other language: `category_en`. docs/product.md#store-languages */
export type Translations<Fields> = {
  [Field in keyof Fields & string as `${Field}_${OtherLanguage}`]: Fields[Field];
};

export function translations<Fields extends object>(fields: Fields): Translations<Fields> {
  const own = Object.entries(fields);
  const all = OTHER_LANGUAGES.flatMap((language) => own.map(([field, value]) => [`${field}_${language}`, value]));
  return Object.fromEntries(all) as Translations<Fields>;
}

/** A text of a row in a language, or in the default one where it has no other; empty if it has none. */
export function textIn<Field extends string>(
  row: { readonly [Name in Field | `${Field}_${OtherLanguage}`]?: string | null },
  field: Field,
  language: Language,
): string {
  const texts: Readonly<Record<string, string | null | undefined>> = row;
  return texts[`${field}_${language}`]?.trim() || texts[field]?.trim() || "";
}
