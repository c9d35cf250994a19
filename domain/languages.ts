/** The languages of screens, shared links and messages. The texts of screens are in `frontend/i18n/`. docs/product.md#language */
export type Language = "pt" | "en";

/** Portuguese unless English was asked for. */
export const languageFrom = (asked: unknown): Language => (asked === "en" ? "en" : "pt");
