import type { Store, StoreCashback, StoreTexts } from "../api/shapes.ts";
import { useLanguage } from "../i18n/language.tsx";

/** A store's texts in the user's language. docs/product.md#store-languages */
export function useStoreTexts(store: Store): StoreTexts & { nameOf: (category: StoreCashback) => string } {
  const { language } = useLanguage();
  return { ...store.texts[language], nameOf: ({ names }) => names[language] };
}
