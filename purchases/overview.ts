import { sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { CHAIN_STATUS, type PurchaseStatus } from "../domain/purchase/life.ts";

/** The figures of the whole shop. */
export async function readFigures(queries: Queries) {
  const count = sql<bigint>`count(*)`;
  const stores = await queries
    .selectFrom("stores")
    .select(count.as("n"))
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  const users = await queries
    .selectFrom("users")
    .select(count.as("n"))
    .where("erased_at", "is", null)
    .executeTakeFirstOrThrow();
  const statuses = await queries
    .selectFrom("purchases")
    .leftJoin("nfts", (join) =>
      join.onRef("nfts.token_id", "=", "purchases.id").onRef("nfts.owner", "=", "purchases.wallet"),
    )
    .select(["nfts.status", count.as("n")])
    .groupBy("nfts.status")
    .execute();
  const paid = await queries
    .selectFrom("payouts")
    .select(sql<bigint | string | null>`sum(amount_gwei)`.as("gwei"))
    .executeTakeFirstOrThrow();
  const operations = await queries
    .selectFrom("operations")
    .select(["status", count.as("n")])
    .where("status", "in", ["queued", "failed"])
    .groupBy("status")
    .execute();
  const ofStatus = (status: number | null) =>
    Number(statuses.find((row) => (row.status === null ? null : Number(row.status)) === status)?.n ?? 0n);
  const byStatus: Record<PurchaseStatus, number> = {
    processing: ofStatus(null),
    pending: ofStatus(CHAIN_STATUS.pending),
    confirmed: ofStatus(CHAIN_STATUS.confirmed),
    cancelled: ofStatus(CHAIN_STATUS.cancelled),
  };
  const ofOperations = (status: string) => Number(operations.find((row) => row.status === status)?.n ?? 0n);
  return {
    stores: Number(stores.n),
    users: Number(users.n),
    byStatus,
    paidGwei: BigInt(paid.gwei ?? 0n),
    queued: ofOperations("queued"),
    failed: ofOperations("failed"),
  };
}

/** Unpaid cashback by rate, as sums of cents × basis points, so that it is exact whatever the rate. */
export async function listOpenCashback(queries: Queries): Promise<{ weiPerCent: bigint | null; centBps: bigint }[]> {
  const rows = await queries
    .selectFrom("purchases")
    .select(["wei_per_cent", sql<bigint | string>`sum(cashback_cent_bps)`.as("cent_bps")])
    .where("settled_at", "is", null)
    .where("reversed_at", "is", null)
    .groupBy("wei_per_cent")
    .execute();
  return rows.map((row) => ({ weiPerCent: row.wei_per_cent, centBps: BigInt(row.cent_bps) }));
}
