import type { Generated } from "kysely";
import type { SaleStatus } from "../../domain/sale/report.ts";
import type { SaleState } from "../../domain/sale/state.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

/** Sales, as affiliate networks report them. */
export type SaleTables = {
  clicks: ClicksTable;
  sales: SalesTable;
  sale_revisions: SaleRevisionsTable;
  sale_hints: SaleHintsTable;
  unread_rows: UnreadRowsTable;
  sale_totals: SaleTotalsTable;
  store_clicks: StoreClicksTable;
  claims: ClaimsTable;
  claim_pictures: ClaimPicturesTable;
  affiliate_events: AffiliateEventsTable;
  affiliate_cursors: AffiliateCursorsTable;
  affiliate_status: AffiliateStatusTable;
  fx_rates: FxRatesTable;
  fx_requests: FxRequestsTable;
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
  /** Millionths of a real per unit of its current currency. */
  fx_rate_micros: bigint | null;
  /** In BRL cents; null if there is no rate. */
  amount_cents: bigint | null;
  commission_cents: bigint | null;
  /** The buyer's entitlement. */
  cashback_cent_bps: Generated<bigint>;
  state: SaleState;
  /** Why it is held or declined, as a sentence. */
  reason: string | null;
  /** The `HoldReason`s that apply, separated by spaces. */
  hold_reasons: Generated<string>;
  /** The figures of the hold reasons, by reason, as JSON; null in rows of earlier versions. */
  hold_figures: string | null;
  /** The reasons that were released, with their figures, as JSON. */
  released_reasons: Generated<string>;
  released_by: string | null;
  /** A decline by an admin is final. */
  /** The last person whose decision lets it be paid. */
  decided_by: string | null;
  declined_by: string | null;
  decline_reason: string | null;
  /** Commission groups that no category of the store names. */
  unknown_groups: string | null;
  /** `Kept` as JSON: what stays of what was once decided. */
  kept: Generated<string>;
  /** Merchant and order number; null without one. */
  order_key: string | null;
  /** What the totals contain of it, as JSON. */
  counted: Generated<string>;
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
  source: "poll" | "direct";
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

/** A row of a network's answer that could not be read or stored. */
type UnreadRowsTable = {
  network: string;
  account: string;
  /** Identifies the row within its account: by its sale's key, else by its text. */
  row_key: string;
  sale_key: string | null;
  occurred_at: bigint | null;
  /** The row, shortened. */
  text: string;
  problem: string;
  attempts: Generated<bigint>;
  first_at: bigint;
  seen_at: bigint;
  retry_at: bigint;
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
  /** Those that a click led to. */
  clicked_sales: Generated<bigint>;
  amount_cents: Generated<bigint>;
  commission_pending_cents: Generated<bigint>;
  /** Of approved sales. */
  commission_cents: Generated<bigint>;
  promised_cent_bps: Generated<bigint>;
  paid_cent_bps: Generated<bigint>;
};

/** How many clicks led to a store in a month; the sum of its slots. */
type StoreClicksTable = {
  store_id: bigint;
  /** `YYYY-MM`, UTC. */
  month: string;
  /** PostgreSQL writers are spread over several. */
  slot: bigint;
  clicks: bigint;
};

/** A buyer's claim of missing cashback. */
/** The picture that a buyer attached to a claim; erased with their profile. */
type ClaimPicturesTable = {
  claim_id: bigint;
  wallet: WalletAddress;
  /** Media type. */
  type: string;
  /** Base64. */
  content: string;
};

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

type AffiliateEventsTable = {
  network: string;
  event_id: string;
  click_id: string;
  kind: "report" | "confirm" | "reverse";
  body_hash: string;
  received_at: bigint;
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
  /** The calls a minute with which every open sale is read once a day; null before the first reckoning. */
  calls_needed: bigint | null;
};

/** The question for the rate of a sale's day; `published_day` is the answer, once there is one. */
type FxRequestsTable = {
  currency: string;
  day: string;
  attempts: Generated<bigint>;
  due_at: bigint;
  published_day: string | null;
};

/** A published rate. */
type FxRatesTable = {
  currency: string;
  /** The day of its publication, `YYYY-MM-DD`. */
  day: string;
  rate_micros: bigint;
  /** The rate that it differs too much from; null if it does not. Then it is used only once it is accepted. */
  doubted_from: bigint | null;
  accepted_by: string | null;
  accepted_at: bigint | null;
  read_at: bigint;
};
