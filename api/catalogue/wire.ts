import type { FanTokenRow } from "../../catalogue/fan-tokens.ts";
import { lacksOf, type StoreCategory, type StoreWithCategories } from "../../catalogue/stores.ts";
import type { FanToken, Store, StoreCashback } from "../../domain/api/catalogue.ts";
import { cashbackRange, cashbackRangeText } from "../../domain/cashback.ts";
import { percentText } from "../../domain/money.ts";

export function toWireStore(store: StoreWithCategories): Store {
  const allBps = store.categories.map((category) => category.cashbackBps);
  const range = cashbackRange(allBps) ?? { minBps: 0n, maxBps: 0n };
  return {
    id: Number(store.id),
    name: store.name,
    country: store.country,
    club: store.club,
    category: store.category,
    description: store.description,
    ...textsOf(store),
    logo: store.logo,
    featured: store.featured === 1n,
    is_draft: lacksOf(store).length > 0,
    affiliate_link: store.affiliate_link,
    network: store.network,
    account: store.account,
    advertiser_id: store.advertiser_id,
    store_url: store.store_url,
    mint_delay_seconds: numberIfAny(store.mint_delay_seconds),
    hold_seconds: numberIfAny(store.hold_seconds),
    claim_days: numberIfAny(store.claim_days),
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

/** Optional texts of a store; most stores have none. */
function textsOf({ terms, country_en, category_en, description_en, terms_en }: StoreWithCategories) {
  return Object.fromEntries(
    Object.entries({ terms, country_en, category_en, description_en, terms_en }).filter(([, text]) => text !== null),
  );
}

function numberIfAny(value: bigint | null): number | null {
  return value === null ? null : Number(value);
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
