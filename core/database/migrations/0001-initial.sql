-- The schema of 1.0.0. For SQLite; sql-migration.ts translates it for PostgreSQL. ../generated/schema.ts has its types for
-- TypeScript, with these comments: `npm run schema` writes it. `-- : Type` names a column's narrower type.
-- autoincrement: otherwise the id of a deleted last row would be used again, and purchase ids are token ids.
-- collate binary: prefix searches are ranges in byte order.

-- People.

create table users (
  wallet text primary key not null, -- : WalletAddress
  email text not null,
  first_name text not null,
  last_name text not null,
  -- 1n once this wallet has signed in with a nonce; bare messages are rejected from then on.
  nonce_seen integer not null default 0,
  -- Incremented by every change of this wallet's rows, to detect a stale cached response.
  revision integer not null default 0,
  created_at integer not null,
  -- The owner erased the profile; the row stays for `nonce_seen`.
  erased_at integer,
  -- For searching and sorting in the panel: `searchKey`.
  email_key text not null default '',
  name_key text not null default '',
  last_name_key text not null default '',
  -- What the team calls this wallet; empty if it uses the profile's name. Its `searchKey` beside it.
  nickname text not null default '',
  nickname_key text not null default '',
  constraint users_wallet_lower check (length(wallet) = 42 and wallet = lower(wallet))
) strict;
create index users_created_at on users (created_at, wallet);
create index users_email_key on users (email_key collate binary, wallet);
create index users_erased on users (created_at, wallet) where erased_at is not null;
create index users_last_name_key on users (last_name_key collate binary, wallet);
create index users_name_key on users (name_key collate binary, wallet);
create index users_nickname_key on users (nickname_key collate binary, wallet);

create table sessions (
  -- SHA-256 of the opaque token, hex.
  token_hash text primary key not null,
  wallet text not null references users (wallet) on delete cascade, -- : WalletAddress
  kind text not null check (kind in ('nonce', 'compat')),
  created_at integer not null,
  last_seen_at integer not null,
  revoked_at integer
) strict;
create index sessions_created_at on sessions (created_at);
create index sessions_wallet on sessions (wallet);

create table sign_in_nonces (
  nonce text primary key not null,
  wallet text not null, -- : WalletAddress
  purpose text not null check (purpose in ('register', 'login')),
  message text not null,
  expires_at integer not null,
  used_at integer,
  constraint sign_in_nonces_wallet_lower check (length(wallet) = 42 and wallet = lower(wallet))
) strict;
create index sign_in_nonces_expires_at on sign_in_nonces (expires_at);

-- Catalogue.

create table stores (
  id integer primary key autoincrement,
  name text not null,
  country text not null,
  club text,
  category text,
  description text,
  logo text,
  featured integer not null default 0 check (featured in (0, 1)),
  affiliate_link text,
  network text,
  account text,
  advertiser_id text,
  link_code text,
  merchant text,
  store_url text,
  mint_delay_seconds integer check (mint_delay_seconds >= 0),
  hold_seconds integer check (hold_seconds >= 0),
  claim_days integer check (claim_days >= 0),
  country_en text,
  category_en text,
  description_en text,
  terms text,
  terms_en text,
  -- The name for searching and sorting in the panel: `searchKey`.
  name_key text not null default '',
  -- For filters: `searchKey`, empty if there is none.
  country_key text collate binary not null default '',
  category_key text collate binary not null default '',
  club_key text collate binary not null default '',
  -- With the boosts that run; turned when one starts or ends.
  max_cashback_bps integer not null default 0,
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer,
  -- 1n if it has a link and cashback: it is on offer once its name is on chain.
  sells integer generated always as (case when deleted_at is null and max_cashback_bps > 0
    and (coalesce(affiliate_link, '') <> ''
      or (coalesce(network, '') <> '' and coalesce(advertiser_id, '') <> '' and coalesce(store_url, '') <> ''))
    then 1 else 0 end) stored
) strict;
create index stores_name_key on stores (name_key collate binary, id) where deleted_at is null;
create index stores_sells on stores (id) where sells = 1;
create index stores_sells_name on stores (name_key collate binary, id) where sells = 1;
create index stores_sells_cashback on stores (max_cashback_bps, id) where sells = 1;
create index stores_sells_country on stores (country_key, id) where sells = 1;
create index stores_sells_category on stores (category_key, id) where sells = 1;
create index stores_sells_club on stores (club_key, id) where sells = 1;
create index stores_sells_featured on stores (id) where sells = 1 and featured = 1;

