import { randomBytes } from "node:crypto";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { databaseNow, engineOf } from "../database/clock.ts";
import type { Queries } from "../database/transaction.ts";
import { LIST_LIMIT } from "../domain/product.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";

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

/** A claim beside what the chain says of it. */
export type Purchase = Awaited<ReturnType<typeof listPurchases>>[number];

/**
 * Freezes the terms of a purchase. Its id is its token id, so it is above every token that the index knows: a database that
 * was begun anew in front of used contracts would else give a purchase somebody else's token.
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
  if (highest === undefined || id > highest.token_id) return { id, createdAt, clickId };
  await queries.deleteFrom("purchases").where("id", "=", id).execute();
  // SQLite goes on from the highest id by itself, PostgreSQL must be told.
  if (engineOf(queries) === "postgres") {
    await sql`select setval(pg_get_serial_sequence('purchases', 'id'), ${highest.token_id})`.execute(queries);
    return { ...(await insert()), createdAt, clickId };
  }
  return { ...(await insert(highest.token_id + 1n)), createdAt, clickId };
}

/**
 * Claims with what the index says about their tokens and payouts. A token belongs to a claim by its id and its owner: one
 * that somebody else holds was minted by an earlier database, and is nobody's purchase here.
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

/** Tokens of a wallet that no purchase here explains: minted under an earlier database. */
export async function listUnclaimedNfts(queries: Queries, wallet: WalletAddress, limit: number) {
  return queries
    .selectFrom("nfts")
    .leftJoin("stores", "stores.id", "nfts.store_id")
    .selectAll("nfts")
    .select("stores.name as store_name")
    .where("nfts.owner", "=", wallet)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("purchases")
            .select("id")
            .whereRef("purchases.id", "=", "nfts.token_id")
            .whereRef("purchases.wallet", "=", "nfts.owner"),
        ),
      ),
    )
    .orderBy("nfts.token_id", "desc")
    .limit(limit)
    .execute();
}

export async function findPurchase(queries: Queries, id: bigint): Promise<Purchase | undefined> {
  return selectPurchases(queries).where("purchases.id", "=", id).executeTakeFirst();
}

/** The network approved the sale, or took it back; the first time counts. */
export async function markPurchase(queries: Queries, id: bigint, mark: "approved_at" | "reversed_at"): Promise<void> {
  await queries
    .updateTable("purchases")
    .set({ [mark]: BigInt(Date.now()) })
    .where("id", "=", id)
    .where(mark, "is", null)
    .execute();
}

/** Purchases that were taken back although they were paid, and for which nothing is owed back yet. */
export async function listPaidReversals(queries: Queries): Promise<Purchase[]> {
  return (
    selectPurchases(queries)
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

/** Fixes the rate, and how long from now they may not be paid yet; the first call for a purchase counts. */
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
}

export async function setMetadataUri(queries: Queries, id: bigint, metadataUri: string): Promise<void> {
  await queries.updateTable("purchases").set({ metadata_uri: metadataUri }).where("id", "=", id).execute();
}

/** Whether a purchase may be paid by now: no hold is left, and its sale, if it is of one, is payable. */
export function isDue(queries: Queries): RawBuilder<SqlBool> {
  return sql<SqlBool>`((purchases.sale_id is null and purchases.payable_at is null)
    or purchases.payable_at <= ${databaseNow(queries)})`;
}

/** A wallet's confirmed, deep, unpaid purchases whose hold is over and whose payment nobody asked for yet, oldest first. */
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

/** A wallet's payments that are queued for later, oldest first: whoever asks for them gets them now. */
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
    // One that was tried before waits for a reason of its own.
    .where("operations.error", "is", null)
    .orderBy("purchases.id")
    .execute();
  return rows.map((row) => ({ purchaseId: row.id, amountGwei: row.amount_gwei ?? 0n }));
}
