import type { Queries } from "../database/transaction.ts";
import { usualDays } from "../domain/sale/pace.ts";

/** The store's last sales with a visit tell how long it usually takes. */
const SALES = 40;

/** How many days a store usually takes to report a sale after the visit; null while it has too few of them. */
export async function usualReportDays(queries: Queries, storeId: bigint): Promise<number | null> {
  const rows = await queries
    .selectFrom("sales")
    .innerJoin("clicks", "clicks.id", "sales.click_id")
    .select(["sales.created_at as reported_at", "clicks.created_at as visited_at"])
    .where("sales.store_id", "=", storeId)
    .where("sales.click_id", "is not", null)
    .orderBy("sales.created_at", "desc")
    .limit(SALES)
    .execute();
  return usualDays(rows.map(({ reported_at, visited_at }) => reported_at - visited_at)) ?? null;
}
