import { sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { cashbackOfCentBps } from "../domain/cashback.ts";
import type { PurchaseStatus } from "../domain/purchase/life.ts";
import { payoutSums, readShopTotals } from "./totals.ts";

/** Counting stops at this number. */
const COUNTED_OPERATIONS = 10_000;

/** The figures of the whole shop; `rate` applies to cashback without a frozen rate. */
export async function readFigures(queries: Queries, weiPerCent: bigint) {
  const [stores, totals, queued, failed] = await Promise.all([
    queries
      .selectFrom("stores")
      .select(sql<bigint>`count(*)`.as("n"))
      .where("deleted_at", "is", null)
      .executeTakeFirstOrThrow(),
    readShopTotals(queries),
    countOperations(queries, "queued"),
    countOperations(queries, "failed"),
  ]);
  const byStatus: Record<PurchaseStatus, number> = {
    processing: Number(totals.processing),
    pending: Number(totals.pending),
    confirmed: Number(totals.confirmed),
    cancelled: Number(totals.cancelled),
  };
  return {
    stores: Number(stores.n),
    users: Number(totals.users),
    byStatus,
    paidGwei: payoutSums(totals).paid,
    openGwei: totals.open_gwei + cashbackOfCentBps(totals.open_cent_bps, weiPerCent),
    queued,
    failed,
  };
}

async function countOperations(queries: Queries, status: "queued" | "failed"): Promise<number> {
  const { n } = await queries
    .selectFrom((from) =>
      from.selectFrom("operations").select("id").where("status", "=", status).limit(COUNTED_OPERATIONS).as("some"),
    )
    .select(sql<bigint>`count(*)`.as("n"))
    .executeTakeFirstOrThrow();
  return Number(n);
}
