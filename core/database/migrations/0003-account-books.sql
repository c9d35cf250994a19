-- The books of the accounts that report sales: what may be paid for whom. docs/product.md#accounts

create table account_books (
  id integer primary key autoincrement,
  network text not null,
  account text not null,
  -- In cents, what may be paid before it has arrived, as the api that sends is configured; null: any sum.
  credit_cents integer,
  -- 1n if a person has set it.
  is_credit_set integer not null default 0,
  -- Where nobody has: the cashback of the largest 30 days before the books began, in cents.
  opening_cents integer not null default 0,
  -- The part of the day's cap that it gets while others wait.
  day_share_percent integer not null default 25,
  -- What was paid earlier is not in these books.
  began_at integer not null,
  -- The day on which it asked for ten times the usual: nothing more is paid until a person announces that day.
  stopped_day integer,
  constraint account_books_key unique (network, account)
) strict;

-- Sums of an account; add up the slots of a name.
create table account_sums (
  account_id integer not null,
  name text not null, -- : AccountSum
  -- PostgreSQL writers are spread over several.
  slot integer not null,
  value integer not null,
  constraint account_sums_key primary key (account_id, name, slot)
) strict;

-- What passed the gate on a UTC day, in cents × basis points; add up the slots.
create table account_days (
  account_id integer not null,
  -- Days since 1970-01-01.
  day integer not null,
  slot integer not null,
  cent_bps integer not null,
  constraint account_days_key primary key (account_id, day, slot)
) strict;

-- A purchase whose payout its account's books contain: queued, sent, kept for a debt, or waiting for a second person.
create table account_draws (
  purchase_id integer primary key not null,
  account_id integer not null,
  day integer not null,
  cent_bps integer not null
) strict;

-- What came back to an account: kept of a purchase for the debt of one that was returned.
create table account_recoveries (
  purchase_id integer not null,
  returned_id integer not null,
  -- Of the returned one.
  account_id integer not null,
  gwei integer not null,
  cent_bps integer not null,
  constraint account_recoveries_key primary key (purchase_id, returned_id)
) strict;
create index account_recoveries_returned on account_recoveries (returned_id);

-- A payable purchase that waits for its account.
create table account_waits (
  purchase_id integer primary key not null,
  account_id integer not null,
  reason text not null, -- : AccountWait
  -- The oldest goes first.
  payable_at integer not null,
  cent_bps integer not null,
  since integer not null
) strict;
create index account_waits_order on account_waits (account_id, payable_at, purchase_id);

-- Money that arrived from an account, by a person's word; never changed, only reversed by another row.
create table account_bookings (
  id integer primary key autoincrement,
  account_id integer not null,
  -- Negative in a row that reverses another.
  amount_cents integer not null,
  -- `YYYY-MM-DD`.
  arrived_on text not null,
  reference text not null,
  -- Identifies a line of a bank's file, so that none is booked twice.
  line_key text,
  reverses integer unique,
  booked_by text not null,
  -- The second person, if it took one.
  agreed_by text,
  created_at integer not null,
  constraint account_bookings_line unique (account_id, line_key)
) strict;
create index account_bookings_account on account_bookings (account_id, id);
create index account_bookings_booked_by on account_bookings (booked_by, created_at);

-- A day on which an account may be paid any sum.
create table account_sales_days (
  account_id integer not null,
  day integer not null,
  announced_by text not null,
  created_at integer not null,
  constraint account_sales_days_key primary key (account_id, day)
) strict;
