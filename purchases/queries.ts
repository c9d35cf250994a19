import { randomBytes } from "node:crypto";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { databaseNow, engineOf } from "../database/clock.ts";
import type { Queries } from "../database/transaction.ts";
import { LIST_LIMIT } from "../domain/product.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { recountPurchases } from "./totals.ts";

export type NewPurchase = {
  wallet: WalletAddress;
  storeId: bigint;
  storeName: string;
  amountCents: bigint;
  cashbackBps: bigint;
  bonusBps: bigint;
  tokenSlug: string | null;
  holdingsBlock: bigint | null;
  source: "simulated" | "live";
  /** Of a purchase of a sale: which, and its exact cashback. */
  sale?: { id: bigint; centBps: bigint };
};

/** A purchase with its ticket and payout. */
export type Purchase = Awaited<ReturnType<typeof listPurchases>>[number];

/**
 * Freezes the terms of a purchase. Its id is its token id, so it must be above every indexed token: a new
 * database in front of used contracts would otherwise assign somebody else's token.
 */
export async function insertPurchase(
  queries: Queries,
  purchase: NewPurchase,
): Promise<{ id: bigint; createdAt: bigint; clickId: string }> {
  const createdAt = BigInt(Date.now());
  const clickId = randomBytes(16).toString("hex");
  const values = {
    wallet: purchase.wallet,
    store_id: purchase.storeId,
    store_name: purchase.storeName,
    amount_cents: purchase.amountCents,
    cashback_bps: purchase.cashbackBps,
    bonus_bps: purchase.bonusBps,
    sale_id: purchase.sale?.id ?? null,
    cashback_cent_bps: purchase.sale?.centBps ?? purchase.amountCents * (purchase.cashbackBps + purchase.bonusBps),
    token_slug: purchase.tokenSlug,
    holdings_block: purchase.holdingsBlock,
    source: purchase.source,
    click_id: clickId,
    created_at: createdAt,
    metadata_uri: "",
  };
  const insert = (id?: bigint) =>
    queries
      .insertInto("purchases")
      .values(id === undefined ? values : { ...values, id })
      .returning("id")
      .executeTakeFirstOrThrow();
  const { id } = await insert();
  const highest = await queries
    .selectFrom("nfts")
    .select("token_id")
    .orderBy("token_id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (highest === undefined || id > highest.token_id) {
    await recountPurchases(queries, [id]);
    return { id, createdAt, clickId };
  }
  await queries.deleteFrom("purchases").where("id", "=", id).execute();
  // SQLite continues from the highest id by itself; PostgreSQL's sequence must be moved.
  if (engineOf(queries) === "postgres") {
    await sql`select setval(pg_get_serial_sequence('purchases', 'id'), ${highest.token_id})`.execute(queries);
  }
  const again = await insert(engineOf(queries) === "postgres" ? undefined : highest.token_id + 1n);
  await recountPurchases(queries, [again.id]);
  return { ...again, createdAt, clickId };
}

/**
 * Purchases with their indexed tickets and payouts. A token belongs to a purchase by its id and its owner: one
 * with another owner was minted from an earlier database, and is not a purchase here.
 */
export function selectPurchases(queries: Queries) {
  return queries
    .selectFrom("purchases")
    .leftJoin("nfts", (join) =>
      join.onRef("nfts.token_id", "=", "purchases.id").onRef("nfts.owner", "=", "purchases.wallet"),
    )
    .leftJoin("payouts", (join) =>
      join.onRef("payouts.token_id", "=", "purchases.id").onRef("payouts.recipient", "=", "purchases.wallet"),
    )
    .select([
      "purchases.id",
      "purchases.wallet",
      "purchases.store_id",
      "purchases.store_name",
      "purchases.amount_cents",
      "purchases.cashback_bps",
      "purchases.bonus_bps",
      "purchases.token_slug",
      "purchases.metadata_uri",
      "purchases.source",
      "purchases.wei_per_cent",
      "purchases.payable_at",
      "purchases.click_id",
      "purchases.offset_gwei",
      "purchases.sale_id",
      "purchases.cashback_cent_bps",
      "purchases.approved_at",
      "purchases.reversed_at",
      "purchases.settled_at",
      "purchases.created_at",
      "nfts.status as chain_status",
      "nfts.mint_transaction",
      "nfts.minted_at",
      "nfts.status_transaction",
      "nfts.status_block",
      "nfts.status_at",
      "payouts.state as payout_state",
      "payouts.amount_gwei as paid_gwei",
      "payouts.transaction_hash as payment_transaction",
      "payouts.block_number as payment_block",
      "payouts.paid_at",
    ]);
}

/** A wallet's purchases, newest first. */
export async function listPurchases(
  queries: Queries,
  wallet: WalletAddress,
  page: { limit: number; before?: bigint | undefined },
) {
  let query = selectPurchases(queries).where("purchases.wallet", "=", wallet);
  if (page.before !== undefined) query = query.where("purchases.id", "<", page.before);
  return query.orderBy("purchases.id", "desc").limit(page.limit).execute();
}

