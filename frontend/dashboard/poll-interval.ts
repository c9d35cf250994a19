import type { PurchaseRecord } from "../../domain/api/purchases.ts";
import type { Profile } from "../api/shapes.ts";

const LIVE_MS = 1_000;
const SLOW_MS = 30_000;
const FRESH_MS = 15 * 60_000;

/** How often the profile is read: every second while a new purchase is in progress, otherwise every half minute. */
export function pollIntervalMs(profile: Profile, nowMs = Date.now()): number {
  return profile.purchases.some((one) => isInFlight(one) && isFresh(one, nowMs)) ? LIVE_MS : SLOW_MS;
}

export function isInFlight(purchase: PurchaseRecord): boolean {
  if (purchase.status === "processing" || purchase.status === "pending") return true;
  return purchase.status === "confirmed" && purchase.cashback_state === "unpaid";
}

/** Whether its buyer may still be waiting for it on the page. */
export function isFresh(purchase: PurchaseRecord, nowMs: number): boolean {
  return nowMs - Date.parse(purchase.created_at) < FRESH_MS;
}
