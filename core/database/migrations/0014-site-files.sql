-- The hashed files of every build of the web app that an api served of late: each process serves those of the others' too.
-- Adds only: 1.0.0 works on beside it. docs/upgrading.md#several-processes
create table site_files (
  -- As in a URL: `/assets/index-DT4pch8p.js`, whose name has the hash of what is in it.
  path text not null primary key,
  -- base64
  content text not null,
  -- When a process that has it in its own build last said so.
  seen_at integer not null
) strict;
create index site_files_seen on site_files (seen_at);
