-- Whose change it was, so that what it frees is that person's decision; null: nobody's, or of 1.0.0.
alter table changed_facts add column said_by text;

-- Who has said something about a store, an account, a fan token or an order. Adds only: 1.0.0 works on beside it.
-- docs/product.md#who-frees
create table fact_authors (
  author text not null,
  -- As the audit log names it: `store:12`, `account:direct/acme`, `fan_token:mengo`, `order:a-1`.
  subject text not null,
  said_at integer not null,
  primary key (author, subject)
) strict;
