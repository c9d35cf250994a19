import type { StoreWithCategories } from "../../core/catalogue/stores.ts";
import { LANGUAGES, type Language } from "../../core/rules/languages.ts";
import { percentText } from "../../core/rules/money.ts";
import { payableOf, promiseOf } from "../../core/rules/promise.ts";
import type { SaleRules } from "../../core/rules/sale/rules.ts";

export const localNumber = (text: string, language: Language): string =>
  new Intl.NumberFormat(LANGUAGES[language].locale, {
    minimumFractionDigits: text.split(".")[1]?.length ?? 0,
  }).format(Number(text));

/** "R$ 1.370,90", "R$1,370.90". */
export const localReais = (cents: bigint, language: Language): string =>
  new Intl.NumberFormat(LANGUAGES[language].locale, { style: "currency", currency: "BRL" }).format(Number(cents) / 100);

/** "outubro de 2026" */
export const monthName = (month: string, language: Language): string =>
  new Intl.DateTimeFormat(LANGUAGES[language].locale, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

/** What a shared link promises whoever reads it: a visitor's. docs/product.md#promise */
export function visitorsPromise(
  store: StoreWithCategories,
  language: Language,
  mode: Pick<SaleRules, "isLive">,
): { percent: string; isRange: boolean; totalBps: bigint } {
  const payable = payableOf(store.categories, mode);
  const categories = payable.map(({ cashbackBps }) => ({ bps: cashbackBps, boostEndsAt: null }));
  const { totalBps, isRange } = promiseOf({ ...store, categories }, undefined);
  return { percent: localNumber(percentText(totalBps), language), isRange, totalBps };
}
