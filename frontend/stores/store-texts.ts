import type { Language } from "../../domain/languages.ts";
import type { Store, StoreCashback } from "../api/shapes.ts";
import { useLanguage } from "../i18n/language.tsx";

export type StoreTexts = Pick<Store, "country" | "category" | "description" | "terms">;

/** A store's texts, in the user's language if available. docs/product.md#store-languages */
export function storeTexts(store: Store, language: Language): StoreTexts {
  const { country, category, description, terms, english } = store;
  const own = { country, category, description, terms };
  return language === "en" ? { ...own, ...english } : own;
}

export function useStoreTexts(store: Store): StoreTexts & { nameOf: (category: StoreCashback) => string } {
  const { language } = useLanguage();
  return {
    ...storeTexts(store, language),
    nameOf: ({ category, categoryEn }) => (language === "en" && categoryEn ? categoryEn : category),
  };
}