-- The words by which the stores page finds a store.
create table store_words (
  store_id integer not null references stores (id),
  word text collate binary not null,
  constraint store_words_key primary key (word, store_id)
) strict, without rowid;
create index store_words_store on store_words (store_id, word);

create table store_cashbacks (
  id integer primary key autoincrement,
  store_id integer not null references stores (id),
  category text not null,
  category_en text,
  cashback_bps integer not null check (cashback_bps between 0 and 10000),
  -- The network's commission group; null if the percent is for no particular group.
  group_code text,
  -- 1n for the category of unknown groups.
  is_default integer not null default 0 check (is_default in (0, 1)),
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer
) strict;
create index store_cashbacks_store_id on store_cashbacks (store_id);

-- A higher percent for a time. docs/product.md#boost
create table store_boosts (
  id integer primary key autoincrement,
  store_id integer not null references stores (id),
  -- Null: for the whole store.
  category_id integer references store_cashbacks (id),
  boost_bps integer not null check (boost_bps between 1 and 10000),
  starts_at integer not null,
  -- Earlier than planned if an admin ended it.
  ends_at integer not null,
  planned_end_at integer not null,
  decision text not null check (decision in ('waiting', 'agreed', 'refused', 'withdrawn')),
  -- Who planned it.
  planned_by text not null,
  created_at integer not null,
  -- When the store's highest percent must be computed again: its start, then its end; null once it is over.
  turns_at integer,
  constraint store_boosts_span check (starts_at <= ends_at and ends_at <= planned_end_at)
) strict;
create index store_boosts_store on store_boosts (store_id, id);
create index store_boosts_running on store_boosts (store_id, ends_at) where decision = 'agreed';
create index store_boosts_starts on store_boosts (starts_at) where decision = 'agreed';
create index store_boosts_ends on store_boosts (ends_at) where decision = 'agreed';
create index store_boosts_turns on store_boosts (turns_at) where turns_at is not null;

-- A percent above the limit of what one person may promise. docs/product.md#percent-approvals
create table percent_approvals (
  id integer primary key autoincrement,
  store_id integer not null references stores (id),
  -- The boost; null if it is a category's own percent.
  boost_id integer references store_boosts (id),
  -- The category; null for a boost of the whole store and for a category that is created by the approval.
  category_id integer references store_cashbacks (id),
  category text,
  bps integer not null check (bps between 1 and 10000),
  -- The category's percent when it was asked; null for boosts and new categories.
  from_bps integer,
  -- The other fields of a category that the approval creates, as JSON.
  fields text,
  state text not null check (state in ('open', 'approved', 'refused', 'lapsed')),
  asked_by text not null,
  decided_by text,
  decision_reason text,
  created_at integer not null,
  decided_at integer
) strict;
create index percent_approvals_asked_by on percent_approvals (asked_by, id);
create index percent_approvals_boost on percent_approvals (boost_id) where state = 'open';
create index percent_approvals_category on percent_approvals (category_id) where state = 'open';
create index percent_approvals_state on percent_approvals (state, id);
create index percent_approvals_store on percent_approvals (store_id, id);

create table fan_tokens (
  id integer primary key autoincrement,
  name text not null,
  slug text not null,
  symbol text not null,
  image text not null,
  -- The ERC-20 contract whose balance counts; null counts as zero.
  contract text, -- : WalletAddress
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer,
  constraint fan_tokens_contract_lower check (contract is null or (length(contract) = 42 and contract = lower(contract)))
) strict;
create unique index fan_tokens_slug on fan_tokens (slug) where deleted_at is null;

-- Clicks, sales as affiliate networks report them, and claims.

-- A buyer's trip to a store.
create table clicks (
  id integer primary key autoincrement,
  -- The unguessable token that the network gets and returns with a sale.
  token text not null unique,
  wallet text not null, -- : WalletAddress
  store_id integer not null references stores (id),
  store_name text not null,
  token_slug text,
  balance_block integer,
  -- `ClickTerms` as JSON, integers as text.
  terms text not null,
  created_at integer not null,
  -- Sales after this do not count for this click.
  expires_at integer not null,
  constraint clicks_wallet_lower check (length(wallet) = 42 and wallet = lower(wallet))
) strict;
create index clicks_wallet on clicks (wallet, id);

