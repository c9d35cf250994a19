import type { Page } from "../list/definition.ts";
import { type Asked, getPage } from "../list/list-calls.ts";
import type { ListedStore, StoreWithCategories } from "../shapes.ts";

type Sold = Pick<StoreWithCategories, "affiliate_link" | "cashback_max"> &
  Partial<Pick<StoreWithCategories, "network" | "account" | "advertiser_id" | "store_url" | "is_draft">>;

export const STORES_PATH = "/api/admin/stores";

/** A store in the list. */
export type StoreRow = Pick<ListedStore, "name" | "country" | "club" | "category" | "logo" | "state" | "missing"> & {
  id: string;
  maxCashback: number;
};

export async function loadStores(asked: Asked, signal: AbortSignal): Promise<Page<StoreRow>> {
  const page = await getPage<ListedStore>(STORES_PATH, asked, signal);
  return {
    ...page,
    rows: page.rows.map(({ id, cashback_max, ...row }) => ({ ...row, id: String(id), maxCashback: cashback_max })),
  };
}

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
