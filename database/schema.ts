import type { Generated } from "kysely";
import type { ApprovalAction } from "../domain/api/admin-approvals.ts";
import type { CashbackState } from "../domain/purchase/life.ts";
import type { SaleStatus } from "../domain/sale/report.ts";
import type { SaleState } from "../domain/sale/state.ts";
import type { SignInPurpose } from "../domain/sign-in-messages.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";

/** Bytes or a hash, as `0x` and hex digits. */
export type Hex = `0x${string}`;

/**
 * Every column of every table, the same in SQLite and PostgreSQL. Integers are 64 bits and always bigint in TypeScript,
 * money is cents, basis points, gwei or wei as the name says, times (`*_at`) are milliseconds UTC, flags are 0n or 1n,
 * addresses and hashes are lower case.
 */
export type Schema = {
  // People
  users: UsersTable;
  sessions: SessionsTable;
  sign_in_nonces: SignInNoncesTable;
  // Catalogue
  stores: StoresTable;
  store_cashbacks: StoreCashbacksTable;
  fan_tokens: FanTokensTable;
  // Purchases, and counters kept with them
  purchases: PurchasesTable;
  due_purchases: DuePurchasesTable;
  buyer_totals: BuyerTotalsTable;
  shop_totals: ShopTotalsTable;
  day_totals: DayTotalsTable;
  adjustments: AdjustmentsTable;
  // Sales, as affiliate networks report them
  clicks: ClicksTable;
  sales: SalesTable;
  sale_revisions: SaleRevisionsTable;
  sale_hints: SaleHintsTable;
  sale_totals: SaleTotalsTable;
  claims: ClaimsTable;
  affiliate_events: AffiliateEventsTable;
  affiliate_cursors: AffiliateCursorsTable;
  affiliate_status: AffiliateStatusTable;
  fx_rates: FxRatesTable;
  // Administration
  approvals: ApprovalsTable;
  notices: NoticesTable;
  settings: SettingsTable;
  audit_log: AuditLogTable;
  idempotency_keys: IdempotencyKeysTable;
  // Outbox
  operations: OperationsTable;
  transactions: TransactionsTable;
  transaction_hashes: TransactionHashesTable;
  // Derived from the chain; only the indexer writes these
  chain_blocks: ChainBlocksTable;
  chain_events: ChainEventsTable;
  chain_cursor: ChainCursorTable;
  chain_source: ChainSourceTable;
  nfts: NftsTable;
  payouts: PayoutsTable;
  // One writer at a time
  leases: LeasesTable;
};

type UsersTable = {
  wallet: WalletAddress;
  email: string;
  first_name: string;
  last_name: string;
  /** 1n once this wallet has signed in with a nonce; bare messages are rejected from then on. */
  nonce_seen: Generated<bigint>;
  /** Incremented by every change of this wallet's rows, to detect a stale cached response. */
  revision: Generated<bigint>;
  created_at: bigint;
  /** The owner erased the profile; the row stays for `nonce_seen`. */
  erased_at: bigint | null;
  /** For searching and sorting in the panel: `searchKey`. */
  email_key: Generated<string>;
  name_key: Generated<string>;
  last_name_key: Generated<string>;
};

type SessionsTable = {
  /** SHA-256 of the opaque token, hex. */
  token_hash: string;
  wallet: WalletAddress;
  kind: "nonce" | "compat";
  created_at: bigint;
  last_seen_at: bigint;
  revoked_at: bigint | null;
};

type SignInNoncesTable = {
  nonce: string;
  wallet: WalletAddress;
  purpose: SignInPurpose;
  message: string;
  expires_at: bigint;
  used_at: bigint | null;
};

type StoresTable = {
  id: Generated<bigint>;
  name: string;
  country: string;
  club: string | null;
  category: string | null;
  description: string | null;
  logo: string | null;
  featured: bigint;
  /** A template with `{click}`; null if the link is built for the network. */
  affiliate_link: string | null;
  /** The network and our account with it that report the store's sales. */
  network: string | null;
  account: string | null;
  /** The network's id for the store. */
  advertiser_id: string | null;
  store_url: string | null;
  /** Null if the environment's value applies. */
  mint_delay_seconds: bigint | null;
  hold_seconds: bigint | null;
  claim_days: bigint | null;
  /** The same in English; null if the Portuguese text is used for both. */
  country_en: Generated<string | null>;
  category_en: Generated<string | null>;
  description_en: Generated<string | null>;
  /** Cashback exclusions of the store. */
  terms: Generated<string | null>;
  terms_en: Generated<string | null>;
  /** The name for searching and sorting in the panel: `searchKey`. */
  name_key: Generated<string>;
  created_at: bigint;
  updated_at: bigint;
  deleted_at: bigint | null;
};

