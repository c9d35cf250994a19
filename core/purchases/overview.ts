import { sql } from "kysely";
import { countOf } from "../database/capped-count.ts";
import { inStretch } from "../database/index-range.ts";
import type { Queries } from "../database/transaction.ts";
import { cashbackOfCentBps } from "../rules/cashback.ts";
import { PURCHASE_STATUSES } from "../rules/purchase/life.ts";
import { COUNTED_SITUATIONS, type CountedSituation } from "../rules/purchase/situation.ts";
import { recordOf } from "../rules/records.ts";
import { operationsIn } from "../sender/queue.ts";
import { payoutSums, readShopTotals, situationTotal } from "./shop-totals.ts";

/** The figures of the whole shop; `rate` applies to cashback without a frozen rate. */
export async function readFigures(queries: Queries, weiPerCent: bigint) {
  const [totals, counts] = await Promise.all([readShopTotals(queries), readCounts(queries)]);
  return {
    ...counts,
    users: Number(totals.users),
    byStatus: recordOf(PURCHASE_STATUSES, (status) => Number(totals[status])),
    paidGwei: payoutSums(totals).paid,
    openGwei: totals.open_gwei + cashbackOfCentBps(totals.open_cent_bps, weiPerCent),
  };
}

/** How many purchases their last change led to each situation. docs/product.md#situations */
export async function readSituations(queries: Queries): Promise<Record<CountedSituation, number>> {
  const totals = await readShopTotals(queries);
  return recordOf(COUNTED_SITUATIONS, (situation) => Number(totals[situationTotal(situation)]));
}

/** One statement, because on PostgreSQL each one costs a round trip. */
async function readCounts(queries: Queries): Promise<{ stores: number; queued: number; failed: number }> {
  const countOperations = (status: "queued" | "failed") =>
    countOf(sql`select 1 from operations ${inStretch(queries, operationsIn(status))}`);
  const { rows } = await sql<Record<"stores" | "queued" | "failed", bigint>>`select
    (select count(*) from stores where deleted_at is null) as stores,
    ${countOperations("queued")} as queued, ${countOperations("failed")} as failed`.execute(queries);
  return { stores: Number(rows[0]?.stores), queued: Number(rows[0]?.queued), failed: Number(rows[0]?.failed) };
}