/** A wallet's tickets, newest first, with the store's name as it was at the purchase where that is known here. */
export async function listTickets(
  queries: Queries,
  wallet: WalletAddress,
  page: { limit: number; before?: bigint | undefined },
) {
  let query = queries
    .selectFrom("nfts")
    .leftJoin("purchases", (join) =>
      join.onRef("purchases.id", "=", "nfts.token_id").onRef("purchases.wallet", "=", "nfts.owner"),
    )
    .leftJoin("stores", "stores.id", "nfts.store_id")
    .selectAll("nfts")
    .select(["purchases.store_name as purchase_store_name", "stores.name as store_name"])
    .where("nfts.owner", "=", wallet);
  if (page.before !== undefined) query = query.where("nfts.token_id", "<", page.before);
  return query.orderBy("nfts.token_id", "desc").limit(page.limit).execute();
}

export async function findPurchase(queries: Queries, id: bigint): Promise<Purchase | undefined> {
  return selectPurchases(queries).where("purchases.id", "=", id).executeTakeFirst();
}

/** The network approved or reversed the sale; the first time counts. */
export async function markPurchase(queries: Queries, id: bigint, mark: "approved_at" | "reversed_at"): Promise<void> {
  await queries
    .updateTable("purchases")
    .set({ [mark]: BigInt(Date.now()) })
    .where("id", "=", id)
    .where(mark, "is", null)
    .execute();
  await recountPurchases(queries, [id]);
}

/** Paid purchases that were returned and whose debt is not recorded yet. */
export async function listPaidReversals(queries: Queries, ids: readonly bigint[]): Promise<Purchase[]> {
  return (
    selectPurchases(queries)
      .where("purchases.id", "in", ids)
      .where("purchases.reversed_at", "is not", null)
      // Of a sale, its ledger says what is owed back.
      .where("purchases.sale_id", "is", null)
      .where("payouts.token_id", "is not", null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("adjustments")
              .select("adjustments.purchase_id")
              .whereRef("adjustments.purchase_id", "=", "purchases.id"),
          ),
        ),
      )
      .limit(LIST_LIMIT)
      .execute()
  );
}

/** Freezes the rate and starts the hold; the first call for a purchase counts. */
export async function freezeRates(
  queries: Queries,
  ids: readonly bigint[],
  terms: { weiPerCent: bigint; holdMs: bigint },
): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable("purchases")
    .set({
      wei_per_cent: terms.weiPerCent,
      // A sale's network says when its purchases may be paid.
      payable_at: sql<bigint>`case when sale_id is null then ${databaseNow(queries)} + ${terms.holdMs} else payable_at end`,
    })
    .where("id", "in", ids)
    .where("wei_per_cent", "is", null)
    .execute();
  await recountPurchases(queries, ids);
}

export async function setMetadataUri(queries: Queries, id: bigint, metadataUri: string): Promise<void> {
  await queries.updateTable("purchases").set({ metadata_uri: metadataUri }).where("id", "=", id).execute();
}

/** Whether a purchase may be paid by now: no hold is left, and its sale, if it is of one, is payable. */
export function isDue(queries: Queries): RawBuilder<SqlBool> {
  return sql<SqlBool>`((purchases.sale_id is null and purchases.payable_at is null)
    or purchases.payable_at <= ${databaseNow(queries)})`;
}

/** A wallet's final, unpaid purchases whose hold is over and whose payout is not queued yet, oldest first. */
export async function listPayable(queries: Queries, wallet: WalletAddress, deepestBlock: bigint): Promise<Purchase[]> {
  return selectPurchases(queries)
    .where("purchases.wallet", "=", wallet)
    .where("purchases.settled_at", "is", null)
    .where("purchases.reversed_at", "is", null)
    .where("nfts.status", "=", BigInt(CHAIN_STATUS.confirmed))
    .where("nfts.status_block", "<=", deepestBlock)
    .where("payouts.token_id", "is", null)
    .where(isDue(queries))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("operations")
            .select("operations.id")
            .whereRef("operations.subject_id", "=", "purchases.id")
            .where("operations.kind", "=", "pay")
            .where("operations.status", "!=", "withdrawn"),
        ),
      ),
    )
    .orderBy("purchases.id")
    .limit(LIST_LIMIT)
    .execute();
}

/** A wallet's payouts that are queued for later, oldest first; a request makes them due now. */
export async function listPaymentsForLater(
  queries: Queries,
  wallet: WalletAddress,
): Promise<{ purchaseId: bigint; amountGwei: bigint }[]> {
  const rows = await queries
    .selectFrom("purchases")
    .innerJoin("operations", (join) =>
      join.onRef("operations.subject_id", "=", "purchases.id").on("operations.kind", "=", "pay"),
    )
    .select(["purchases.id", "operations.amount_gwei"])
    .where("purchases.wallet", "=", wallet)
    .where("purchases.settled_at", "is", null)
    .where("purchases.reversed_at", "is", null)
    .where("operations.status", "=", "queued")
    .where("operations.not_before", ">", databaseNow(queries))
    // One that was tried before has its own reason to wait.
    .where("operations.error", "is", null)
    .orderBy("purchases.id")
    .execute();
  return rows.map((row) => ({ purchaseId: row.id, amountGwei: row.amount_gwei ?? 0n }));
}
