/** The languages of screens, shared links and messages. The texts of screens are in `frontend/i18n/`. docs/product.md#language */
export const LOCALES = { pt: "pt-BR", en: "en" } as const;
export type Language = keyof typeof LOCALES;

/** Portuguese unless another was asked for. */
export const languageFrom = (asked: unknown): Language =>
  typeof asked === "string" && Object.hasOwn(LOCALES, asked) ? (asked as Language) : "pt";
