-- Codes and promotions of stores. Adds only: 1.0.0 works on beside it. docs/product.md#offers
create table offers (
  id integer primary key autoincrement,
  store_id integer not null references stores (id),
  -- The account whose network says it, and the network's id; null if a person wrote it.
  network text,
  account text,
  network_key text,
  title text not null,
  -- As `core/rules/text.ts` compares texts.
  title_key text not null,
  code text,
  terms text,
  -- A page of the shop.
  url text,
  with_cashback integer not null default 1,
  starts_at integer not null,
  -- Far away if nobody said one.
  ends_at integer not null,
  created_at integer not null,
  updated_at integer not null,
  -- When the network last listed it.
  seen_at integer,
  -- Whether it has begun and its store sells; its end is looked at when it is read.
  shown integer not null default 0,
  -- When it begins, if it has not.
  turns_at integer,
  constraint offers_key unique (network, account, network_key)
) strict;
create index offers_shown on offers (ends_at, id) where shown = 1;
create index offers_shown_store on offers (store_id, ends_at, id) where shown = 1;
create index offers_store on offers (store_id, id);
create index offers_turns_at on offers (turns_at) where turns_at is not null;
create index offers_ends_at on offers (ends_at);
