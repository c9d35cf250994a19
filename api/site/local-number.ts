import type { StoreWithCategories } from "../../core/catalogue/stores.ts";
import { LANGUAGES, type Language } from "../../core/rules/languages.ts";

export const localNumber = (text: string, language: Language): string =>
  new Intl.NumberFormat(LANGUAGES[language].locale, {
    minimumFractionDigits: text.split(".")[1]?.length ?? 0,
  }).format(Number(text));

/** "R$ 1.370,90", "R$1,370.90". */
export const localReais = (cents: bigint, language: Language): string =>
  new Intl.NumberFormat(LANGUAGES[language].locale, { style: "currency", currency: "BRL" }).format(Number(cents) / 100);

/** The highest percent of a store, in basis points, and whether others are lower. */
export function rateOf({ categories }: StoreWithCategories): { highest: bigint; isRange: boolean } {
  const highest = categories.reduce((best, one) => (one.cashbackBps > best ? one.cashbackBps : best), 0n);
  return { highest, isRange: categories.some((one) => one.cashbackBps !== highest) };
}
