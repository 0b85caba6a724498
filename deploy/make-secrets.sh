#!/bin/sh
# Writes fresh passwords for compose.yaml into deploy/secrets, once; what is there already stays as it is.
set -eu
cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo 'deploy/secrets is there already; nothing was changed' >&2
  exit 0
fi

password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
postgres=$(password)
valkey=$(password)

# The folder is closed to others; the files in it are readable, for the users inside the containers are not its owner.
unfinished=$(mktemp -d secrets.XXXXXX)
umask 022
printf '%s\n' "$postgres" >"$unfinished/postgres_password"
printf 'postgres://animals:%s@postgres:5432/animals\n' "$postgres" >"$unfinished/database_url"
printf 'redis://:%s@valkey:6379\n' "$valkey" >"$unfinished/redis_url"
printf 'requirepass %s\n' "$valkey" >"$unfinished/valkey_conf"
mv "$unfinished" secrets
