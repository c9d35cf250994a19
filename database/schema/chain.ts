import type { Generated } from "kysely";
import type { CashbackState } from "../../domain/purchase/life.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

/** Derived from the chain; only the indexer writes these. */
export type ChainTables = {
  chain_blocks: ChainBlocksTable;
  chain_events: ChainEventsTable;
  chain_cursor: ChainCursorTable;
  chain_source: ChainSourceTable;
  nfts: NftsTable;
  payouts: PayoutsTable;
};

/**
 * The blocks with a known hash: the newest ones without a gap, and of the older ones a sparse set and those with
 * events.
 */
type ChainBlocksTable = {
  number: bigint;
  hash: string;
  /** Seconds, as on the chain. */
  timestamp: bigint;
};

/** The events as read from the chain, in order. A block's hash and time are in `chain_blocks`. */
type ChainEventsTable = {
  block_number: bigint;
  log_index: bigint;
  transaction_hash: string;
  kind: string;
  token_id: bigint | null;
  /** The decoded arguments as JSON, integers as text. */
  arguments: string;
};

/** The last indexed block. */
type ChainCursorTable = {
  /** Always 1n. */
  id: bigint;
  block_number: bigint;
  block_hash: string;
};

/** The indexed source. If the configuration differs, the index is rebuilt. */
type ChainSourceTable = {
  /** Always 1n. */
  id: bigint;
  chain_id: bigint;
  purchase_nft: WalletAddress;
  cashback_distributor: WalletAddress;
  start_block: bigint;
};

type NftsTable = {
  token_id: bigint;
  owner: WalletAddress;
  store_id: bigint;
  value_cents: bigint;
  cashback_bps: bigint;
  bonus_bps: bigint;
  /** The reference of its sale, as a signed 64-bit integer; 0 without one. docs/product.md#sale-ref */
  sale_ref: Generated<bigint>;
  /** `CHAIN_STATUS`. */
  status: bigint;
  mint_transaction: string;
  minted_block: bigint;
  minted_at: bigint;
  status_transaction: string | null;
  status_block: bigint | null;
  status_at: bigint | null;
};

type PayoutsTable = {
  token_id: bigint;
  recipient: WalletAddress;
  amount_gwei: bigint;
  state: Exclude<CashbackState, "unpaid">;
  transaction_hash: string;
  block_number: bigint;
  log_index: bigint;
  paid_at: bigint;
};