type StoreCashbacksTable = {
  id: Generated<bigint>;
  store_id: bigint;
  category: string;
  category_en: Generated<string | null>;
  cashback_bps: bigint;
  /** The network's commission group; null if the percent is for no particular group. */
  group_code: string | null;
  /** 1n for the category of unknown groups. */
  is_default: Generated<bigint>;
  created_at: bigint;
  updated_at: bigint;
  deleted_at: bigint | null;
};

type FanTokensTable = {
  id: Generated<bigint>;
  name: string;
  slug: string;
  /** The ERC-20 symbol, also the key of the holdings. */
  symbol: string;
  image: string;
  /** The ERC-20 contract whose balance counts; null counts as no holding. */
  contract: WalletAddress | null;
  created_at: bigint;
  updated_at: bigint;
  deleted_at: bigint | null;
};

type PurchasesTable = {
  /** Also the token id. */
  id: Generated<bigint>;
  wallet: WalletAddress;
  store_id: bigint;
  /** Frozen: the store's name at the time of the purchase. */
  store_name: string;
  amount_cents: bigint;
  cashback_bps: bigint;
  bonus_bps: bigint;
  token_slug: string | null;
  /** The block at which the buyer's holding was read; null without a fan token. */
  holdings_block: bigint | null;
  metadata_uri: string;
  source: "simulated" | "live";
  /** The rate, frozen at confirmation; null before. */
  wei_per_cent: bigint | null;
  /** When its cashback becomes payable; null until it is confirmed. */
  payable_at: bigint | null;
  /** The unguessable id by which an affiliate network reports the sale. */
  click_id: string;
  /** The part of its cashback that was kept to settle debt. docs/product.md#debt. */
  offset_gwei: Generated<bigint>;
  /** The network approved the sale: it is confirmed and, after the hold, paid automatically. */
  approved_at: bigint | null;
  /** The store or its network reversed the sale. */
  reversed_at: bigint | null;
  /** Nothing is left to do: the payout is final, or the purchase is cancelled or fully offset. */
  settled_at: bigint | null;
  /** The sale of this purchase; null if it is simulated. */
  sale_id: bigint | null;
  /** The exact cashback in cents × basis points: at most value × percent. */
  cashback_cent_bps: Generated<bigint>;
  created_at: bigint;
  /** How it was counted in the totals; null if it never was. Only `purchases/counting.ts` writes these. */
  counted_status: bigint | null;
  counted_wei_per_cent: bigint | null;
  counted_cent_bps: Generated<bigint>;
  counted_paid_gwei: Generated<bigint>;
  counted_open: Generated<bigint>;
  /** An admin holds it: it is neither confirmed nor paid until it is released. */
  held_at: bigint | null;
  held_by: string | null;
  held_reason: string | null;
};

/** When the next step of a purchase is due; without a row, only a change can lead to one. */
type DuePurchasesTable = {
  purchase_id: bigint;
  due_at: bigint | null;
  /** The same as a block that the index must have reached. */
  due_block: bigint | null;
};

/** Totals of a buyer's purchases. Cashback without a frozen rate is summed as cents × basis points. */
type BuyerTotalsTable = {
  wallet: WalletAddress;
  processing: bigint;
  pending: bigint;
  confirmed: bigint;
  cancelled: bigint;
  /** Of processing and pending purchases. */
  pending_gwei: bigint;
  pending_cent_bps: bigint;
  confirmed_gwei: bigint;
  confirmed_cent_bps: bigint;
  paid_gwei: bigint;
  /** Grows with every change of the others. */
  revision: Generated<bigint>;
};

/** Totals of the whole shop; add up the rows of a name. */
type ShopTotalsTable = {
  name: string;
  slot: bigint;
  value: bigint;
};

/** Totals of a UTC day; add up the rows of a name. */
type DayTotalsTable = {
  /** Days since 1970-01-01. */
  day: bigint;
  name: string;
  slot: bigint;
  value: bigint;
};

/** A payout above the threshold for two-person approval. */
type ApprovalsTable = {
  id: Generated<bigint>;
  action: ApprovalAction;
  subject: string;
  /** Null if it concerns a sale or several purchases. */
  purchase_id: bigint | null;
  /** The recipient. */
  wallet: string | null;
  amount_gwei: bigint;
  /** The cashback in cents × basis points, which does not change with the rate. */
  cent_bps: bigint | null;
  reason: string | null;
  /** `used`: the payout was made with it. */
  state: "open" | "approved" | "refused" | "used";
  asked_by: string;
  decided_by: string | null;
  decision_reason: string | null;
  created_at: bigint;
  decided_at: bigint | null;
};

/** Notices of open tasks, and whether the receiver has acknowledged them. */
type NoticesTable = {
  id: Generated<bigint>;
  kind: string;
  /** JSON. */
  body: string;
  created_at: bigint;
  /** When it is sent next; null once acknowledged or given up. */
  due_at: bigint | null;
  attempts: Generated<bigint>;
  /** Why the last delivery failed. */
  error: string | null;
  sent_at: bigint | null;
};

