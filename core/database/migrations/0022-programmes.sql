-- What affiliate networks say of the shops that an account works with, percents that follow it, and stores that pause with it.
-- Adds only: 1.0.0 works on beside it. docs/product.md#programmes

-- A shop that an account works with, as its network says it.
create table programmes (
  id integer primary key autoincrement,
  network text not null,
  account text not null,
  -- By which the network's reports name it.
  advertiser_id text not null,
  -- As in `stores`, made fit for one.
  name text not null,
  -- The name for searching: `searchKey`.
  name_key text collate binary not null default '',
  country text,
  store_url text,
  domains text,
  link_code text,
  category text,
  -- 'active', 'paused', 'ended', as the network says it; 'left': two rounds a day apart did not have it.
  state text not null,
  -- Its commission groups, as JSON; null: not read yet.
  groups text,
  -- How many days a sale usually takes until it is approved and paid, in the network's words.
  expected_days integer,
  -- When its groups are read next, where that takes a call of their own.
  groups_due_at integer not null,
  -- The round that had it last, and since when rounds have not had it.
  seen_at integer not null,
  missing_since integer,
  -- As a suggestion: 'open', 'accepted', 'dismissed', 'gone' while the network does not offer it.
  suggestion text not null default 'open',
  store_id integer references stores (id),
  -- What its store took of it, and was proposed since, as JSON.
  taken text,
  created_at integer not null,
  updated_at integer not null
) strict;
create unique index programmes_key on programmes (network, account, advertiser_id);
create index programmes_suggested on programmes (suggestion, id);
create index programmes_name on programmes (name_key collate binary, id);
create index programmes_due on programmes (network, account, groups_due_at);
create index programmes_store on programmes (store_id);

-- Each account's rounds over its programmes.
create table programme_rounds (
  network text not null,
  account text not null,
  -- When the last one began, and when the next one does.
  began_at integer not null default 0,
  next_at integer not null default 0,
  -- How many stores the last one would have changed at once, and did not; null: it was none too many.
  withheld integer,
  -- Why the last one could not be read, in the network's words.
  problem text,
  -- Until when a person has accepted what is withheld.
  accepted_until integer not null default 0,
  constraint programme_rounds_key primary key (network, account)
) strict;
create index programme_rounds_withheld on programme_rounds (network) where withheld is not null;

-- The part of the commission that buyers get, in hundredths; null: its account's, or the shop's.
alter table stores add column cashback_share_percent integer;
-- Since when its network's programme is paused, ended or left; null: it is not.
alter table stores add column paused_since integer;
-- 'paused', 'ended', 'left', 'no_commission'.
alter table stores add column paused_reason text;

-- 1n if a person set its percent; 0n if it follows the commission.
alter table store_cashbacks add column is_by_hand integer not null default 1;
alter table store_cashbacks add column cashback_share_percent integer;
-- What the network pays for its group, as it was last read; null: not known, or no percent.
alter table store_cashbacks add column commission_bps integer;
-- Up to which percent a person agreed that it follows.
alter table store_cashbacks add column agreed_bps integer;
-- The last higher percent that was proposed.
alter table store_cashbacks add column proposed_bps integer;
-- Since when the network no longer has its group.
alter table store_cashbacks add column group_gone_at integer;
create index store_cashbacks_above on store_cashbacks (store_id)
  where is_by_hand = 1 and cashback_bps > commission_bps and deleted_at is null;
create index store_cashbacks_group_gone on store_cashbacks (store_id)
  where group_gone_at is not null and deleted_at is null;