-- A sale as last read. Identified by network, account and key.
create table sales (
  id integer primary key autoincrement,
  network text not null,
  account text not null,
  sale_key text not null,
  -- As given by the network.
  click_ref text,
  -- Null while its buyer is unknown.
  click_id integer references clicks (id),
  wallet text, -- : WalletAddress
  store_id integer references stores (id),
  advertiser_id text,
  order_ref text,
  status text not null check (status in ('pending', 'approved', 'declined', 'unknown')),
  payable integer check (payable in (0, 1)),
  currency text not null,
  amount_micros integer not null,
  commission_micros integer,
  -- The whole `SaleReport` as JSON, integers as text.
  report text not null,
  -- Millionths of a real per unit of its current currency.
  fx_rate_micros integer check (fx_rate_micros > 0),
  -- In BRL cents; null if there is no rate.
  amount_cents integer,
  commission_cents integer,
  -- The buyer's entitlement.
  cashback_cent_bps integer not null default 0 check (cashback_cent_bps >= 0),
  state text not null check (state in ('held', 'unmatched', 'open', 'approved', 'payable', 'declined', 'settled')),
  -- Why it is held or declined, as a sentence.
  reason text,
  -- The `HoldReason`s that apply, separated by spaces.
  hold_reasons text not null default '',
  -- The figures of the hold reasons, by reason, as JSON; null in rows of earlier versions.
  hold_figures text,
  -- The reasons that were released, with their figures, as JSON.
  released_reasons text not null default '',
  released_by text,
  -- The last person whose decision lets it be paid.
  decided_by text,
  -- A decline by an admin is final.
  declined_by text,
  decline_reason text,
  -- Commission groups that no category of the store names.
  unknown_groups text,
  -- `Kept` as JSON: what stays of what was once decided.
  kept text not null default '',
  -- The order number, trimmed and case-folded; null without one.
  order_key text,
  -- What the totals contain of it, as JSON.
  counted text not null default '',
  occurred_at integer,
  changed_at integer,
  -- When its current approval was first read.
  approved_at integer,
  read_at integer not null,
  revision_id integer,
  created_at integer not null,
  updated_at integer not null,
  constraint sales_key unique (network, account, sale_key),
  constraint sales_wallet_lower check (wallet is null or (length(wallet) = 42 and wallet = lower(wallet))),
  constraint sales_buyer check ((click_id is null) = (wallet is null))
) strict;
create index sales_amount on sales (amount_micros, id);
create index sales_click on sales (click_id);
create index sales_confirmed on sales (store_id, approved_at) where approved_at is not null;
create index sales_drifted on sales (network, account)
  where state in ('held', 'unmatched') and hold_reasons like '%drift%';
create index sales_held on sales (wallet, id) where state = 'held';
create index sales_network on sales (network, state, id);
create index sales_network_amount on sales (network, amount_micros, id);
create index sales_network_id on sales (network, id);
create index sales_open on sales (store_id, id) where state in ('held', 'open', 'approved', 'payable');
create index sales_order on sales (order_ref collate binary);
create index sales_order_key on sales (order_key, store_id)
  where order_key is not null and click_id is not null and state <> 'declined';
create index sales_sale_key on sales (sale_key);
create index sales_state on sales (state, id);
create index sales_store on sales (store_id, created_at) where click_id is not null;
create index sales_unread on sales (network, account, state, read_at);
create index sales_waiting on sales (created_at) where case when state in ('open', 'approved') then 1 end = 1;
create index sales_wallet on sales (wallet, occurred_at);
create index sales_without_rate on sales (network, account, id)
  where amount_cents is null and state in ('held', 'unmatched');

-- Every state of a sale that was read; append-only.
create table sale_revisions (
  id integer primary key autoincrement,
  sale_id integer not null references sales (id),
  source text not null check (source in ('poll', 'direct')),
  -- Hash of the report: an identical state is not a new revision.
  hash text not null,
  report text not null,
  changed_at integer,
  read_at integer not null,
  -- 0n if a later state had been read before.
  is_applied integer not null check (is_applied in (0, 1))
) strict;
create index sale_revisions_sale on sale_revisions (sale_id, id);

-- A push mentioned a sale: it must be read.
create table sale_hints (
  id integer primary key autoincrement,
  network text not null,
  account text not null,
  sale_key text not null,
  received_at integer not null,
  retry_at integer not null,
  attempts integer not null default 0,
  constraint sale_hints_key unique (network, account, sale_key)
) strict;
create index sale_hints_due on sale_hints (network, account, retry_at);

