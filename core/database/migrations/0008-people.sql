-- What signed in: `phone` or `computer`; null if that is not known.
alter table sessions add column device text; -- : Device

-- By what a link is counted, as keyed hashes: its inbox, the inbox's domain and the address that asked for it. Null: another
-- kind of e-mail, or a domain that is not counted.
alter table mails add column inbox_hash text;
alter table mails add column domain_hash text;
alter table mails add column origin_hash text;
create index mails_inbox on mails (inbox_hash, created_at) where inbox_hash is not null;
create index mails_domain on mails (domain_hash, created_at) where domain_hash is not null;
create index mails_origin on mails (origin_hash, created_at) where origin_hash is not null;
