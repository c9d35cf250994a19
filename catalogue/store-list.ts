import { type SqlBool, sql } from "kysely";
import { type ListPage, readPage } from "../database/lists/page.ts";
import { byId, startsWith, startsWithTest } from "../database/lists/search.ts";
import type { ListSource, PageQuery } from "../database/lists/source.ts";
import type { Queries } from "../database/transaction.ts";
import { searchKey } from "../domain/search-key.ts";
import { readStores, type StoreWithCategories } from "./stores.ts";

/** Matching stores including drafts, with the ids of those whose name is not on chain yet. */
export async function listStorePage(queries: Queries, page: PageQuery): Promise<ListPage<StoreWithCategories>> {
  return readPage(queries, STORES, page, readStores, (row) => row.id);
}

/** `isOnOffer` in SQL. */
const READY = sql<SqlBool>`(
  (coalesce(affiliate_link, '') <> '' or (coalesce(network, '') <> '' and coalesce(advertiser_id, '') <> '' and coalesce(store_url, '') <> ''))
  and exists (select 1 from store_cashbacks where store_cashbacks.store_id = stores.id
    and store_cashbacks.deleted_at is null and store_cashbacks.cashback_bps > 0)
  and not exists (select 1 from operations where operations.kind = 'register_store' and operations.subject_id = stores.id
    and operations.status in ('queued', 'assigned', 'waiting', 'failed')))`;

/** The stores that are not on offer yet. */
export const IS_DRAFT = sql<SqlBool>`stores.deleted_at is null and not ${READY}`;

/** Catalogues have thousands of stores, not millions: a state is looked up store by store. */
const STORES: ListSource = {
  table: "stores",
  key: "id",
  keyType: "number",
  sorts: { id: { column: "id", type: "number" }, name: { column: "name_key", type: "text" } },
  only: sql<SqlBool>`stores.deleted_at is null`,
  state: (state) => (state === "ready" ? READY : sql<SqlBool>`not ${READY}`),
  matches(term, queries) {
    const name = searchKey(term);
    return [
      ...byId("stores", term),
      {
        keys: sql`select id as key from stores where deleted_at is null and ${startsWith(queries, "name_key", name)}`,
        test: startsWithTest(queries, "stores.name_key", name),
      },
    ];
  },
};
