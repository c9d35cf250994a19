-- When the network began to report the sale with an earlier change time than one that it gave before.
alter table sales add column older_since integer;

-- The rate (wei per centavo) of the transaction; null: not read yet.
alter table payouts add column wei_per_cent integer;
create index payouts_without_rate on payouts (block_number) where wei_per_cent is null;

-- Without a network it is a direct shop: it was one before 1.1, or is a sample.
alter table stores add column unlinked_is_direct integer;
update stores set unlinked_is_direct = 1 where network is null;

-- The accounts that are configured or were, by each name that they had. An account's sales are recorded under its first
-- name.
create table account_names (
  network text not null,
  name text not null,
  -- The first name.
  account text not null,
  -- What the network calls it; null if it was not configured since 1.1.
  identity text,
  -- When it was no longer configured; null: it is, or nobody has looked yet.
  gone_at integer,
  primary key (network, name)
) strict;
insert into account_names (network, name, account) select distinct network, account, account from sales;
