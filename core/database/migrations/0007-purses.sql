-- What the purses count for all apis together, and what housekeeping goes by when it deletes.

-- Sign-ins and e-mails of a caller in its ten minutes; rate-limiter-flexible writes its rows. docs/product.md#purses
create table purse_counts (
  key text primary key not null,
  points integer not null,
  -- When its ten minutes end, in ms.
  expire integer not null
) strict;
create index purse_counts_expire on purse_counts (expire);

-- When a click that led to nothing goes: `CLICK_GOES_AT`.
create index clicks_goes_at on clicks ((case when expires_at > created_at + 10368000000
  then expires_at + 864000000 else created_at + 11232000000 end), id);
create index claims_decided_at on claims (decided_at, id) where decided_at is not null;
create index affiliate_events_received_at on affiliate_events (received_at);
