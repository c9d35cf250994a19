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
 * texts in `domain/languages/`. docs/product.md#language
 */
export const LANGUAGES = {
  pt: { locale: "pt-BR", name: "Português", short: "PT", openGraph: "pt_BR" },
  en: { locale: "en", name: "English", short: "EN", openGraph: "en_US" },
} as const satisfies Record<string, Row>;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as [Language, ...Language[]];
export const [DEFAULT_LANGUAGE] = LANGUAGE_NAMES;

/** The default unless another was asked for. */
export const languageFrom = (asked: unknown): Language =>
  LANGUAGE_NAMES.find((language) => language === asked) ?? DEFAULT_LANGUAGE;

/** The one after it in the table, and the first after the last. */
export const languageAfter = (language: Language): Language =>
  LANGUAGE_NAMES[(LANGUAGE_NAMES.indexOf(language) + 1) % LANGUAGE_NAMES.length] ?? DEFAULT_LANGUAGE;
