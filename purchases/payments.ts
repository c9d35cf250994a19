import { type SqlBool, sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";

/** What a wallet was paid, or what it refused and can withdraw since. */
export type Payment = Awaited<ReturnType<typeof listPayments>>[number];

type Span = {
  /** From this moment to before that one, in ms. */
  from: bigint;
  to: bigint;
  /** Payouts above this block are not final. */
  shownUpTo: bigint;
};

/** A wallet's payments of a span of time, oldest first, at most `limit` after `after`. */
export function listPayments(
  queries: Queries,
  wallet: WalletAddress,
  {
    from,
    to,
    shownUpTo,
    after,
    limit,
  }: Span & { after: { paid_at: bigint; token_id: bigint } | undefined; limit: number },
) {
  const first = after?.paid_at ?? from;
  return (
    queries
      .selectFrom("payouts")
      .leftJoin("nfts", "nfts.token_id", "payouts.token_id")
      .leftJoin("stores", "stores.id", "nfts.store_id")
      .leftJoin("purchases", (join) =>
        join.onRef("purchases.id", "=", "payouts.token_id").onRef("purchases.wallet", "=", "payouts.recipient"),
      )
      .select(["payouts.token_id", "payouts.amount_gwei", "payouts.state", "payouts.transaction_hash"])
      .select(["payouts.paid_at", "purchases.store_name", "stores.name as store_now"])
      .where("payouts.recipient", "=", wallet)
      .where("payouts.paid_at", ">=", first)
      .where("payouts.paid_at", "<", to)
      // With the sender's batches, many have the same time.
      .where(sql<SqlBool>`(payouts.paid_at > ${first} or payouts.token_id > ${after?.token_id ?? -1n})`)
      .where("payouts.block_number", "<=", shownUpTo)
      .orderBy("payouts.paid_at")
      .orderBy("payouts.token_id")
      .limit(limit)
      .execute()
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