/** The debt for a paid purchase; negative if it is lifted. */
type AdjustmentsTable = {
  purchase_id: bigint;
  /** The revision that caused it; 0n for a purchase without a sale. */
  revision_id: bigint;
  wallet: WalletAddress;
  cent_bps: bigint;
  amount_gwei: bigint;
  created_at: bigint;
};

type AffiliateEventsTable = {
  network: string;
  event_id: string;
  click_id: string;
  kind: "report" | "confirm" | "reverse";
  body_hash: string;
  received_at: bigint;
};

/** A buyer's visit to a store. */
type ClicksTable = {
  id: Generated<bigint>;
  /** The unguessable token that the network gets and returns with a sale. */
  token: string;
  wallet: WalletAddress;
  store_id: bigint;
  store_name: string;
  token_slug: string | null;
  holdings_block: bigint | null;
  /** `ClickTerms` as JSON, integers as text. */
  terms: string;
  created_at: bigint;
  /** Sales after this do not count for this click. */
  expires_at: bigint;
};

/** A sale as last read. Identified by network, account and key. */
type SalesTable = {
  id: Generated<bigint>;
  network: string;
  account: string;
  sale_key: string;
  /** As given by the network. */
  click_ref: string | null;
  /** Null while its buyer is unknown. */
  click_id: bigint | null;
  wallet: WalletAddress | null;
  store_id: bigint | null;
  advertiser_id: string | null;
  order_ref: string | null;
  status: SaleStatus | "unknown";
  payable: bigint | null;
  currency: string;
  amount_micros: bigint;
  commission_micros: bigint | null;
  /** The whole `SaleReport` as JSON, integers as text. */
  report: string;
  /** Millionths of a real per unit of the currency; frozen for all revisions. */
  fx_rate_micros: bigint | null;
  /** In BRL cents; null if there is no rate. */
  amount_cents: bigint | null;
  commission_cents: bigint | null;
  /** The buyer's entitlement. */
  cashback_cent_bps: Generated<bigint>;
  state: SaleState;
  /** Why it is held or declined, as a sentence. */
  reason: string | null;
  /** The `HoldReason`s that apply, and those released by an admin, separated by spaces. */
  hold_reasons: Generated<string>;
  /** The figures of the hold reasons, by reason, as JSON; null in rows of earlier versions. */
  hold_figures: string | null;
  released_reasons: Generated<string>;
  released_by: string | null;
  /** A decline by an admin is final. */
  declined_by: string | null;
  decline_reason: string | null;
  /** Commission groups that no category of the store names. */
  unknown_groups: string | null;
  occurred_at: bigint | null;
  changed_at: bigint | null;
  /** When its current approval was first read. */
  approved_at: bigint | null;
  read_at: bigint;
  revision_id: bigint | null;
  created_at: bigint;
  updated_at: bigint;
};

/** Every state of a sale that was read; append-only. */
type SaleRevisionsTable = {
  id: Generated<bigint>;
  sale_id: bigint;
  source: "poll" | "direct" | "earlier";
  /** Hash of the report: an identical state is not a new revision. */
  hash: string;
  report: string;
  changed_at: bigint | null;
  read_at: bigint;
  /** 0n if a later state had been read before. */
  is_applied: bigint;
};

/** A push mentioned a sale: it must be read. */
type SaleHintsTable = {
  id: Generated<bigint>;
  network: string;
  account: string;
  sale_key: string;
  received_at: bigint;
  retry_at: bigint;
  attempts: Generated<bigint>;
};

/** Sums of commission and cashback, updated by the transactions that change sales. */
type SaleTotalsTable = {
  network: string;
  account: string;
  /** 0n if unknown. */
  store_id: bigint;
  /** `YYYY-MM`, of the sale, UTC. */
  month: string;
  sales: Generated<bigint>;
  amount_cents: Generated<bigint>;
  commission_pending_cents: Generated<bigint>;
  /** Of approved sales. */
  commission_cents: Generated<bigint>;
  promised_cent_bps: Generated<bigint>;
  paid_cent_bps: Generated<bigint>;
};

/** A buyer's claim of missing cashback. */
type ClaimsTable = {
  id: Generated<bigint>;
  wallet: WalletAddress;
  store_id: bigint;
  click_id: bigint;
  order_ref: string;
  /** The buyer's statement; it pays nothing. */
  amount_cents: bigint;
  /** `YYYY-MM-DD`. */
  purchased_on: string;
  note: string | null;
  state: "open" | "matched" | "refused";
  sale_id: bigint | null;
  reason: string | null;
  decided_by: string | null;
  decided_at: bigint | null;
  created_at: bigint;
};

