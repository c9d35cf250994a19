-- Where a session last wrote. Adds only: 1.0.0 works on beside it. docs/operations.md#a-read-replica
-- The position in PostgreSQL's write-ahead log that this session's reads need, in bytes; null: any. Only with a read replica.
alter table sessions add column written_position integer;
