-- What the shop loses by commissions below the cashback. Adds only: 1.0.0 works on beside it. docs/product.md#margin-loss

-- What a sale goes on with though its commission is lower, in cents × basis points, and the month of the sale that counts it.
alter table sales add column lost_cent_bps integer not null default 0;
alter table sales add column lost_month text;

-- The sums by account and month, UTC.
create table account_losses (
  network text not null,
  account text not null,
  -- "2026-11"
  month text not null,
  lost_cent_bps integer not null default 0,
  constraint account_losses_key primary key (network, account, month)
) strict;
