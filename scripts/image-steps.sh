#!/usr/bin/env bash
# Does on this machine what deploy/Dockerfile does, and starts the result as a container would: production
# dependencies only, an unprivileged user, a read-only tree, one writable folder. Says what it weighs.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH="$root/node_modules/.bin:$PATH"

work=$(mktemp -d)
service=0
finish() {
  if [ "$service" != 0 ]; then kill -9 "$service" 2>/dev/null || true; fi
  chmod -R u+w "$work"
  rm -rf "$work"
}
trap finish EXIT
fail() {
  echo "$*"
  if [ -f "$work/log" ]; then cat "$work/log"; fi
  exit 1
}

template=$(echo node_modules/.cache/animal-store/*.gz)
if [ ! -f dist/main.js ] || [ ! -f "$template" ]; then npm run --silent build; fi

# The image's Node is its own; here it is the project's, copied to where any user may run it.
mkdir "$work/app" "$work/bin"
cp -L node_modules/.bin/node "$work/bin/node"
cp package.json package-lock.json .npmrc "$work/app"
(cd "$work/app" && sh "$root/deploy/install-production.sh")
rm "$work/app/package-lock.json" "$work/app/.npmrc"
cp -R dist "$work/app/dist"
mkdir -p "$work/app/node_modules/.cache/animal-store"
cp node_modules/.cache/animal-store/*.gz "$work/app/node_modules/.cache/animal-store"

for unwanted in node typescript jest @nestjs/cli; do
  if [ -e "$work/app/node_modules/$unwanted" ]; then fail "a development dependency was installed: $unwanted"; fi
done

megabytes() { awk '{ bytes += $1 } END { printf "%.1f MB\n", bytes / 1e6 }'; }
size() { find "$@" -type f -printf '%s\n' | megabytes; }
echo "node_modules            $(size "$work/app/node_modules")"
echo "dist                    $(size "$work/app/dist")"
echo "all that an image adds  $(size "$work/app"), $(tar -C "$work" -c app | gzip | wc -c | megabytes) compressed"

mkdir -m 0700 "$work/data"
chmod 0711 "$work"
chmod -R a-w,a+rX "$work/app" "$work/bin"

# As the image's user, without any privilege, and with a root file system that nobody can write to.
confined=(env -i "PATH=$work/bin:/usr/bin:/bin" NODE_ENV=production "DATA_DIR=$work/data" PORT=53100)
if [ "$(id -u)" = 0 ]; then
  chown 1000:1000 "$work/data"
  # shellcheck disable=SC2016 # The inner shell's own arguments.
  read_only='mount --bind "$0" "$0" && mount -o remount,bind,ro / && { ! mountpoint -q /tmp || mount -o remount,bind,ro /tmp; } && exec "$@"'
  if unshare --mount sh -c "$read_only" "$work/data" true 2>/dev/null; then
    confined+=(unshare --mount sh -c "$read_only" "$work/data")
    echo 'the root file system is read-only, the data folder is not'
  else
    echo 'mounts cannot be changed here: only the tree is read-only, by its permissions'
  fi
  confined+=(setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs)
  echo 'running as user 1000'
else
  echo "not root: running as $(id -un), with a tree that is read-only by its permissions"
fi
run() { (cd "$work/app" && exec "${confined[@]}" "$@"); }

if run sh -c 'touch dist/written 2>/dev/null || touch node_modules/.cache/written 2>/dev/null'; then
  fail 'the tree can be written to'
fi

api=http://127.0.0.1:53100
# The image's own health check, word for word.
health_check=$(sed -n 's/^  CMD \(\["node".*\]\)$/\1/p' deploy/Dockerfile)
[ -n "$health_check" ] || fail 'deploy/Dockerfile has no health check'
is_healthy() { run node -e 'process.exit(require("node:child_process").spawnSync(...((c) => [c[0], c.slice(1)])(JSON.parse(process.argv[1]))).status)' "$health_check"; }
if is_healthy; then fail 'the health check passes while nothing runs'; fi

started=$(date +%s%N)
(cd "$work/app" && exec "${confined[@]}" node dist/main.js) >"$work/log" 2>&1 &
service=$!
ready=''
for _ in $(seq 300); do
  kill -0 "$service" 2>/dev/null || fail 'the service ended'
  if curl -fsS "$api/health/ready" >/dev/null 2>&1; then
    ready=$((($(date +%s%N) - started) / 1000000))
    break
  fi
  sleep 0.1
done
[ -n "$ready" ] || fail 'the service was not ready within 30 s'
echo "first start to ready    $ready ms"
is_healthy || fail 'the health check fails'

key=$(run node dist/cli.js keys create --name image --plan free --json | grep -oE 'ask_[0-9A-Za-z]{49}')
expect() { # status, curl arguments…
  local wanted=$1 got
  shift
  got=$(curl -sS -o "$work/body" -w '%{http_code}' -H "Authorization: Bearer $key" "$@")
  printf '%s %s\n' "$got" "$(head -c 200 "$work/body")"
  [ "$got" = "$wanted" ] || fail "expected $wanted"
}
expect 201 -X POST "$api/v1/pets" -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":7}'
expect 200 "$api/v1/pets?status=available"
expect 200 "$api/docs"

kill -TERM "$service"
code=0
wait "$service" || code=$?
service=0
[ "$code" = 0 ] || fail "exit code $code after SIGTERM"
grep -qE '"msg":"stopped"' "$work/log" || fail 'it did not stop as it should'
if grep -E '"level":"(warn|error|fatal)"' "$work/log"; then fail 'the log holds a warning'; fi
if grep -q 'ask_' "$work/log"; then fail 'the log holds a key'; fi
echo 'SIGTERM: exit code 0'
