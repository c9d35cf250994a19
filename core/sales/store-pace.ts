import { LRUCache } from "lru-cache";
import type { Queries } from "../database/transaction.ts";
import { type StorePace, type StorePaces, usualDays } from "../rules/sale/pace.ts";

/** So many of a store's last sales tell how long a step usually takes. docs/product.md#sales-pace */
const LAST = 40;
/** A pace changes slowly, and is read for each visitor. */
const KEPT_MS = 3_600_000;
const KEPT_STORES = 1_000;

export function storePaces(queries: Queries): StorePaces {
  const kept = new LRUCache<string, StorePace>({
    max: KEPT_STORES,
    ttl: KEPT_MS,
    fetchMethod: (storeId) => readStorePace(queries, BigInt(storeId)),
  });
  return { of: (storeId) => kept.forceFetch(String(storeId)) };
}

/** How long a store usually takes for each step, from the last sales that took it. */
export async function readStorePace(queries: Queries, storeId: bigint): Promise<StorePace> {
  const [report, confirm, pay] = await Promise.all([
    lastReports(queries, storeId),
    lastConfirmations(queries, storeId),
    lastPayments(queries, storeId),
  ]);
  return { report: daysOf(report), confirm: daysOf(confirm), pay: daysOf(pay) };
}

type Stretch = { from: bigint | null; to: bigint | null };

function daysOf(rows: readonly Stretch[]): number | null {
  return usualDays(rows.flatMap(({ from, to }) => (from === null || to === null ? [] : [to - from]))) ?? null;
}

/** From the click to the first report. */
function lastReports(queries: Queries, storeId: bigint): Promise<Stretch[]> {
  return queries
    .selectFrom("sales")
    .innerJoin("clicks", "clicks.id", "sales.click_id")
    .select(["clicks.created_at as from", "sales.created_at as to"])
    .where("sales.store_id", "=", storeId)
    .where("sales.click_id", "is not", null)
    .orderBy("sales.created_at", "desc")
    .limit(LAST)
    .execute();
}

/** From the first report to the approval. */
function lastConfirmations(queries: Queries, storeId: bigint): Promise<Stretch[]> {
  return queries
    .selectFrom("sales")
    .select(["created_at as from", "approved_at as to"])
    .where("store_id", "=", storeId)
    .where("approved_at", "is not", null)
    .orderBy("approved_at", "desc")
    .limit(LAST)
    .execute();
}

/** From the approval to the payout. */
function lastPayments(queries: Queries, storeId: bigint): Promise<Stretch[]> {
  return queries
    .selectFrom("purchases")
    .select(["approved_at as from", "settled_at as to"])
    .where("store_id", "=", storeId)
    .where("settled_at", "is not", null)
    .where("approved_at", "is not", null)
    .where("reversed_at", "is", null)
    .orderBy("settled_at", "desc")
    .limit(LAST)
    .execute();
}
