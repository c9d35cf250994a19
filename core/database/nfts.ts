import { sql } from "kysely";
import type { Schema } from "./generated/schema.ts";
import type { Queries } from "./transaction.ts";

/** Of when the ticket's own picture was taken off: that happens once. */
const cleared = <Column extends "at" | "transaction_hash">(column: Column) =>
  sql<Schema["contract_events"][Column] | null>`(select min(${sql.ref(column)}) from contract_events
    where contract_events.token_id = nfts.token_id and contract_events.event = 'MetadataUriCleared')`;

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
      "stores.club_slug as store_club",
      "payouts.transaction_hash as payout_transaction",
      "payouts.amount_gwei as payout_gwei",
      "payouts.paid_at as paid_at",
      "purchases.situation as situation",
    ])
    .select([cleared("at").as("cleared_at"), cleared("transaction_hash").as("cleared_transaction")])
    .where("nfts.token_id", "=", tokenId)
    .executeTakeFirst();
}
