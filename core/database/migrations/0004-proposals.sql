-- retype sign_in_nonces.purpose: 'register' | 'login' | 'erase' | 'email'

-- A change that moves buyers or money without naming an amount, or that cannot be undone. docs/product.md#proposals
create table proposals (
  id integer primary key autoincrement,
  kind text not null, -- : ProposalKind
  -- A store's, a fan token's or another row's id as text, or a wallet in lower case.
  subject_id text not null,
  -- The fields that it changes, as JSON: before and after.
  from_fields text not null,
  to_fields text not null,
  state text not null, -- : ProposalState
  -- 1n: the owner of a profile erases it, which needs nobody.
  is_own integer not null default 0,
  -- A wallet.
  asked_by text not null,
  reason text,
  -- When it takes effect, as told to everybody; null until a second person agrees.
  takes_effect_at integer,
  -- When it takes effect by itself; null if a person decides first, or it has.
  due_at integer,
  decided_by text,
  decision_reason text,
  created_at integer not null,
  decided_at integer
) strict;
create index proposals_asked_by on proposals (asked_by, kind, created_at);
create index proposals_due_at on proposals (due_at) where due_at is not null;
create index proposals_listed on proposals (id) where is_own = 0;
create index proposals_state on proposals (state, id) where is_own = 0;
create index proposals_subject on proposals (subject_id, kind, id);

-- What people typed about a row of the audit log. Beside it, because the log's hashes could not forget it.
create table audit_notes (
  audit_id integer primary key,
  -- Whom it is about; it is erased with their profile. Null: no person.
  wallet text,
  -- JSON: the words, by the parameter of the log's sentence.
  words text not null
) strict;
create index audit_notes_wallet on audit_notes (wallet) where wallet is not null;

-- HMAC-SHA-256 of the row's hash, by a key that is not in the database; null where there is none.
alter table audit_log add column mac text;