-- A row of a network's answer that could not be read or stored.
create table unread_rows (
  network text not null,
  account text not null,
  -- Identifies the row within its account: by its sale's key, else by its text.
  row_key text not null,
  sale_key text,
  occurred_at integer,
  -- The row, shortened.
  text text not null,
  problem text not null,
  attempts integer not null default 0,
  first_at integer not null,
  seen_at integer not null,
  retry_at integer not null,
  constraint unread_rows_key primary key (network, account, row_key)
) strict;

-- Sums of commission and cashback, updated by the transactions that change sales.
create table sale_totals (
  network text not null,
  account text not null,
  -- 0n if unknown.
  store_id integer not null,
  -- `YYYY-MM`, of the sale, UTC.
  month text not null,
  sales integer not null default 0,
  -- Those that a click led to.
  clicked_sales integer not null default 0,
  amount_cents integer not null default 0,
  commission_pending_cents integer not null default 0,
  -- Of approved sales.
  commission_cents integer not null default 0,
  promised_cent_bps integer not null default 0,
  paid_cent_bps integer not null default 0,
  constraint sale_totals_key primary key (network, account, store_id, month)
) strict;
create index sale_totals_store on sale_totals (store_id, month);

-- How many clicks led to a store in a month; the sum of its slots.
create table store_clicks (
  store_id integer not null references stores (id),
  -- `YYYY-MM`, UTC.
  month text not null,
  -- PostgreSQL writers are spread over several.
  slot integer not null,
  clicks integer not null,
  constraint store_clicks_key primary key (store_id, month, slot)
) strict;

-- A buyer's claim of missing cashback.
create table claims (
  id integer primary key autoincrement,
  wallet text not null, -- : WalletAddress
  store_id integer not null references stores (id),
  click_id integer not null references clicks (id),
  order_ref text not null,
  -- The buyer's statement; it pays nothing.
  amount_cents integer not null check (amount_cents > 0),
  -- `YYYY-MM-DD`.
  purchased_on text not null,
  note text,
  state text not null check (state in ('open', 'matched', 'refused')),
  sale_id integer references sales (id),
  reason text,
  decided_by text,
  decided_at integer,
  created_at integer not null,
  constraint claims_order unique (wallet, store_id, order_ref),
  constraint claims_wallet_lower check (length(wallet) = 42 and wallet = lower(wallet))
) strict;
-- The picture that a buyer attached to a claim; erased with their profile.
create table claim_pictures (
  claim_id integer primary key references claims (id),
  wallet text not null, -- : WalletAddress
  -- Media type.
  type text not null,
  -- Base64.
  content text not null
) strict;
create index claim_pictures_wallet on claim_pictures (wallet);
create index claims_amount on claims (amount_cents, id);
create index claims_click on claims (click_id);
create unique index claims_open_click on claims (click_id) where state = 'open';
create index claims_order_ref on claims (order_ref collate binary);
create index claims_state on claims (state, id);
create index claims_wallet on claims (wallet, id);

-- The time up to which a network was read; advances once a whole window is stored.
create table affiliate_cursors (
  network text not null,
  account text not null,
  pass text not null,
  through_at integer not null,
  updated_at integer not null,
  constraint affiliate_cursors_key primary key (network, account, pass)
) strict;

create table affiliate_status (
  network text not null,
  account text not null,
  -- The times of the last minute's calls, separated by spaces.
  calls text not null default '',
  -- The network must not be called before this time.
  blocked_until integer not null default 0,
  -- When a poll last succeeded.
  read_at integer,
  error text,
  error_at integer,
  -- Rows that could not even be stored.
  drift_count integer not null default 0,
  -- The calls a minute with which every open sale is read once a day; null before the first reckoning.
  calls_needed integer,
  constraint affiliate_status_key primary key (network, account)
) strict;

create table affiliate_events (
  network text not null,
  event_id text not null,
  click_id text not null,
  kind text not null check (kind in ('report', 'confirm', 'reverse')),
  body_hash text not null,
  received_at integer not null,
  constraint affiliate_events_key primary key (network, event_id)
) strict;
create index affiliate_events_click_id on affiliate_events (click_id);

-- The first rate of a day of São Paulo (`YYYY-MM-DD`): what CHZ that was paid on it is said to be worth.
create table chz_rates (
  day text primary key not null,
  wei_per_cent integer not null check (wei_per_cent > 0),
  accepted_at integer not null
) strict;

