import type { Insertable } from "kysely";
import type { Schema } from "../../core/database/generated/schema.ts";
import type { Nft, Payout } from "../fold.ts";

export function nftRow(nft: Nft): Insertable<Schema["nfts"]> {
  const optional = (value: number | null) => (value === null ? null : BigInt(value));
  return {
    token_id: nft.tokenId,
    owner: nft.owner,
    store_id: BigInt(nft.storeId),
    value_cents: BigInt(nft.valueCents),
    cashback_bps: BigInt(nft.cashbackBps),
    bonus_bps: BigInt(nft.bonusBps),
    sale_ref: nft.saleRef,
    contract: nft.contract,
    status: BigInt(nft.status),
    mint_transaction: nft.mintTransaction,
    minted_block: BigInt(nft.mintedBlock),
    minted_at: BigInt(nft.mintedAtMs),
    status_transaction: nft.statusTransaction,
    status_block: optional(nft.statusBlock),
    status_at: optional(nft.statusAtMs),
    burnt_transaction: nft.burntTransaction,
    burnt_at: optional(nft.burntAtMs),
  };
}

export function payoutRow(payout: Payout): Insertable<Schema["payouts"]> {
  return {
    token_id: payout.tokenId,
    recipient: payout.recipient,
    amount_gwei: payout.amountGwei,
    wei_per_cent: payout.weiPerCent,
    state: payout.state,
    transaction_hash: payout.transactionHash,
    block_number: BigInt(payout.blockNumber),
    log_index: BigInt(payout.logIndex),
    paid_at: BigInt(payout.paidAtMs),
  };
}
