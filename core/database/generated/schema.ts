// Written by `npm run schema` from the SQL in core/database/migrations/. Do not edit.
import type { Generated, GeneratedAlways } from "kysely";
import type { AccountSum, AccountWait } from "../../rules/account/payout-gate.ts";
import type { EventKind } from "../../rules/events.ts";
import type { ProposalKind, ProposalState } from "../../rules/proposals.ts";
import type { CountedSituation } from "../../rules/purchase/situation.ts";
import { keysOf } from "../../rules/records.ts";
import type { Device } from "../../rules/session.ts";
import type { WalletAddress } from "../../rules/wallet-address.ts";
import type { ChangedFact } from "../changed-facts.ts";
import type { Hex, OperationKind, OperationReason } from "../operations.ts";

/**
 * Every column of every table, the same in SQLite and PostgreSQL. Integers are 64 bits and always bigint in TypeScript,
 * money is cents, basis points, gwei or wei as the name says, times (`*_at`) are milliseconds UTC, flags are 0n or 1n,
 * addresses and hashes are lower case.
 */
export interface Schema {
  users: {
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
    /** What the team calls this wallet; empty if it uses the profile's name. Its `searchKey` beside it. */
    nickname: Generated<string>;
    nickname_key: Generated<string>;
    /** 1n once this wallet signed with its own key: from then on no contract signs for it. docs/product.md#sign-in-signature */
    own_key_seen: Generated<bigint>;
  };
  sessions: {
    /** SHA-256 of the opaque token, hex. */
    token_hash: string;
    wallet: WalletAddress;
    kind: "nonce" | "compat";
    created_at: bigint;
    last_seen_at: bigint;
    revoked_at: bigint | null;
    /** What signed in: `phone` or `computer`; null if that is not known. */
    device: Device | null;
    /** Where a session last wrote. Adds only: 1.0.0 works on beside it. docs/operations.md#a-read-replica
     * The position in PostgreSQL's write-ahead log that this session's reads need, in bytes; null: any. Only with a read replica. */
    written_position: bigint | null;
  };
  sign_in_nonces: {
    nonce: string;
    wallet: WalletAddress;
    purpose: "register" | "login" | "erase" | "email";
    message: string;
    expires_at: bigint;
    used_at: bigint | null;
  };
  stores: {
    id: Generated<bigint>;
    name: string;
    country: string;
    club: string | null;
    category: string | null;
    description: string | null;
    logo: string | null;
    featured: Generated<bigint>;
    affiliate_link: string | null;
    network: string | null;
    account: string | null;
    advertiser_id: string | null;
    link_code: string | null;
    merchant: string | null;
    store_url: string | null;
    mint_delay_seconds: bigint | null;
    hold_seconds: bigint | null;
    claim_days: bigint | null;
    country_en: string | null;
    category_en: string | null;
    description_en: string | null;
    terms: string | null;
    terms_en: string | null;
    /** The name for searching and sorting in the panel: `searchKey`. */
    name_key: Generated<string>;
    /** For filters: `searchKey`, empty if there is none. */
    country_key: Generated<string>;
    category_key: Generated<string>;
    club_key: Generated<string>;
    /** With the boosts that run; turned when one starts or ends. */
    max_cashback_bps: Generated<bigint>;
    created_at: bigint;
    updated_at: bigint;
    deleted_at: bigint | null;
    /** 1n if it has a link and cashback: it is on offer once its name is on chain. */
    sells: GeneratedAlways<bigint>;
    /** Without a network it is a direct shop: it was one before 1.1, or is a sample. */
    unlinked_is_direct: bigint | null;
    /** By which a pasted link's store is known, with commas between them, `short:` before one of shortened links. Adds only:
     * 1.0.0 works on beside it. docs/product.md#links */
    domains: string | null;
    /** The part of the commission that buyers get, in hundredths; null: its account's, or the shop's. */
    cashback_share_percent: bigint | null;
    /** Since when its network's programme is paused, ended or left; null: it is not. */
    paused_since: bigint | null;
    /** 'paused', 'ended', 'left', 'no_commission'. */
    paused_reason: string | null;
    /** The club that a person chose, or that the text of `club` means. */
    club_slug: string | null;
    /** 1 if a person chose it: only then does the club's token decide a bonus. docs/product.md#club-match */
    club_accepted: Generated<bigint>;
  };
  /** The words by which the stores page finds a store. */
  store_words: {
    store_id: bigint;
    word: string;
  };
  store_cashbacks: {
    id: Generated<bigint>;
    store_id: bigint;
    category: string;
    category_en: string | null;
    cashback_bps: bigint;
    /** The network's commission group; null if the percent is for no particular group. */
    group_code: string | null;
    /** 1n for the category of unknown groups. */
    is_default: Generated<bigint>;
    created_at: bigint;
    updated_at: bigint;
    deleted_at: bigint | null;
    /** 1n if a person set its percent; 0n if it follows the commission. */
    is_by_hand: Generated<bigint>;
    cashback_share_percent: bigint | null;
    /** What the network pays for its group, as it was last read; null: not known, or no percent. */
    commission_bps: bigint | null;
    /** Up to which percent a person agreed that it follows. */
    agreed_bps: bigint | null;
    /** The last higher percent that was proposed. */
    proposed_bps: bigint | null;
    /** Since when the network no longer has its group. */
    group_gone_at: bigint | null;
  };
  /** A higher percent for a time. docs/product.md#boost */
  store_boosts: {
    id: Generated<bigint>;
    store_id: bigint;
    /** Null: for the whole store. */
    category_id: bigint | null;
    boost_bps: bigint;
    starts_at: bigint;
    /** Earlier than planned if an admin ended it. */
    ends_at: bigint;
    planned_end_at: bigint;
    decision: "waiting" | "agreed" | "refused" | "withdrawn";
    /** Who planned it. */
    planned_by: string;
    created_at: bigint;
    /** When the store's highest percent must be computed again: its start, then its end; null once it is over. */
    turns_at: bigint | null;
  };
  /** A percent above the limit of what one person may promise. docs/product.md#percent-approvals */
  percent_approvals: {
    id: Generated<bigint>;
    store_id: bigint;
    /** The boost; null if it is a category's own percent. */
    boost_id: bigint | null;
    /** The category; null for a boost of the whole store and for a category that is created by the approval. */
    category_id: bigint | null;
    category: string | null;
    bps: bigint;
    /** The category's percent when it was asked; null for boosts and new categories. */
    from_bps: bigint | null;
    /** The other fields of a category that the approval creates, as JSON. */
    fields: string | null;
    state: "open" | "approved" | "refused" | "lapsed";
    asked_by: string;
    decided_by: string | null;
    decision_reason: string | null;
    created_at: bigint;
    decided_at: bigint | null;
  };
  fan_tokens: {
    id: Generated<bigint>;
    name: string;
    slug: string;
    symbol: string;
    image: string;
    /** The ERC-20 contract whose balance counts; null counts as zero. */
    contract: WalletAddress | null;
    created_at: bigint;
    updated_at: bigint;
    deleted_at: bigint | null;
  };
  /** A buyer's trip to a store. */
  clicks: {
    id: Generated<bigint>;
    /** The unguessable token that the network gets and returns with a sale. */
    token: string;
    wallet: WalletAddress;
    store_id: bigint;
    store_name: string;
    token_slug: string | null;
    balance_block: bigint | null;
    /** `ClickTerms` as JSON, integers as text. */
    terms: string;
    created_at: bigint;
    /** Sales after this do not count for this click. */
    expires_at: bigint;
    /** A bonus that could not be read at the click, as `BonusRead` in JSON; null if it was. docs/product.md#bonus-read */
    bonus_read: string | null;
    /** When it is tried next; null once it is decided. */
    bonus_due_at: bigint | null;
  };
  /** A sale as last read. Identified by network, account and key. */
  sales: {
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
    status: "pending" | "approved" | "declined" | "unknown";
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
    state: "held" | "unmatched" | "open" | "approved" | "payable" | "declined" | "settled";
    /** Why it is held or declined, as a sentence. */
    reason: string | null;
    /** The `HoldReason`s that apply, separated by spaces. */
    hold_reasons: Generated<string>;
    /** The figures of the hold reasons, by reason, as JSON; null in rows of earlier versions. */
    hold_figures: string | null;
    /** The reasons that were released, with their figures, as JSON. */
    released_reasons: Generated<string>;
    released_by: string | null;
    /** The last person whose decision lets it be paid. */
    decided_by: string | null;
    /** A decline by an admin is final. */
    declined_by: string | null;
    decline_reason: string | null;
    /** Commission groups that no category of the store names. */
    unknown_groups: string | null;
    /** `Kept` as JSON: what stays of what was once decided. */
    kept: Generated<string>;
    /** The order number, trimmed and case-folded; null without one. */
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
    /** What a person released of a hold of its purchases, and up to which cashback, as JSON; null: nobody did. */
    let_go: string | null;
    /** When it was last decided anew though none of its own facts had changed; counts while it is held. */
    reviewed_at: Generated<bigint>;
    /** When the network began to report the sale with an earlier change time than one that it gave before. */
    older_since: bigint | null;
    /** Milliseconds. 0: not known yet, as of a sale that 1.0.0 declined; -1: none of its tickets has to say so any more. */
    return_due_at: Generated<bigint>;
    /** What a sale goes on with though its commission is lower, in cents × basis points, and the month of the sale that counts it. */
    lost_cent_bps: Generated<bigint>;
    lost_month: string | null;
  };
  /** Every state of a sale that was read; append-only. */
  sale_revisions: {
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
  sale_hints: {
    id: Generated<bigint>;
    network: string;
    account: string;
    sale_key: string;
    received_at: bigint;
    retry_at: bigint;
    attempts: Generated<bigint>;
    traceparent: string | null;
  };
  /** A row of a network's answer that could not be read or stored. */
  unread_rows: {
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
  sale_totals: {
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
  store_clicks: {
    store_id: bigint;
    /** `YYYY-MM`, UTC. */
    month: string;
    /** PostgreSQL writers are spread over several. */
    slot: bigint;
    clicks: bigint;
  };
  /** A buyer's claim of missing cashback. */
  claims: {
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
  /** The picture that a buyer attached to a claim; erased with their profile. */
  claim_pictures: {
    claim_id: bigint;
    wallet: WalletAddress;
    /** Media type. */
    type: string;
    /** Base64. */
    content: string;
  };
  /** The time up to which a network was read; advances once a whole window is stored. */
  affiliate_cursors: {
    network: string;
    account: string;
    pass: string;
    through_at: bigint;
    updated_at: bigint;
  };
  affiliate_status: {
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
  affiliate_events: {
    network: string;
    event_id: string;
    click_id: string;
    kind: "report" | "confirm" | "reverse";
    body_hash: string;
    received_at: bigint;
  };
  /** The first rate of a day of São Paulo (`YYYY-MM-DD`): what CHZ that was paid on it is said to be worth. */
  chz_rates: {
    day: string;
    wei_per_cent: bigint;
    accepted_at: bigint;
  };
  /** A published rate. */
  fx_rates: {
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
  /** The question for the rate of a sale's day; `published_day` is the answer, once there is one. */
  fx_requests: {
    currency: string;
    day: string;
    attempts: Generated<bigint>;
    due_at: bigint;
    published_day: string | null;
  };
  purchases: {
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
    /** The block at which the buyer's balance was read; null without a fan token. */
    balance_block: bigint | null;
    metadata_uri: Generated<string>;
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
    /** What its ticket carries so that the chain knows the sale, as a signed 64-bit integer; 0 if it is simulated. */
    sale_ref: Generated<bigint>;
    /** The exact cashback in cents × basis points: at most value × percent. */
    cashback_cent_bps: Generated<bigint>;
    created_at: bigint;
    /** How it was counted in the totals; null if it never was. Only `core/purchases/counting.ts` writes these. */
    counted_status: bigint | null;
    /** Its cashback; null while its rate is not frozen. */
    counted_gwei: bigint | null;
    counted_cent_bps: Generated<bigint>;
    counted_paid_gwei: Generated<bigint>;
    counted_open: Generated<bigint>;
    /** Where it was when it was counted; in live mode a simulated one may be `never_paid` since. */
    situation: Generated<CountedSituation>;
    /** An admin holds it: it is neither confirmed nor paid until it is released. */
    held_at: bigint | null;
    held_by: string | null;
    held_reason: string | null;
    /** The last person, or `service`, whose decision lets it be paid; null if nobody had to decide. */
    decided_by: string | null;
    /** As its payout is counted in `decided_days`. */
    decided_day: bigint | null;
    decided_gwei: bigint | null;
    /** The request that its payout waits for. */
    approval_id: bigint | null;
    /** The same of a simulated purchase, which has no click of its own. */
    bonus_read: string | null;
    /** When it is tried next; null once it is decided. */
    bonus_due_at: bigint | null;
  };
  /** When the next step of a purchase is due; without a row, only a change can lead to one. */
  due_purchases: {
    purchase_id: bigint;
    due_at: bigint | null;
    /** The same as a block that the index must have reached. */
    due_block: bigint | null;
    /** Why its next step could not be decided when it was due, and how often. */
    problem: string | null;
    attempts: Generated<bigint>;
  };
  /** What changed for many sales or payouts at once, and up to which one they were decided anew. */
  changed_facts: {
    fact: ChangedFact;
    store_id: bigint;
    after_id: bigint;
    /** Whose change it was, so that what it frees is that person's decision; null: nobody's, or of 1.0.0. */
    said_by: string | null;
  };
  /** Totals of a buyer's purchases. Cashback without a frozen rate is summed as cents × basis points. */
  buyer_totals: {
    wallet: WalletAddress;
    processing: Generated<bigint>;
    pending: Generated<bigint>;
    confirmed: Generated<bigint>;
    cancelled: Generated<bigint>;
    /** Of processing and pending purchases. */
    pending_gwei: Generated<bigint>;
    pending_cent_bps: Generated<bigint>;
    confirmed_gwei: Generated<bigint>;
    confirmed_cent_bps: Generated<bigint>;
    paid_gwei: Generated<bigint>;
    /** Grows with every change of the others. */
    revision: Generated<bigint>;
  };
  /** Totals of the whole shop; add up the rows of a name. */
  shop_totals: {
    name: string;
    slot: bigint;
    value: bigint;
  };
  /** Totals of a UTC day; add up the rows of a name. */
  day_totals: {
    /** Days since 1970-01-01. */
    day: bigint;
    name: string;
    slot: bigint;
    value: bigint;
  };
  /** What simulated purchases of a UTC day are worth; the empty wallet stands for all. */
  simulated_days: {
    day: bigint;
    wallet: string;
    cents: bigint;
  };
  /** The payouts that one person's decisions led to in a UTC day, those that wait for a second person included. */
  decided_days: {
    decider: string;
    day: bigint;
    gwei: bigint;
  };
  /** The debt for a paid purchase; negative if it is lifted. */
  adjustments: {
    purchase_id: bigint;
    /** The revision that caused it; 0n for a purchase without a sale. */
    revision_id: bigint;
    wallet: WalletAddress;
    cent_bps: bigint;
    amount_gwei: bigint;
    created_at: bigint;
  };
  events: {
    id: Generated<bigint>;
    wallet: WalletAddress;
    kind: EventKind;
    /** The purchase, or of a claim's events the claim. */
    subject_id: bigint;
    /** Of a debt the revision that caused it; otherwise 0. A kind, subject and part happen once. */
    part: Generated<bigint>;
    /** As they were when it happened. */
    store_name: string;
    amount_cents: bigint;
    /** The cashback, payout, credit or debt; null if there is none, or its rate is not frozen. */
    amount_gwei: bigint | null;
    reason: string | null;
    created_at: bigint;
    /** When it may go into an e-mail; null if it is in one, or need not be. */
    mail_at: bigint | null;
    /** When it may go to the devices of its reader; null if it has, or need not. */
    push_at: bigint | null;
  };
  /** A user who has read events, or wants e-mails; without a row, nothing is read and none is wanted. */
  event_readers: {
    wallet: WalletAddress;
    /** Events up to this id are read. */
    read_through: Generated<bigint>;
    /** Of e-mails.
     * A key of `core/rules/languages.ts`; another one counts as the default. */
    language: Generated<string>;
    /** The topics of e-mails, separated by spaces. */
    mail_topics: Generated<string>;
    /** When they were chosen last, in ms. */
    mail_chosen_at: Generated<bigint>;
    /** The verified address; null until then, and after the profile's address has changed. */
    mail_address: string | null;
    /** In the links that end e-mails without a login. */
    unsubscribe_token: string | null;
    /** SHA-256 of the token in the link that verifies `verify_address`, valid once until `verify_until`. */
    verify_hash: string | null;
    verify_address: string | null;
    verify_until: bigint | null;
  };
  /** E-mails, each written before it is sent. Their texts are deleted once they are. */
  mails: {
    id: Generated<bigint>;
    wallet: WalletAddress;
    kind: "events" | "verify";
    address: string;
    subject: string;
    text: string;
    html: string;
    unsubscribe_token: string | null;
    /** The same for the same events, so that a repeat is recognisable. */
    message_id: string;
    created_at: bigint;
    /** When it is sent, or tried again; null if it was sent or given up. */
    due_at: bigint | null;
    attempts: Generated<bigint>;
    error: string | null;
    sent_at: bigint | null;
    /** By what a link is counted, as keyed hashes: its inbox, the inbox's domain and the address that asked for it. Null: another
     * kind of e-mail, or a domain that is not counted. */
    inbox_hash: string | null;
    domain_hash: string | null;
    origin_hash: string | null;
  };
  transactions: {
    id: Generated<bigint>;
    sender: WalletAddress;
    nonce: bigint;
    to_address: WalletAddress;
    data: Hex;
    gas_limit: bigint;
    /** `signed` has a nonce and stored bytes, `mined` a receipt, `confirmed` a final receipt; `void` lost its nonce to
     * a transaction that is not ours. */
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
  transaction_hashes: {
    hash: Hex;
    transaction_id: bigint;
    raw: Hex;
    max_fee_wei: bigint;
    max_priority_fee_wei: bigint;
    created_at: bigint;
    sent_at: bigint | null;
  };
  operations: {
    id: Generated<bigint>;
    kind: OperationKind;
    /** A purchase id, or a store id for the store kinds. One row per kind and subject. */
    subject_id: bigint;
    /** For `pay`, the amount of the payout. */
    amount_gwei: bigint | null;
    status: "queued" | "assigned" | "waiting" | "done" | "failed" | "withdrawn";
    transaction_id: bigint | null;
    /** Not sent before this time. */
    not_before: bigint;
    /** How many transactions with only this operation have reverted. */
    attempts: Generated<bigint>;
    /** Why it waits or failed; null in every other status. */
    reason: OperationReason | null;
    /** With a reason of `LIMIT_REASONS`: what the limit allows, if known, in CHZ; of `rate_too_high` in CHZ per real. */
    limit_chz: string | null;
    /** The reason as a sentence, with figures. */
    error: string | null;
    /** When it entered this status for this reason. */
    since: bigint;
    /** The maximum number of operations in a transaction with this one; null if only the batch size limits it. */
    batch_limit: bigint | null;
    created_at: bigint;
    updated_at: bigint;
    /** What an account gets of the day's cap. Adds only: 1.0.0 works on beside it. docs/product.md#day-share
     * Whose share of the day's cap a payout takes; null: nobody's, or queued by 1.0.0. */
    share_id: bigint | null;
    /** A W3C `traceparent`; null where OpenTelemetry is not configured. */
    traceparent: string | null;
  };
  /** The blocks with a known hash: the newest ones without a gap, and of the older ones a sparse set and those with
   * events. */
  chain_blocks: {
    number: bigint;
    hash: string;
    /** Seconds, as on the chain. */
    timestamp: bigint;
  };
  /** Rows arrive in the order of the primary key, so SQLite needs no separate tree for them.
   * The events as read from the chain, in order. A block's hash and time are in `chain_blocks`. */
  chain_events: {
    block_number: bigint;
    log_index: bigint;
    transaction_hash: string;
    kind: string;
    token_id: bigint | null;
    /** The decoded arguments as JSON, integers as text. */
    arguments: string;
    /** The rate (wei per centavo) that was applied in the transaction of a payment; null: read by 1.0.0, or no payment. Beside
     * its arguments, which 1.0.0 compares with the chain. docs/product.md#sale-ref */
    wei_per_cent: bigint | null;
  };
  /** The last indexed block. */
  chain_cursor: {
    /** Always 1n. */
    id: bigint;
    block_number: bigint;
    block_hash: string;
  };
  /** The indexed source. If the configuration differs, the index is rebuilt. */
  chain_source: {
    /** Always 1n. */
    id: bigint;
    chain_id: bigint;
    purchase_nft: WalletAddress;
    cashback_distributor: WalletAddress;
    start_block: bigint;
  };
  nfts: {
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
    /** A ticket that its owner has burnt, and where; null: it is not. docs/product.md#burnt */
    burnt_transaction: string | null;
    /** Milliseconds. */
    burnt_at: bigint | null;
    /** Null: the first one. */
    contract: WalletAddress | null;
  };
  payouts: {
    token_id: bigint;
    recipient: WalletAddress;
    amount_gwei: bigint;
    state: "paid" | "deferred";
    transaction_hash: string;
    block_number: bigint;
    log_index: bigint;
    paid_at: bigint;
    /** The rate (wei per centavo) of the transaction; null: not read yet. */
    wei_per_cent: bigint | null;
  };
  /** A payout that takes a second person. docs/product.md#panel-approvals */
  approvals: {
    id: Generated<bigint>;
    purchase_id: bigint;
    /** The buyer. */
    wallet: WalletAddress;
    amount_gwei: bigint;
    /** `used`: the payout is queued with it. `renewed`: it was refused, and somebody has decided again since. `lapsed`: its
     * amount, buyer or decider changed. */
    state: "open" | "approved" | "refused" | "used" | "renewed" | "lapsed";
    /** Whose decision leads to the payout: a wallet, or `service`. */
    asked_by: string;
    decided_by: string | null;
    decision_reason: string | null;
    created_at: bigint;
    decided_at: bigint | null;
  };
  /** Notices of open tasks, and whether the receiver has acknowledged them. */
  notices: {
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
  settings: {
    name: string;
    value: string;
    updated_at: bigint;
  };
  audit_log: {
    id: Generated<bigint>;
    at: bigint;
    actor: string;
    action: string;
    subject: string;
    detail: string;
    previous_hash: string;
    hash: string;
    /** HMAC-SHA-256 of the row's hash, by a key that is not in the database; null where there is none. */
    mac: string | null;
  };
  idempotency_keys: {
    key: string;
    wallet: string;
    request_hash: string;
    status: bigint;
    response: string;
    created_at: bigint;
  };
  /** One writer at a time. */
  leases: {
    name: string;
    holder: string;
    /** Incremented for every new holder; a writer with a smaller token is rejected. */
    fencing_token: bigint;
    expires_at: bigint;
  };
  account_books: {
    id: Generated<bigint>;
    network: string;
    account: string;
    /** In cents, what may be paid before it has arrived, as the api that sends is configured; null: any sum. */
    credit_cents: bigint | null;
    /** 1n if a person has set it. */
    is_credit_set: Generated<bigint>;
    /** Where nobody has: the cashback of the largest 30 days before the books began, in cents. */
    opening_cents: Generated<bigint>;
    /** The part of the day's cap that it gets while others wait. */
    day_share_percent: Generated<bigint>;
    /** What was paid earlier is not in these books. */
    began_at: bigint;
    /** The day on which it asked for ten times the usual: nothing more is paid until a person announces that day. */
    stopped_day: bigint | null;
  };
  /** Sums of an account; add up the slots of a name. */
  account_sums: {
    account_id: bigint;
    name: AccountSum;
    /** PostgreSQL writers are spread over several. */
    slot: bigint;
    value: bigint;
  };
  /** What passed the gate on a UTC day, in cents × basis points; add up the slots. */
  account_days: {
    account_id: bigint;
    /** Days since 1970-01-01. */
    day: bigint;
    slot: bigint;
    cent_bps: bigint;
  };
  /** A purchase whose payout its account's books contain: queued, sent, kept for a debt, or waiting for a second person. */
  account_draws: {
    purchase_id: bigint;
    account_id: bigint;
    day: bigint;
    cent_bps: bigint;
  };
  /** What came back to an account: kept of a purchase for the debt of one that was returned. */
  account_recoveries: {
    purchase_id: bigint;
    returned_id: bigint;
    /** Of the returned one. */
    account_id: bigint;
    gwei: bigint;
    cent_bps: bigint;
  };
  /** A payable purchase that waits for its account. */
  account_waits: {
    purchase_id: bigint;
    account_id: bigint;
    reason: AccountWait;
    /** The oldest goes first. */
    payable_at: bigint;
    cent_bps: bigint;
    since: bigint;
  };
  /** Money that arrived from an account, by a person's word; never changed, only reversed by another row. */
  account_bookings: {
    id: Generated<bigint>;
    account_id: bigint;
    /** Negative in a row that reverses another. */
    amount_cents: bigint;
    /** `YYYY-MM-DD`. */
    arrived_on: string;
    reference: string;
    /** Identifies a line of a bank's file, so that none is booked twice. */
    line_key: string | null;
    reverses: bigint | null;
    booked_by: string;
    /** The second person, if it took one. */
    agreed_by: string | null;
    created_at: bigint;
  };
  /** A day on which an account may be paid any sum. */
  account_sales_days: {
    account_id: bigint;
    day: bigint;
    announced_by: string;
    created_at: bigint;
  };
  /** A change that moves buyers or money without naming an amount, or that cannot be undone. docs/product.md#proposals */
  proposals: {
    id: Generated<bigint>;
    kind: ProposalKind;
    /** A store's, a fan token's or another row's id as text, or a wallet in lower case. */
    subject_id: string;
    /** The fields that it changes, as JSON: before and after. */
    from_fields: string;
    to_fields: string;
    state: ProposalState;
    /** 1n: the owner of a profile erases it, which needs nobody. */
    is_own: Generated<bigint>;
    /** A wallet. */
    asked_by: string;
    reason: string | null;
    /** When it takes effect, as told to everybody; null until a second person agrees. */
    takes_effect_at: bigint | null;
    /** When it takes effect by itself; null if a person decides first, or it has. */
    due_at: bigint | null;
    decided_by: string | null;
    decision_reason: string | null;
    created_at: bigint;
    decided_at: bigint | null;
  };
  /** What people typed about a row of the audit log. Beside it, because the log's hashes could not forget it. */
  audit_notes: {
    audit_id: bigint;
    /** Whom it is about; it is erased with their profile. Null: no person. */
    wallet: string | null;
    /** JSON: the words, by the parameter of the log's sentence. */
    words: string;
  };
  /** The accounts that are configured or were, by each name that they had. An account's sales are recorded under its first
   * name. */
  account_names: {
    network: string;
    name: string;
    /** The first name. */
    account: string;
    /** What the network calls it; null if it was not configured since 1.1. */
    identity: string | null;
    /** When it was no longer configured; null: it is, or nobody has looked yet. */
    gone_at: bigint | null;
  };
  /** Sign-ins and e-mails of a caller in its ten minutes; rate-limiter-flexible writes its rows. docs/product.md#purses */
  purse_counts: {
    key: string;
    points: bigint;
    /** When its ten minutes end, in ms. */
    expire: bigint;
  };
  /** What each process learned of the calls that its nodes take. Adds only: 1.0.0 works on beside it. docs/operations.md#node-calls */
  node_calls: {
    /** What runs it and where, such as `api host:3000`. */
    process: string;
    /** The node's URL without its path, where providers put keys. */
    rpc: string;
    /** Calls in a thousand seconds; null while none was refused. */
    allowed: bigint | null;
    /** The same, in the busiest minute of the last hour. */
    needed: bigint;
    told_at: bigint;
  };
  /** Who has said something about a store, an account, a fan token or an order. Adds only: 1.0.0 works on beside it.
   * docs/product.md#who-frees */
  fact_authors: {
    author: string;
    /** As the audit log names it: `store:12`, `account:direct/acme`, `fan_token:mengo`, `order:a-1`. */
    subject: string;
    said_at: bigint;
  };
  /** What was sent of an account's payouts on a UTC day; the last two days. */
  account_sent: {
    /** Days since 1970-01-01. */
    day: bigint;
    account_id: bigint;
    gwei: bigint;
  };
  /** The hashed files of every build of the web app that an api served of late: each process serves those of the others' too.
   * Adds only: 1.0.0 works on beside it. docs/upgrading.md#several-processes */
  site_files: {
    /** As in a URL: `/assets/index-DT4pch8p.js`, whose name has the hash of what is in it. */
    path: string;
    /** base64 */
    content: string;
    /** When a process that has it in its own build last said so. */
    seen_at: bigint;
  };
  /** What a user wants on their devices; without a row, nothing. */
  push_readers: {
    wallet: WalletAddress;
    /** As of e-mails, separated by spaces. */
    topics: string;
    /** A key of `core/rules/languages.ts`; another one counts as the default. */
    language: string;
    /** Whether a lock screen may show what an event is worth. */
    show_amounts: Generated<bigint>;
  };
  /** A browser that takes messages, by what its push service gave it. */
  push_devices: {
    id: Generated<bigint>;
    wallet: WalletAddress;
    /** SHA-256 of the token of the session that added it, with whose end it goes. */
    session_hash: string;
    endpoint: string;
    /** Its keys, base64url. RFC 8291 */
    p256dh: string;
    auth: string;
    created_at: bigint;
  };
  /** Messages that wait, each of an event for a device; deleted once sent. Their texts are made as they are sent. */
  pushes: {
    id: Generated<bigint>;
    device_id: bigint;
    event_id: bigint;
    created_at: bigint;
    /** When it is sent, or tried again. */
    due_at: bigint;
    attempts: Generated<bigint>;
  };
  /** Roles, limits, pauses, money, stores, pictures: each event once. Rolled back and made anew with the index. */
  contract_events: {
    block_number: bigint;
    log_index: bigint;
    transaction_hash: string;
    contract: WalletAddress;
    event: string;
    /** The ticket that it is about; null if none. */
    token_id: bigint | null;
    /** As JSON, by the contract's own names; integers as text. */
    arguments: string;
    /** Its block's time. */
    at: bigint;
  };
  /** From which block on an act of a cold key rings: what is before was there before anybody watched. */
  watched_contracts: {
    contract: WalletAddress;
    from_block: bigint;
    /** 1 once what an index of an earlier version lacks is read. */
    is_read: bigint;
  };
  /** Acts of cold keys that are in the log. They stay if a reorg takes the transaction: somebody signed it. */
  contract_acts: {
    id: Generated<bigint>;
    transaction_hash: string;
    contract: WalletAddress;
    event: string;
    arguments: string;
    /** `rung`; `listed`: before anybody watched; `deployed`: by the deployment itself. */
    standing: string;
    seen_at: bigint;
  };
  /** A shop that an account works with, as its network says it. */
  programmes: {
    id: Generated<bigint>;
    network: string;
    account: string;
    /** By which the network's reports name it. */
    advertiser_id: string;
    /** As in `stores`, made fit for one. */
    name: string;
    /** The name for searching: `searchKey`. */
    name_key: Generated<string>;
    country: string | null;
    store_url: string | null;
    domains: string | null;
    link_code: string | null;
    category: string | null;
    /** 'active', 'paused', 'ended', as the network says it; 'left': two rounds a day apart did not have it. */
    state: string;
    /** Its commission groups, as JSON; null: not read yet. */
    groups: string | null;
    /** How many days a sale usually takes until it is approved and paid, in the network's words. */
    expected_days: bigint | null;
    /** When its groups are read next, where that takes a call of their own. */
    groups_due_at: bigint;
    /** The round that had it last, and since when rounds have not had it. */
    seen_at: bigint;
    missing_since: bigint | null;
    /** As a suggestion: 'open', 'accepted', 'dismissed', 'gone' while the network does not offer it. */
    suggestion: Generated<string>;
    store_id: bigint | null;
    /** What its store took of it, and was proposed since, as JSON. */
    taken: string | null;
    created_at: bigint;
    updated_at: bigint;
    /** Where its network says that its picture is. */
    logo_url: string | null;
    /** When its store asked for the picture, which happens once; null: not yet. */
    logo_asked_at: bigint | null;
  };
  /** Each account's rounds over its programmes. */
  programme_rounds: {
    network: string;
    account: string;
    /** When the last one began, and when the next one does. */
    began_at: Generated<bigint>;
    next_at: Generated<bigint>;
    /** How many stores the last one would have changed at once, and did not; null: it was none too many. */
    withheld: bigint | null;
    /** Why the last one could not be read, in the network's words. */
    problem: string | null;
    /** Until when a person has accepted what is withheld. */
    accepted_until: Generated<bigint>;
  };
  /** Codes and promotions of stores. Adds only: 1.0.0 works on beside it. docs/product.md#offers */
  offers: {
    id: Generated<bigint>;
    store_id: bigint;
    /** The account whose network says it, and the network's id; null if a person wrote it. */
    network: string | null;
    account: string | null;
    network_key: string | null;
    title: string;
    /** As `core/rules/text.ts` compares texts. */
    title_key: string;
    code: string | null;
    terms: string | null;
    /** A page of the shop. */
    url: string | null;
    with_cashback: Generated<bigint>;
    starts_at: bigint;
    /** Far away if nobody said one. */
    ends_at: bigint;
    created_at: bigint;
    updated_at: bigint;
    /** When the network last listed it. */
    seen_at: bigint | null;
    /** Whether it has begun and its store sells; its end is looked at when it is read. */
    shown: Generated<bigint>;
    /** When it begins, if it has not. */
    turns_at: bigint | null;
  };
  clubs: {
    slug: string;
    name: string;
    /** As a list in JSON. */
    aliases: string;
    /** Two or three `#rrggbb`, separated by spaces. */
    colours: string;
    /** A word of `CLUB_PATTERNS`. */
    pattern: string;
    /** ISO 3166. */
    country: string;
    /** The fan token that a person joined to it. */
    token_slug: string | null;
    created_at: bigint;
    updated_at: bigint;
    deleted_at: bigint | null;
  };
  /** What a text may say to mean a club, as `clubKey` writes it. A name of two clubs means none. docs/product.md#club-names */
  club_names: {
    name_key: string;
    club_slug: string;
  };
  /** The link by which a user invites others; a code says nothing of its wallet. */
  invite_codes: {
    wallet: WalletAddress;
    code: string;
    created_at: bigint;
  };
  /** One a wallet, for ever: a friend who registered by a link. docs/product.md#invite */
  invites: {
    id: Generated<bigint>;
    friend: WalletAddress;
    /** Null: whose link it was has erased the profile. */
    inviter: string | null;
    /** Of the registration: "2026-11", UTC. */
    month: string;
    /** `waiting`: for a person; nothing is given until one agrees. */
    state: "open" | "waiting";
    /** What both get, in basis points: frozen at the friend's first click; 0 before it. */
    bps: Generated<bigint>;
    created_at: bigint;
    /** The token of the click, or of the simulated purchase, that carries it; null: not yet. */
    friend_click: string | null;
    /** The click's first sale, which alone counts; null: not yet. */
    friend_sale_id: bigint | null;
    inviter_click: string | null;
    inviter_sale_id: bigint | null;
  };
  /** From where a friend registered, and an inviter looked at the link last: keyed hashes, for a day. */
  invite_marks: {
    wallet: WalletAddress;
    /** Whose link it is; of an inviter, the same wallet. */
    inviter: WalletAddress;
    address_hash: string;
    device_hash: string;
    created_at: bigint;
  };
  /** The club for which a user chose to count; without a row, none. docs/product.md#fans */
  fan_clubs: {
    wallet: WalletAddress;
    club: string;
  };
  /** A fan's paid purchases of the months that are not closed: what the figures contain of them. */
  fan_payments: {
    purchase_id: bigint;
    wallet: WalletAddress;
    month: string;
    club: string;
    gwei: bigint;
  };
  /** A club's fans together, by month; about nobody. */
  club_months: {
    month: string;
    club: string;
    fans: bigint;
    purchases: bigint;
    gwei: bigint;
  };
  /** The sums by account and month, UTC. */
  account_losses: {
    network: string;
    account: string;
    /** "2026-11" */
    month: string;
    lost_cent_bps: Generated<bigint>;
  };
}

export type TableName = keyof Schema;

/** Every table with its primary key, the order of reading; referenced tables come first. */
export const TABLES: Readonly<Record<TableName, readonly string[]>> = {
  users: ["wallet"],
  sessions: ["token_hash"],
  sign_in_nonces: ["nonce"],
  stores: ["id"],
  store_words: ["word","store_id"],
  store_cashbacks: ["id"],
  store_boosts: ["id"],
  percent_approvals: ["id"],
  fan_tokens: ["id"],
  clicks: ["id"],
  sales: ["id"],
  sale_revisions: ["id"],
  sale_hints: ["id"],
  unread_rows: ["network","account","row_key"],
  sale_totals: ["network","account","store_id","month"],
  store_clicks: ["store_id","month","slot"],
  claims: ["id"],
  claim_pictures: ["claim_id"],
  affiliate_cursors: ["network","account","pass"],
  affiliate_status: ["network","account"],
  affiliate_events: ["network","event_id"],
  chz_rates: ["day"],
  fx_rates: ["currency","day"],
  fx_requests: ["currency","day"],
  purchases: ["id"],
  due_purchases: ["purchase_id"],
  changed_facts: ["fact"],
  buyer_totals: ["wallet"],
  shop_totals: ["name","slot"],
  day_totals: ["day","name","slot"],
  simulated_days: ["day","wallet"],
  decided_days: ["decider","day"],
  adjustments: ["purchase_id","revision_id"],
  events: ["id"],
  event_readers: ["wallet"],
  mails: ["id"],
  transactions: ["id"],
  transaction_hashes: ["hash"],
  operations: ["id"],
  chain_blocks: ["number"],
  chain_events: ["block_number","log_index"],
  chain_cursor: ["id"],
  chain_source: ["id"],
  nfts: ["token_id"],
  payouts: ["token_id"],
  approvals: ["id"],
  notices: ["id"],
  settings: ["name"],
  audit_log: ["id"],
  idempotency_keys: ["wallet","key"],
  leases: ["name"],
  account_books: ["id"],
  account_sums: ["account_id","name","slot"],
  account_days: ["account_id","day","slot"],
  account_draws: ["purchase_id"],
  account_recoveries: ["purchase_id","returned_id"],
  account_waits: ["purchase_id"],
  account_bookings: ["id"],
  account_sales_days: ["account_id","day"],
  proposals: ["id"],
  audit_notes: ["audit_id"],
  account_names: ["network","name"],
  purse_counts: ["key"],
  node_calls: ["process","rpc"],
  fact_authors: ["author","subject"],
  account_sent: ["day","account_id"],
  site_files: ["path"],
  push_readers: ["wallet"],
  push_devices: ["id"],
  pushes: ["id"],
  contract_events: ["block_number","log_index"],
  watched_contracts: ["contract"],
  contract_acts: ["id"],
  programmes: ["id"],
  programme_rounds: ["network","account"],
  offers: ["id"],
  clubs: ["slug"],
  club_names: ["name_key","club_slug"],
  invite_codes: ["wallet"],
  invites: ["id"],
  invite_marks: ["wallet"],
  fan_clubs: ["wallet"],
  fan_payments: ["purchase_id"],
  club_months: ["month","club"],
  account_losses: ["network","account","month"],
};

export const TABLE_NAMES: readonly TableName[] = keysOf(TABLES);

/** Tables with ids assigned by the database. */
export const NUMBERED: readonly TableName[] = ["stores","store_cashbacks","store_boosts","percent_approvals","fan_tokens","clicks","sales","sale_revisions","sale_hints","claims","purchases","events","mails","transactions","operations","approvals","notices","audit_log","account_books","account_bookings","proposals","push_devices","pushes","contract_acts","programmes","offers","invites"];

/** Columns that the database computes: they cannot be written. */
export const COMPUTED: ReadonlySet<string> = new Set(["sells"]);