/** The time up to which a network was read; advances once a whole window is stored. */
type AffiliateCursorsTable = {
  network: string;
  account: string;
  pass: string;
  through_at: bigint;
  updated_at: bigint;
};

type AffiliateStatusTable = {
  network: string;
  account: string;
  /** The times of the last minute's calls, separated by spaces. */
  calls: Generated<string>;
  /** The network must not be called before this time. */
  blocked_until: Generated<bigint>;
  /** When a poll last succeeded. */
  read_at: bigint | null;
  error: string | null;
  error_at: bigint | null;
  /** Rows that could not even be stored. */
  drift_count: Generated<bigint>;
};

type FxRatesTable = {
  currency: string;
  /** `YYYY-MM-DD`. */
  day: string;
  rate_micros: bigint;
  read_at: bigint;
};

type SettingsTable = {
  name: string;
  value: string;
  updated_at: bigint;
};

type IdempotencyKeysTable = {
  key: string;
  wallet: string;
  request_hash: string;
  status: bigint;
  response: string;
  created_at: bigint;
};

type AuditLogTable = {
  id: Generated<bigint>;
  at: bigint;
  actor: string;
  action: string;
  subject: string;
  detail: string;
  previous_hash: string;
  hash: string;
};

/** Each is one call of a contract, with its batches: `purchases/encoders.ts`, `catalogue/encoders.ts`. */
export const OPERATION_KINDS = ["mint", "confirm", "cancel", "pay", "register_store", "rename_store"] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

/**
 * `queued`: sent when due. `assigned`: in a transaction. `done`: completed. `waiting`: cannot be sent now, retried
 * later. `failed`: needs a person. `withdrawn`: no longer wanted.
 */
export type OperationStatus = "queued" | "assigned" | "waiting" | "done" | "failed" | "withdrawn";

/** Why an operation is `waiting` or `failed`. docs/product.md#payout-aside */
export const OPERATION_REASONS = [
  /** Above the rest of the distributor's daily cap. */
  "day_cap",
  /** Above the distributor's per-payout limit. */
  "max_payout",
  /** The distributor holds too little CHZ. */
  "pool_empty",
  /** The purchase's rate is above the distributor's maximum. */
  "rate_too_high",
  /** The contract is paused. */
  "paused",
  /** The distributor was retired, and this process does not know its successor yet. */
  "retired",
  /** The operator's wallet lacks a role. */
  "role_missing",
  /** The token is not in the state that the operation starts from. */
  "not_ready",
  /** The store is not registered on chain. */
  "store_unknown",
  /** Its transaction reverted. */
  "reverted",
  /** The contracts reject it without naming it. */
  "refused",
  /** The contracts can never accept it. */
  "invalid",
] as const;
export type OperationReason = (typeof OPERATION_REASONS)[number];

type OperationsTable = {
  id: Generated<bigint>;
  kind: OperationKind;
  /** A purchase id, or a store id for the store kinds. One row per kind and subject. */
  subject_id: bigint;
  /** For `pay`, the amount of the payout. */
  amount_gwei: bigint | null;
  status: OperationStatus;
  transaction_id: bigint | null;
  /** Not sent before this time. */
  not_before: bigint;
  /** How many transactions with only this operation have reverted. */
  attempts: Generated<bigint>;
  /** Why it waits or failed; null in every other status. */
  reason: OperationReason | null;
  /** The reason as a sentence, with figures. */
  error: string | null;
  /** When it entered this status for this reason. */
  since: bigint;
  /** The maximum number of operations in a transaction with this one; null if only the batch size limits it. */
  batch_limit: bigint | null;
  created_at: bigint;
  updated_at: bigint;
};

type TransactionsTable = {
  id: Generated<bigint>;
  sender: WalletAddress;
  nonce: bigint;
  to_address: WalletAddress;
  data: Hex;
  gas_limit: bigint;
  /**
   * `signed` has a nonce and stored bytes, `mined` a receipt, `confirmed` a final receipt; `void` lost its nonce
   * to a transaction that is not ours.
   */
  status: "signed" | "mined" | "confirmed" | "void";
  /** 1n if the receipt reports success. */
  succeeded: bigint | null;
  mined_hash: Hex | null;
  block_number: bigint | null;
  block_hash: string | null;
  /** The fencing token of the lease under which this was created. */
  fencing_token: bigint;
  created_at: bigint;
  updated_at: bigint;
};

type TransactionHashesTable = {
  hash: Hex;
  transaction_id: bigint;
  raw: Hex;
  max_fee_wei: bigint;
  max_priority_fee_wei: bigint;
  created_at: bigint;
  sent_at: bigint | null;
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

type LeasesTable = {
  name: string;
  holder: string;
  /** Incremented for every new holder; a writer with a smaller token is rejected. */
  fencing_token: bigint;
  expires_at: bigint;
};
