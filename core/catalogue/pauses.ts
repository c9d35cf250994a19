import { among } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import { orderStores } from "./store-search.ts";
import { bumpCatalogueVersion } from "./version.ts";

/** Why buyers cannot go to a store for now, by what its network says. docs/product.md#programmes-paused */
export const PAUSE_REASONS = ["paused", "ended", "left", "no_commission"] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Pauses stores, or with null lets them sell again. */
export async function pauseStores(queries: Queries, ids: readonly bigint[], reason: PauseReason | null): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable("stores")
    .set({ paused_since: reason === null ? null : BigInt(Date.now()), paused_reason: reason })
    .where(among(queries, "id", ids))
    .where("paused_since", reason === null ? "is not" : "is", null)
    .execute();
  await bumpCatalogueVersion(queries);
  await orderStores(queries, ids);
}