-- A published rate.
create table fx_rates (
  currency text not null,
  -- The day of its publication, `YYYY-MM-DD`.
  day text not null,
  rate_micros integer not null check (rate_micros > 0),
  -- The rate that it differs too much from; null if it does not. Then it is used only once it is accepted.
  doubted_from integer,
  accepted_by text,
  accepted_at integer,
  read_at integer not null,
  constraint fx_rates_key primary key (currency, day)
) strict;
create index fx_rates_doubtful on fx_rates (day) where doubted_from is not null and accepted_at is null;

-- The question for the rate of a sale's day; `published_day` is the answer, once there is one.
create table fx_requests (
  currency text not null,
  day text not null,
  attempts integer not null default 0,
  due_at integer not null,
  published_day text,
  constraint fx_requests_key primary key (currency, day)
) strict;

-- Purchases, when they are due, and running totals.

create table purchases (
  -- Also the token id.
  id integer primary key autoincrement,
  wallet text not null, -- : WalletAddress
  store_id integer not null references stores (id),
  -- Frozen: the store's name at the time of the purchase.
  store_name text not null,
  amount_cents integer not null check (amount_cents > 0),
  cashback_bps integer not null check (cashback_bps between 0 and 10000),
  bonus_bps integer not null check (bonus_bps between 0 and 10000),
  token_slug text,
  -- The block at which the buyer's balance was read; null without a fan token.
  balance_block integer,
  metadata_uri text not null default '',
  source text not null check (source in ('simulated', 'live')),
  -- The rate, frozen at confirmation; null before.
  wei_per_cent integer check (wei_per_cent > 0),
  -- When its cashback becomes payable; null until it is confirmed.
  payable_at integer,
  -- The unguessable id by which an affiliate network reports the sale.
  click_id text not null unique,
  -- The part of its cashback that was kept to settle debt. docs/product.md#debt.
  offset_gwei integer not null default 0,
  -- The network approved the sale: it is confirmed and, after the hold, paid automatically.
  approved_at integer,
  -- The store or its network reversed the sale.
  reversed_at integer,
  -- Nothing is left to do: the payout is final, or the purchase is cancelled or fully offset.
  settled_at integer,
  -- The sale of this purchase; null if it is simulated.
  sale_id integer references sales (id),
  -- What its ticket carries so that the chain knows the sale, as a signed 64-bit integer; 0 if it is simulated.
  sale_ref integer not null default 0,
  -- The exact cashback in cents × basis points: at most value × percent.
  cashback_cent_bps integer not null default 0,
  created_at integer not null,
  -- How it was counted in the totals; null if it never was. Only `core/purchases/counting.ts` writes these.
  counted_status integer,
  -- Its cashback; null while its rate is not frozen.
  counted_gwei integer,
  counted_cent_bps integer not null default 0,
  counted_paid_gwei integer not null default 0,
  counted_open integer not null default 0,
  -- Where it was when it was counted; in live mode a simulated one may be `never_paid` since.
  situation text not null default 'recorded', -- : CountedSituation
  -- An admin holds it: it is neither confirmed nor paid until it is released.
  held_at integer,
  held_by text,
  held_reason text,
  -- The last person, or `service`, whose decision lets it be paid; null if nobody had to decide.
  decided_by text,
  -- As its payout is counted in `decided_days`.
  decided_day integer,
  decided_gwei integer,
  -- The request that its payout waits for.
  approval_id integer,
  constraint purchases_wallet_lower check (length(wallet) = 42 and wallet = lower(wallet)),
  constraint purchases_total_bps check (cashback_bps + bonus_bps <= 10000)
) strict;
create index purchases_amount on purchases (amount_cents, id);
create index purchases_sale on purchases (sale_id) where sale_id is not null;
create index purchases_state on purchases ((case
  when held_at is not null and settled_at is null then 'held'
  when counted_status = 3 then 'cancelled'
  when counted_status = 2 then
    case when counted_paid_gwei > 0 then 'paid' when settled_at is not null then 'settled' else 'confirmed' end
  when counted_status = 1 then 'pending'
  else 'processing' end), id);
create index purchases_settled on purchases (store_id, settled_at) where settled_at is not null;
create index purchases_simulated_open on purchases (wallet)
  where source = 'simulated' and counted_status < 2 and reversed_at is null;
create index purchases_unpaid on purchases (wallet, id)
  where counted_status = 2 and settled_at is null and reversed_at is null;
create index purchases_wallet on purchases (wallet, id);

