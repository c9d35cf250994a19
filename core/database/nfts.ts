import type { Queries } from "./transaction.ts";

/** An indexed ticket, with its store's name. */
export async function findPurchaseNft(queries: Queries, tokenId: bigint) {
  return queries
    .selectFrom("nfts")
    .leftJoin("stores", "stores.id", "nfts.store_id")
    .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
    .leftJoin("purchases", (join) =>
      join.onRef("purchases.id", "=", "nfts.token_id").onRef("purchases.wallet", "=", "nfts.owner"),
    )
    .selectAll("nfts")
    .select([
      "stores.name as store_name",
      "payouts.transaction_hash as payout_transaction",
      "payouts.amount_gwei as payout_gwei",
      "payouts.paid_at as paid_at",
      "purchases.situation as situation",
    ])
    .where("nfts.token_id", "=", tokenId)
    .executeTakeFirst();
}
