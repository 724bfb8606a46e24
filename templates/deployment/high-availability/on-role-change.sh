#!/bin/sh
# Patroni runs this whenever its server becomes the primary or a standby: ACTION ROLE CLUSTER.
#
# A primary can be lost while it sends a record that crosses the end of a log segment. A standby that has the first half then asks
# the new primary for the next segment. A new primary that has not begun that segment refuses: "requested starting point … is ahead of
# the WAL flush position of this server". No standby follows, every commit waits for one, and so the segment does not fill up
# either. The new primary therefore begins its next segment at once. It costs the rest of one segment, 16 MB at most.

SERVER='host=/var/run/postgresql port=5432 user=postgres dbname=postgres connect_timeout=5'
PSQL=/usr/lib/postgresql/18/bin/psql
TRIES=60

case "$2" in
  primary | master | promoted) ;;
  *) exit 0 ;;
esac
# Patroni may call before the promotion has ended: until then the server refuses.
until "$PSQL" --no-psqlrc --quiet --tuples-only --dbname="$SERVER" --command='select pg_switch_wal()'; do
  TRIES=$((TRIES - 1))
  [ "$TRIES" -gt 0 ] || exit 1
  sleep 1
done
