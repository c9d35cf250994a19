-- What a person released of a hold of its purchases, and up to which cashback, as JSON; null: nobody did.
alter table sales add column let_go text;
-- When it was last decided anew though none of its own facts had changed; counts while it is held.
alter table sales add column reviewed_at integer not null default 0;
create index sales_reviewed on sales (reviewed_at, id) where state = 'held';
create index sales_undated on sales (wallet, created_at) where occurred_at is null;
