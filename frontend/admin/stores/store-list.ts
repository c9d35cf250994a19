import { getStores } from "../../api/calls.ts";
import { ApiError } from "../../api/http.ts";
import type { Store } from "../../api/shapes.ts";
import type { Page } from "../list/definition.ts";
import { type Asked, getPage, PAGE_ROWS } from "../list/list-calls.ts";
import type { ListedStore, StoreWithCategories } from "../shapes.ts";

type Sold = Pick<StoreWithCategories, "affiliate_link" | "cashback_max"> &
  Partial<Pick<StoreWithCategories, "network" | "account" | "advertiser_id" | "store_url" | "is_draft">>;

export const STORES_PATH = "/api/admin/stores";

/** A store in the list. */
export type StoreRow = Pick<ListedStore, "name" | "country" | "club" | "category" | "logo" | "state" | "missing"> & {
  id: string;
  maxCashback: number;
};

/** The server's page; from an api without that call, a page of all stores. */
export async function loadStores(asked: Asked, signal: AbortSignal): Promise<Page<StoreRow>> {
  try {
    const page = await getPage<ListedStore>(STORES_PATH, asked, signal);
    return {
      ...page,
      rows: page.rows.map(({ id, cashback_max, ...row }) => ({ ...row, id: String(id), maxCashback: cashback_max })),
    };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    return pageOf((await getStores({ signal })).map(toRow), asked);
  }
}

function toRow(store: Store): StoreRow {
  const missing = missingOf({ affiliate_link: store.affiliateLink, cashback_max: store.maxCashback });
  return { ...store, missing, state: missing.length > 0 ? "draft" : "ready" };
}

function pageOf(stores: readonly StoreRow[], { query, state, before }: Asked): Page<StoreRow> {
  const wanted = query.toLowerCase();
  const found = stores.filter(
    (store) => (!state || store.state === state) && (store.name.toLowerCase().includes(wanted) || store.id === wanted),
  );
  const start = Number(before ?? 0);
  const end = start + PAGE_ROWS;
  return { rows: found.slice(start, end), next_before: end < found.length ? end : null, total: found.length };
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
