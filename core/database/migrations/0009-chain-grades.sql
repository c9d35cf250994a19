-- Who signs with a key, and what is read of a fan token after a click. Adds only: 1.0.0 works on beside it.

-- 1n once this wallet signed with its own key: from then on no contract signs for it. docs/product.md#sign-in-signature
alter table users add column own_key_seen integer not null default 0;

-- A bonus that could not be read at the click, as `BonusRead` in JSON; null if it was. docs/product.md#bonus-read
alter table clicks add column bonus_read text;
-- When it is tried next; null once it is decided.
alter table clicks add column bonus_due_at integer;
create index clicks_bonus_due on clicks (bonus_due_at) where bonus_due_at is not null;

-- The same of a simulated purchase, which has no click of its own.
alter table purchases add column bonus_read text;
-- When it is tried next; null once it is decided.
alter table purchases add column bonus_due_at integer;
create index purchases_bonus_due on purchases (bonus_due_at) where bonus_due_at is not null;
