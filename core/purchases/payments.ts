import { type SqlBool, sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/** What a wallet was paid, or what it refused and can withdraw since. */
export type Payment = Awaited<ReturnType<typeof listPayments>>[number];

type Span = {
  /** From this moment to before that one, in ms. */
  from: bigint;
  to: bigint;
  /** Payouts above this block are not final. */
  shownUpTo: bigint;
};

type Page = Span & { after: { paid_at: bigint; token_id: bigint } | undefined; limit: number };

/** A wallet's payments of a span of time, oldest first, at most `limit` after `after`. */
export function listPayments(queries: Queries, wallet: WalletAddress, page: Page) {
  return selectPayouts(queries, wallet, page)
    .leftJoin("nfts", "nfts.token_id", "payouts.token_id")
    .leftJoin("stores", "stores.id", "nfts.store_id")
    .leftJoin("purchases", (join) =>
      join.onRef("purchases.id", "=", "payouts.token_id").onRef("purchases.wallet", "=", "payouts.recipient"),
    )
    .select(["payouts.state", "payouts.transaction_hash", "purchases.store_name", "stores.name as store_now"])
    .execute();
}

/** The same without their stores, for sums. */
export function listPaidAmounts(queries: Queries, wallet: WalletAddress, page: Page) {
  return selectPayouts(queries, wallet, page).execute();
}

function selectPayouts(queries: Queries, wallet: WalletAddress, { from, to, shownUpTo, after, limit }: Page) {
  return (
    queries
      .selectFrom("payouts")
      .select(["payouts.token_id", "payouts.amount_gwei", "payouts.paid_at"])
      // Compared and sorted by as one, so that each page is a stretch of the index. Many have the same time.
      .where(
        sql<SqlBool>`(payouts.recipient, payouts.paid_at, payouts.token_id)
          > (${wallet}, ${after?.paid_at ?? from}, ${after?.token_id ?? -1n})`,
      )
      .where(sql<SqlBool>`(payouts.recipient, payouts.paid_at) < (${wallet}, ${to})`)
      .where("payouts.block_number", "<=", shownUpTo)
      .orderBy("payouts.recipient")
      .orderBy("payouts.paid_at")
      .orderBy("payouts.token_id")
      .limit(limit)
  );
}

/** When a wallet was first paid, in ms; undefined if it never was. */
export async function firstPaidAt(queries: Queries, wallet: WalletAddress): Promise<bigint | undefined> {
  const row = await queries
    .selectFrom("payouts")
    .select("paid_at")
    .where("recipient", "=", wallet)
    .orderBy("paid_at")
    .limit(1)
    .executeTakeFirst();
  return row?.paid_at;
}
