-- What the contracts say beside their tickets' lives. Adds only: 1.0.0 works on beside it. docs/indexer.md#contract-events

-- Roles, limits, pauses, money, stores, pictures: each event once. Rolled back and made anew with the index.
create table contract_events (
  block_number integer not null,
  log_index integer not null,
  transaction_hash text not null,
  contract text not null, -- : WalletAddress
  event text not null,
  -- The ticket that it is about; null if none.
  token_id integer,
  -- As JSON, by the contract's own names; integers as text.
  arguments text not null,
  -- Its block's time.
  at integer not null,
  constraint contract_events_key primary key (block_number, log_index)
) strict, without rowid;
create index contract_events_event on contract_events (event, block_number);
create index contract_events_token_id on contract_events (token_id) where token_id is not null;

-- From which block on an act of a cold key rings: what is before was there before anybody watched.
create table watched_contracts (
  contract text primary key not null, -- : WalletAddress
  from_block integer not null,
  -- 1 once what an index of an earlier version lacks is read.
  is_read integer not null
) strict;

-- Acts of cold keys that are in the log. They stay if a reorg takes the transaction: somebody signed it.
create table contract_acts (
  id integer primary key autoincrement,
  transaction_hash text not null,
  contract text not null, -- : WalletAddress
  event text not null,
  arguments text not null,
  -- `rung`; `listed`: before anybody watched; `deployed`: by the deployment itself.
  standing text not null,
  seen_at integer not null,
  constraint contract_acts_act unique (transaction_hash, contract, event, arguments)
) strict;

-- A ticket that its owner has burnt, and where; null: it is not. docs/product.md#burnt
alter table nfts add column burnt_transaction text;
-- Milliseconds.
alter table nfts add column burnt_at integer;
