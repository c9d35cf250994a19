import { listStorePage } from "../../catalogue/store-list.ts";
import { lacksOf, type StoreWithCategories } from "../../catalogue/stores.ts";
import { type AdminStore, adminStoreSchema, storesListQuerySchema } from "../../domain/api/admin-catalogue.ts";
import { toWireStore } from "../catalogue/wire.ts";
import { listRoute } from "../http/list-route.ts";
import type { Route } from "../http/route.ts";
import { isoTime } from "../sales/list-answer.ts";
import type { Services } from "../services.ts";

/** Stores for those who look after them: drafts with what they lack. docs/product.md#store-draft */
export function storeAdministrationRoutes({ database }: Services): Route[] {
  return [
    listRoute({
      path: "/api/admin/stores",
      summary: "Stores, drafts too, newest first, each with what it lacks to be on offer",
      row: adminStoreSchema,
      query: storesListQuerySchema,
      async list(query) {
        const { rows, ...page } = await listStorePage(database.kysely, query);
        return { ...page, rows: rows.map(toWireAdminStore) };
      },
    }),
  ];
}

function toWireAdminStore(store: StoreWithCategories): AdminStore {
  const missing = lacksOf(store);
  return {
    ...toWireStore(store),
    state: missing.length > 0 ? "draft" : "ready",
    missing,
    created_at: isoTime(store.created_at),
    updated_at: isoTime(store.updated_at),
  };
}
