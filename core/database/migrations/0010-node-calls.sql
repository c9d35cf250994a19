-- What each process learned of the calls that its nodes take. Adds only: 1.0.0 works on beside it. docs/operations.md#node-calls
create table node_calls (
  -- What runs it and where, such as `api host:3000`.
  process text not null,
  -- The node's URL without its path, where providers put keys.
  rpc text not null,
  -- Calls in a thousand seconds; null while none was refused.
  allowed integer,
  -- The same, in the busiest minute of the last hour.
  needed integer not null,
  told_at integer not null,
  primary key (process, rpc)
) strict;
