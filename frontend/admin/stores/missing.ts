import type { StoreWithCategories } from "../shapes.ts";

type Sold = Pick<StoreWithCategories, "affiliate_link" | "cashback_max"> &
  Partial<Pick<StoreWithCategories, "network" | "account" | "advertiser_id" | "store_url" | "is_draft">>;

/** What a store lacks to sell. docs/product.md#store-draft. */
export function missingOf(store: Sold): ("link" | "rate" | "chain_name")[] {
  const isBuilt = store.network && store.advertiser_id && store.store_url;
  const missing: ("link" | "rate")[] = [
    ...(store.affiliate_link || isBuilt ? [] : (["link"] as const)),
    ...(store.cashback_max > 0 ? [] : (["rate"] as const)),
  ];
  // Only the server knows which names are on chain.
  return missing.length === 0 && store.is_draft ? ["chain_name"] : missing;
}
