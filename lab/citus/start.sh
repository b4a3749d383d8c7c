#!/bin/sh
# Starts a coordinator and some workers of Citus on this machine, for tests. Nodes that are new are created and added.
#   start.sh DIRECTORY [FIRST_PORT] [WORKERS] [DATABASE]
# The coordinator listens on FIRST_PORT, and the workers on the next ports. As root, the servers run as `postgres`.
# SETTINGS: more lines for postgresql.conf, at the first start. stop.sh DIRECTORY stops them.
set -eu
directory=${1:?the directory}
first=${2:-6001}
workers=${3:-2}
database=${4:-shop}
bin=${PG_BIN:-$(pg_config --bindir)}
host=127.0.0.1

as_server() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}
sql() {
  "$bin/psql" -X -q -t -v ON_ERROR_STOP=1 -h "$host" -U postgres -p "$1" -d "$2" -c "$3" >/dev/null
}

mkdir -p "$directory"
[ "$(id -u)" != 0 ] || chown postgres "$directory"
number=0
while [ "$number" -le "$workers" ]; do
  port=$((first + number))
  data=$directory/node-$number
  is_new=
  if [ ! -e "$data/PG_VERSION" ]; then
    is_new=yes
    as_server "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C >"$directory/initdb-$number.log" 2>&1
    cat >>"$data/postgresql.conf" <<CONF
shared_preload_libraries = 'citus'
listen_addresses = '$host'
port = $port
unix_socket_directories = '$directory'
max_connections = 300
max_prepared_transactions = 300
# A move of a shard without a pause needs it.
wal_level = logical
# Otherwise a lost worker keeps its callers waiting.
citus.node_connection_timeout = 2000
tcp_user_timeout = 2000
${SETTINGS:-}
CONF
    # A worker does not get the lock_timeout of a session on the coordinator.
    [ "$number" = 0 ] || echo "lock_timeout = '3s'" >>"$data/postgresql.conf"
  fi
  as_server "$bin/pg_ctl" -D "$data" status >/dev/null 2>&1 ||
    as_server "$bin/pg_ctl" -D "$data" -l "$data/log" -w -t 60 start >/dev/null
  if [ -n "$is_new" ]; then
    sql "$port" postgres "create database $database"
    sql "$port" "$database" 'create extension citus'
    if [ "$number" = 0 ]; then
      sql "$first" "$database" "select citus_set_coordinator_host('$host', $first)"
      # New shards are placed on workers only.
      sql "$first" "$database" "select citus_set_node_property('$host', $first, 'shouldhaveshards', false)"
    else
      sql "$first" "$database" "select citus_add_node('$host', $port)"
    fi
  fi
  number=$((number + 1))
done
