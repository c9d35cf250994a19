#!/bin/sh
# Copies the primary once, then follows it. To promote it: docker compose exec postgres-standby pg_ctl promote -D "$PGDATA",
# after the primary is certainly dead (docs/runbook/database-away.md).
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  until PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup -h postgres -U replicator -D "$PGDATA" -S standby -X stream -R -w \
    -d "application_name=standby"; do sleep 2; rm -rf "${PGDATA:?}"/*; done
fi
exec postgres -c hot_standby=on
