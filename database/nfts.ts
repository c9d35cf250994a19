import type { Queries } from "./transaction.ts";

/** An indexed ticket, with its store's name. */
export async function findPurchaseNft(queries: Queries, tokenId: bigint) {
  return queries
    .selectFrom("nfts")
    .leftJoin("purchases", (join) =>
      join.onRef("nfts.token_id", "=", "purchases.id").onRef("nfts.owner", "=", "purchases.wallet"),
    )
    .leftJoin("stores", "stores.id", "nfts.store_id")
    .selectAll("nfts")
    .select(["purchases.store_name as purchase_store_name", "stores.name as store_name"])
    .where("nfts.token_id", "=", tokenId)
    .executeTakeFirst();
}
