-- Pictures of the shops that affiliate networks tell of, and the months of all accounts. Adds only: 1.0.0 works on beside it.
-- docs/product.md#suggested-logos

-- Where its network says that its picture is.
alter table programmes add column logo_url text;
-- When its store asked for the picture, which happens once; null: not yet.
alter table programmes add column logo_asked_at integer;
create index programmes_logo on programmes (id)
  where taken is not null and logo_url is not null and logo_asked_at is null;

-- A margin is asked for by month, over all accounts and stores.
create index sale_totals_month on sale_totals (month, network, account, store_id);
create index account_losses_month on account_losses (month);
