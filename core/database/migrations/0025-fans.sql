-- Who brought whom, and whose fans buy. Adds only: 1.0.0 works on beside it. docs/product.md#invite

-- The link by which a user invites others; a code says nothing of its wallet.
create table invite_codes (
  wallet text primary key not null, -- : WalletAddress
  code text not null unique,
  created_at integer not null
) strict;

-- One a wallet, for ever: a friend who registered by a link. docs/product.md#invite
create table invites (
  id integer primary key autoincrement,
  friend text not null unique, -- : WalletAddress
  -- Null: whose link it was has erased the profile.
  inviter text, -- : WalletAddress | null
  -- Of the registration: "2026-11", UTC.
  month text not null,
  -- `waiting`: for a person; nothing is given until one agrees.
  state text not null check (state in ('open', 'waiting')),
  -- What both get, in basis points: frozen at the friend's first click; 0 before it.
  bps integer not null default 0,
  created_at integer not null,
  -- The token of the click, or of the simulated purchase, that carries it; null: not yet.
  friend_click text unique,
  -- The click's first sale, which alone counts; null: not yet.
  friend_sale_id integer,
  inviter_click text unique,
  inviter_sale_id integer
) strict;
create index invites_inviter on invites (inviter, month);
create index invites_earning on invites (inviter, id) where friend_click is not null and inviter_click is null;
create index invites_friend_sale on invites (friend_sale_id) where friend_sale_id is not null;
create index invites_inviter_sale on invites (inviter_sale_id) where inviter_sale_id is not null;

-- From where a friend registered, and an inviter looked at the link last: keyed hashes, for a day.
create table invite_marks (
  wallet text primary key not null, -- : WalletAddress
  -- Whose link it is; of an inviter, the same wallet.
  inviter text not null, -- : WalletAddress
  address_hash text not null,
  device_hash text not null,
  created_at integer not null
) strict;
create index invite_marks_inviter on invite_marks (inviter, created_at);
create index invite_marks_created_at on invite_marks (created_at);

-- The club for which a user chose to count; without a row, none. docs/product.md#fans
create table fan_clubs (
  wallet text primary key not null, -- : WalletAddress
  club text not null
) strict;

-- A fan's paid purchases of the months that are not closed: what the figures contain of them.
create table fan_payments (
  purchase_id integer primary key not null,
  wallet text not null, -- : WalletAddress
  month text not null,
  club text not null,
  gwei integer not null
) strict;
create index fan_payments_wallet on fan_payments (wallet, month, club);
create index fan_payments_month on fan_payments (month);

-- A club's fans together, by month; about nobody.
create table club_months (
  month text not null,
  club text not null,
  fans integer not null,
  purchases integer not null,
  gwei integer not null,
  primary key (month, club)
) strict;
