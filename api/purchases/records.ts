import type { PurchaseRecord } from "../../domain/api/purchases.ts";
import type { Purchase } from "../../purchases/queries.ts";
import { type PurchaseView, toPurchaseRecord } from "../../purchases/view.ts";
import type { Services } from "../services.ts";

/** Purchases as their buyer sees them, with the usual day of what an open one waits for. */
export async function toPurchaseRecords(
  { paces }: Pick<Services, "paces">,
  purchases: readonly Purchase[],
  view: PurchaseView,
): Promise<PurchaseRecord[]> {
  const waiting = purchases.filter((one) => one.source === "live" && one.settled_at === null);
  const stores = [...new Set(waiting.map((one) => one.store_id))];
  const known = new Map(await Promise.all(stores.map(async (id) => [id, await paces.of(id)] as const)));
  return purchases.map((one) => toPurchaseRecord(one, view, known.get(one.store_id)));
}
