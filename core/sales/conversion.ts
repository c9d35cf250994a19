import type { Queries } from "../database/transaction.ts";

/** Of a store and a month: its clicks, and the sales that a click led to, declined ones left out. */
export type Conversion = { storeId: bigint; month: string; clicks: number; sales: number };

/** Of these stores, the months since `from` with a click or a sale, newest first. docs/product.md#panel-conversion */
export async function readConversion(
  queries: Queries,
  storeIds: readonly bigint[],
  from: string,
): Promise<Conversion[]> {
  if (storeIds.length === 0) return [];
  const [clicks, sales] = await Promise.all([
    queries
      .selectFrom("store_clicks")
      .select(["store_id", "month", "clicks as count"])
      .where("store_id", "in", storeIds)
      .where("month", ">=", from)
      .execute(),
    queries
      .selectFrom("sale_totals")
      .select(["store_id", "month", "clicked_sales as count"])
      .where("store_id", "in", storeIds)
      .where("month", ">=", from)
      .execute(),
  ]);
  const cells = new Map<string, Conversion>();
  const add = (figure: "clicks" | "sales", rows: typeof clicks) => {
    for (const { store_id: storeId, month, count } of rows) {
      const cell = cells.get(`${storeId} ${month}`) ?? { storeId, month, clicks: 0, sales: 0 };
      cells.set(`${storeId} ${month}`, { ...cell, [figure]: cell[figure] + Number(count) });
    }
  };
  add("clicks", clicks);
  add("sales", sales);
  return [...cells.values()]
    .filter((cell) => cell.clicks > 0 || cell.sales > 0)
    .sort((one, other) => (one.month < other.month ? 1 : -1));
}