-- When the next step of a purchase is due; without a row, only a change can lead to one.
create table due_purchases (
  purchase_id integer primary key not null,
  due_at integer,
  -- The same as a block that the index must have reached.
  due_block integer,
  -- Why its next step could not be decided when it was due, and how often.
  problem text,
  attempts integer not null default 0,
  constraint due_purchases_due check (due_at is not null or due_block is not null)
) strict;
create index due_purchases_due_at on due_purchases (due_at) where due_at is not null;
create index due_purchases_due_block on due_purchases (due_block) where due_block is not null;
create index due_purchases_problem on due_purchases (attempts) where attempts > 0;

-- What changed for many sales or payouts at once, and up to which one they were decided anew.
create table changed_facts (
  fact text primary key not null, -- : ChangedFact
  store_id integer not null,
  after_id integer not null
) strict;

-- Totals of a buyer's purchases. Cashback without a frozen rate is summed as cents × basis points.
create table buyer_totals (
  wallet text primary key not null, -- : WalletAddress
  processing integer not null default 0,
  pending integer not null default 0,
  confirmed integer not null default 0,
  cancelled integer not null default 0,
  -- Of processing and pending purchases.
  pending_gwei integer not null default 0,
  pending_cent_bps integer not null default 0,
  confirmed_gwei integer not null default 0,
  confirmed_cent_bps integer not null default 0,
  paid_gwei integer not null default 0,
  -- Grows with every change of the others.
  revision integer not null default 0
) strict;

-- Totals of the whole shop; add up the rows of a name.
create table shop_totals (
  name text not null,
  slot integer not null,
  value integer not null,
  constraint shop_totals_key primary key (name, slot)
) strict;
insert into shop_totals (name, slot, value) values ('users', 0, 0);

-- Totals of a UTC day; add up the rows of a name.
create table day_totals (
  -- Days since 1970-01-01.
  day integer not null,
  name text not null,
  slot integer not null,
  value integer not null,
  constraint day_totals_key primary key (day, name, slot)
) strict;

-- What simulated purchases of a UTC day are worth; the empty wallet stands for all.
create table simulated_days (
  day integer not null,
  wallet text not null,
  cents integer not null,
  constraint simulated_days_key primary key (day, wallet)
) strict;

-- The payouts that one person's decisions led to in a UTC day, those that wait for a second person included.
create table decided_days (
  decider text not null,
  day integer not null,
  gwei integer not null,
  constraint decided_days_key primary key (decider, day)
) strict;

-- The debt for a paid purchase; negative if it is lifted.
create table adjustments (
  purchase_id integer not null references purchases (id),
  -- The revision that caused it; 0n for a purchase without a sale.
  revision_id integer not null,
  wallet text not null, -- : WalletAddress
  cent_bps integer not null,
  amount_gwei integer not null,
  created_at integer not null,
  constraint adjustments_key primary key (purchase_id, revision_id),
  constraint adjustments_buyer_lower check (length(wallet) = 42 and wallet = lower(wallet))
) strict;
create index adjustments_wallet on adjustments (wallet);

-- What buyers are told.

create table events (
  id integer primary key autoincrement,
  wallet text not null, -- : WalletAddress
  kind text not null, -- : EventKind
  -- The purchase, or of a claim's events the claim.
  subject_id integer not null,
  -- Of a debt the revision that caused it; otherwise 0. A kind, subject and part happen once.
  part integer not null default 0,
  -- As they were when it happened.
  store_name text not null,
  amount_cents integer not null,
  -- The cashback, payout, credit or debt; null if there is none, or its rate is not frozen.
  amount_gwei integer,
  reason text,
  created_at integer not null,
  -- When it may go into an e-mail; null if it is in one, or need not be.
  mail_at integer,
  constraint events_subject unique (subject_id, kind, part),
  constraint events_wallet_lower check (length(wallet) = 42 and wallet = lower(wallet))
) strict;
create index events_mail_at on events (mail_at) where mail_at is not null;
create index events_wallet on events (wallet, id);

-- A user who has read events, or wants e-mails; without a row, nothing is read and none is wanted.
create table event_readers (
  wallet text primary key not null, -- : WalletAddress
  -- Events up to this id are read.
  read_through integer not null default 0,
  -- Of e-mails.
  -- A key of `core/rules/languages.ts`; another one counts as the default.
  language text not null default 'pt',
  -- The topics of e-mails, separated by spaces.
  mail_topics text not null default '',
  -- When they were chosen last, in ms.
  mail_chosen_at integer not null default 0,
  -- The verified address; null until then, and after the profile's address has changed.
  mail_address text,
  -- In the links that end e-mails without a login.
  unsubscribe_token text unique,
  -- SHA-256 of the token in the link that verifies `verify_address`, valid once until `verify_until`.
  verify_hash text unique,
  verify_address text,
  verify_until integer
) strict;

