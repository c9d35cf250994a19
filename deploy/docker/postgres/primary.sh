#!/bin/sh
# Runs once, when the primary's data folder is new: a role for the standby, a slot that keeps what it has not read, and from
# the next start on a commit is acknowledged when the standby has it too. After a promotion clear that setting on the new
# primary until it has a standby: alter system reset synchronous_standby_names.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" --username "$POSTGRES_USER" <<'END'
create role replicator replication login password :'password';
select pg_create_physical_replication_slot('standby');
alter system set synchronous_standby_names = 'FIRST 1 (standby)';
END
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
