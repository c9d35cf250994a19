-- What an account gets of the day's cap. Adds only: 1.0.0 works on beside it. docs/product.md#day-share
-- Whose share of the day's cap a payout takes; null: nobody's, or queued by 1.0.0.
alter table operations add column share_id integer;
create index operations_share on operations (share_id, status, reason, amount_gwei)
  where kind = 'pay' and status in ('queued', 'waiting');

-- What was sent of an account's payouts on a UTC day; the last two days.
create table account_sent (
  -- Days since 1970-01-01.
  day integer not null,
  account_id integer not null,
  gwei integer not null,
  primary key (day, account_id)
) strict;
