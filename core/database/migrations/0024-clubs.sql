-- Clubs as rows. Adds only: 1.0.0 works on beside it. docs/product.md#clubs

create table clubs (
  slug text primary key not null,
  name text not null,
  -- As a list in JSON.
  aliases text not null,
  -- Two or three `#rrggbb`, separated by spaces.
  colours text not null,
  -- A word of `CLUB_PATTERNS`.
  pattern text not null,
  -- ISO 3166.
  country text not null,
  -- The fan token that a person joined to it.
  token_slug text,
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer
) strict;

-- What a text may say to mean a club, as `clubKey` writes it. A name of two clubs means none. docs/product.md#club-names
create table club_names (
  name_key text collate binary not null,
  club_slug text not null,
  primary key (name_key, club_slug)
) strict;
create index club_names_club on club_names (club_slug);

-- The club that a person chose, or that the text of `club` means.
alter table stores add column club_slug text;
-- 1 if a person chose it: only then does the club's token decide a bonus. docs/product.md#club-match
alter table stores add column club_accepted integer not null default 0;
create index stores_club on stores (club_slug) where club_slug is not null;
create index stores_club_key on stores (club_key) where club_key > '';