-- E-mails, each written before it is sent. Their texts are deleted once they are.
create table mails (
  id integer primary key autoincrement,
  wallet text not null, -- : WalletAddress
  kind text not null check (kind in ('events', 'verify')),
  address text not null,
  subject text not null,
  text text not null,
  html text not null,
  unsubscribe_token text,
  -- The same for the same events, so that a repeat is recognisable.
  message_id text not null unique,
  created_at integer not null,
  -- When it is sent, or tried again; null if it was sent or given up.
  due_at integer,
  attempts integer not null default 0,
  error text,
  sent_at integer
) strict;
create index mails_due_at on mails (due_at) where due_at is not null;
create index mails_waiting on mails (created_at) where due_at is not null;
create index mails_wallet on mails (wallet, created_at);
create index mails_links on mails (lower(address), created_at) where kind = 'verify';

-- The outbox.

create table transactions (
  id integer primary key autoincrement,
  sender text not null, -- : WalletAddress
  nonce integer not null,
  to_address text not null, -- : WalletAddress
  data text not null, -- : Hex
  gas_limit integer not null,
  -- `signed` has a nonce and stored bytes, `mined` a receipt, `confirmed` a final receipt; `void` lost its nonce to
  -- a transaction that is not ours.
  status text not null check (status in ('signed', 'mined', 'confirmed', 'void')),
  -- 1n if the receipt reports success.
  succeeded integer,
  mined_hash text, -- : Hex
  block_number integer,
  block_hash text,
  -- The fencing token of the lease under which this was created.
  fencing_token integer not null,
  created_at integer not null,
  updated_at integer not null,
  constraint transactions_sender_nonce unique (sender, nonce)
) strict;
create index transactions_status on transactions (status);

create table transaction_hashes (
  hash text primary key not null, -- : Hex
  transaction_id integer not null references transactions (id),
  raw text not null, -- : Hex
  max_fee_wei integer not null,
  max_priority_fee_wei integer not null,
  created_at integer not null,
  sent_at integer
) strict;
create index transaction_hashes_transaction_id on transaction_hashes (transaction_id);

create table operations (
  id integer primary key autoincrement,
  kind text not null, -- : OperationKind
  -- A purchase id, or a store id for the store kinds. One row per kind and subject.
  subject_id integer not null,
  -- For `pay`, the amount of the payout.
  amount_gwei integer,
  status text not null check (status in ('queued', 'assigned', 'waiting', 'done', 'failed', 'withdrawn')),
  transaction_id integer references transactions (id),
  -- Not sent before this time.
  not_before integer not null,
  -- How many transactions with only this operation have reverted.
  attempts integer not null default 0,
  -- Why it waits or failed; null in every other status.
  reason text, -- : OperationReason
  -- With a reason of `LIMIT_REASONS`: what the limit allows, if known, in CHZ; of `rate_too_high` in CHZ per real.
  limit_chz text,
  -- The reason as a sentence, with figures.
  error text,
  -- When it entered this status for this reason.
  since integer not null,
  -- The maximum number of operations in a transaction with this one; null if only the batch size limits it.
  batch_limit integer,
  created_at integer not null,
  updated_at integer not null,
  constraint operations_kind_subject unique (kind, subject_id)
) strict;
create index operations_due on operations (status, kind, not_before) where status in ('queued', 'waiting', 'failed');
create index operations_listed on operations (status, kind, id);
create index operations_pay_amount_done on operations (amount_gwei, id) where kind = 'pay' and status = 'done';
create index operations_pay_amount_open on operations (amount_gwei, id) where kind = 'pay' and status <> 'done';
create index operations_set_aside on operations (kind, reason, amount_gwei)
  where status = 'waiting';
create index operations_stuck on operations (status, kind, reason, since)
  where status in ('waiting', 'failed');
create index operations_transaction_id on operations (transaction_id) where transaction_id is not null;

-- The index of the chain.

-- The blocks with a known hash: the newest ones without a gap, and of the older ones a sparse set and those with
-- events.
create table chain_blocks (
  number integer primary key not null,
  hash text not null,
  -- Seconds, as on the chain.
  timestamp integer not null
) strict;

