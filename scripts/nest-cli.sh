#!/usr/bin/env bash
# Does in a copy of the tree what Nest's documentation shows: `nest g module`, `nest build`, `nest start --watch` and
# `npm run start:dev`. What they make starts and answers.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
group=0
# Waits for the whole group: the service goes on for a moment after the command that started it, and writes files at its end.
stop() {
  if [ "$group" = 0 ]; then return; fi
  kill -- "-$group" 2>/dev/null || true
  wait "$group" 2>/dev/null || true
  for _ in $(seq 100); do
    kill -0 -- "-$group" 2>/dev/null || break
    sleep 0.1
  done
  group=0
}
trap 'stop; rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
cp -al node_modules "$copy/node_modules" 2>/dev/null || { rm -rf "$copy/node_modules"; cp -aT node_modules "$copy/node_modules"; }
cd "$copy"
# As npm does at the end of `npm ci`, which made node_modules.
npm run --silent prepare

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
start() { # COMMAND…
  echo "== $*"
  PORT=$port DATA_DIR=$copy/data setsid "$@" >"$copy/log" 2>&1 &
  group=$!
}
answers() { # PATH PATTERN
  for _ in $(seq 600); do
    if curl -fsS "http://127.0.0.1:$port$1" 2>/dev/null | grep -q "$2"; then return; fi
    kill -0 "$group" 2>/dev/null || break
    sleep 0.2
  done
  cat "$copy/log"
  echo "$1 does not answer with $2"
  exit 1
}

echo '== nest g module visits, nest build'
npx --no nest g module visits >/dev/null
grep -q VisitsModule src/app.module.ts
npx --no nest build
start npx --no node dist/main.js
answers /health/ready ok
answers /docs/errors pet_not_found
answers /console '<html'
stop
start npx --no nest start --watch
answers /openapi.json '"title":"Animal store"'
sed -i "s/setTitle('Animal store')/setTitle('Watched store')/" src/app.setup.ts
answers /openapi.json '"title":"Watched store"'
answers /health/ready ok
stop
start npm run --silent start:dev
answers /openapi.json '"title":"Watched store"'
sed -i "s/setTitle('Watched store')/setTitle('Animal store')/" src/app.setup.ts
answers /openapi.json '"title":"Animal store"'
answers /health/ready ok
