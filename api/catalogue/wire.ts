import type { StoreCategory } from "../../catalogue/categories.ts";
import type { FanTokenRow } from "../../catalogue/fan-tokens.ts";
import { fieldsOf, lacksOf, type StoreWithCategories } from "../../catalogue/stores.ts";
import type { FanToken, Store, StoreCashback } from "../../domain/api/catalogue.ts";
import { cashbackRange, cashbackRangeText } from "../../domain/cashback.ts";
import { percentText } from "../../domain/money.ts";

/** A store as the API returns it: percents as text, their range also as numbers. docs/product.md#api-shapes */
export function toWireStore(store: StoreWithCategories): Store {
  const allBps = store.categories.map((category) => category.cashbackBps);
  const range = cashbackRange(allBps) ?? { minBps: 0n, maxBps: 0n };
  // Most stores have none of these texts.
  const { terms, country_en, category_en, description_en, terms_en, ...fields } = fieldsOf(store);
  return {
    id: Number(store.id),
    ...fields,
    ...withoutNulls({ terms, country_en, category_en, description_en, terms_en }),
    is_draft: lacksOf(store).length > 0,
    cashback: cashbackRangeText(allBps),
    cashback_min: Number(percentText(range.minBps)),
    cashback_max: Number(percentText(range.maxBps)),
    max_cashback: Number(percentText(range.maxBps)),
    cashbacks: store.categories.map(toWireCategory),
  };
}

export function toWireCategory(category: StoreCategory): StoreCashback {
  return {
    id: Number(category.id),
    category: category.category,
    ...(category.categoryEn === null ? {} : { category_en: category.categoryEn }),
    cashback_percent: percentText(category.cashbackBps),
    ...(category.groupCode === null ? {} : { group_code: category.groupCode }),
    ...(category.isDefault ? { is_default: true as const } : {}),
  };
}

function withoutNulls(fields: object) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

export function toWireFanToken(token: FanTokenRow): FanToken {
  return {
    id: Number(token.id),
    name: token.name,
    slug: token.slug,
    image: token.image,
    symbol: token.symbol,
    contract: token.contract,
  };
}