-- Rows arrive in the order of the primary key, so SQLite needs no separate tree for them.
-- The events as read from the chain, in order. A block's hash and time are in `chain_blocks`.
create table chain_events (
  block_number integer not null,
  log_index integer not null,
  transaction_hash text not null,
  kind text not null,
  token_id integer,
  -- The decoded arguments as JSON, integers as text.
  arguments text not null,
  constraint chain_events_key primary key (block_number, log_index)
) strict, without rowid;
create index chain_events_token_id on chain_events (token_id);

-- The last indexed block.
create table chain_cursor (
  -- Always 1n.
  id integer primary key not null check (id = 1),
  block_number integer not null,
  block_hash text not null
) strict;

-- The indexed source. If the configuration differs, the index is rebuilt.
create table chain_source (
  -- Always 1n.
  id integer primary key not null check (id = 1),
  chain_id integer not null,
  purchase_nft text not null, -- : WalletAddress
  cashback_distributor text not null, -- : WalletAddress
  start_block integer not null
) strict;

create table nfts (
  token_id integer primary key not null,
  owner text not null, -- : WalletAddress
  store_id integer not null,
  value_cents integer not null,
  cashback_bps integer not null,
  bonus_bps integer not null,
  -- The reference of its sale, as a signed 64-bit integer; 0 without one. docs/product.md#sale-ref
  sale_ref integer not null default 0,
  -- `CHAIN_STATUS`.
  status integer not null check (status between 1 and 3),
  mint_transaction text not null,
  minted_block integer not null,
  minted_at integer not null,
  status_transaction text,
  status_block integer,
  status_at integer
) strict;
create index nfts_owner on nfts (owner, token_id);
create index nfts_sale_ref on nfts (sale_ref) where sale_ref <> 0;

create table payouts (
  token_id integer primary key not null,
  recipient text not null, -- : WalletAddress
  amount_gwei integer not null,
  state text not null check (state in ('paid', 'deferred')),
  transaction_hash text not null,
  block_number integer not null,
  log_index integer not null,
  paid_at integer not null
) strict;
create index payouts_block on payouts (block_number, log_index);
create index payouts_deferred on payouts (recipient, block_number) where state = 'deferred';
create index payouts_recipient on payouts (recipient, block_number);
create index payouts_recipient_paid_at on payouts (recipient, paid_at, token_id);

-- Administration.

-- A payout that takes a second person. docs/product.md#panel-approvals
create table approvals (
  id integer primary key autoincrement,
  purchase_id integer not null references purchases (id),
  -- The buyer.
  wallet text not null, -- : WalletAddress
  amount_gwei integer not null,
  -- `used`: the payout is queued with it. `renewed`: it was refused, and somebody has decided again since. `lapsed`: its
  -- amount, buyer or decider changed.
  state text not null check (state in ('open', 'approved', 'refused', 'used', 'renewed', 'lapsed')),
  -- Whose decision leads to the payout: a wallet, or `service`.
  asked_by text not null,
  decided_by text,
  decision_reason text,
  created_at integer not null,
  decided_at integer
) strict;
create index approvals_amount_gwei_id on approvals (amount_gwei, id);
create index approvals_asked_by_id on approvals (asked_by, id);
create index approvals_purchase_id_id on approvals (purchase_id, id);
create index approvals_state on approvals (state, id);
create index approvals_wallet_id on approvals (wallet, id);

-- Notices of open tasks, and whether the receiver has acknowledged them.
create table notices (
  id integer primary key autoincrement,
  kind text not null,
  -- JSON.
  body text not null,
  created_at integer not null,
  -- When it is sent next; null once acknowledged or given up.
  due_at integer,
  attempts integer not null default 0,
  -- Why the last delivery failed.
  error text,
  sent_at integer
) strict;
create index notices_created_at on notices (created_at);
create index notices_due_at on notices (due_at) where due_at is not null;

create table settings (
  name text primary key not null,
  value text not null,
  updated_at integer not null
) strict;

create table audit_log (
  id integer primary key autoincrement,
  at integer not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail text not null,
  previous_hash text not null unique,
  hash text not null
) strict;
create index audit_log_action on audit_log (action collate binary, id);
create index audit_log_actor on audit_log (actor collate binary, id);
create index audit_log_subject on audit_log (subject collate binary, id);

create table idempotency_keys (
  key text not null,
  wallet text not null,
  request_hash text not null,
  status integer not null,
  response text not null,
  created_at integer not null,
  constraint idempotency_keys_key primary key (wallet, key)
) strict;
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- One writer at a time.
create table leases (
  name text primary key not null,
  holder text not null,
  -- Incremented for every new holder; a writer with a smaller token is rejected.
  fencing_token integer not null,
  expires_at integer not null
) strict;
