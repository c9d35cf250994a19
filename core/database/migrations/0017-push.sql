-- Web push. Adds only: 1.0.0 works on beside it. docs/product.md#push

-- When it may go to the devices of its reader; null if it has, or need not.
alter table events add column push_at integer;
create index events_push_at on events (push_at) where push_at is not null;

-- What a user wants on their devices; without a row, nothing.
create table push_readers (
  wallet text primary key not null, -- : WalletAddress
  -- As of e-mails, separated by spaces.
  topics text not null,
  -- A key of `core/rules/languages.ts`; another one counts as the default.
  language text not null,
  -- Whether a lock screen may show what an event is worth.
  show_amounts integer not null default 0
) strict;

-- A browser that takes messages, by what its push service gave it.
create table push_devices (
  id integer primary key autoincrement,
  wallet text not null, -- : WalletAddress
  -- SHA-256 of the token of the session that added it, with whose end it goes.
  session_hash text not null,
  endpoint text not null unique,
  -- Its keys, base64url. RFC 8291
  p256dh text not null,
  auth text not null,
  created_at integer not null
) strict;
create index push_devices_wallet on push_devices (wallet, id);
create index push_devices_session on push_devices (session_hash);

-- Messages that wait, each of an event for a device; deleted once sent. Their texts are made as they are sent.
create table pushes (
  id integer primary key autoincrement,
  device_id integer not null references push_devices (id) on delete cascade,
  event_id integer not null references events (id) on delete cascade,
  created_at integer not null,
  -- When it is sent, or tried again.
  due_at integer not null,
  attempts integer not null default 0,
  constraint pushes_event unique (device_id, event_id)
) strict;
create index pushes_due_at on pushes (due_at);
create index pushes_waiting on pushes (created_at);
create index pushes_events on pushes (event_id);
