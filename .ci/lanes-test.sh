#!/usr/bin/env bash
# Runs lanes.sh with stubs: lanes that pass, fail always, fail once, and fail beside another.
set -euo pipefail
source "$(dirname "$0")/lanes.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passing() { echo fine; }
stops_early() {
  false
  echo 'goes on after a failure' >"$work/went-on"
}
fails_once() {
  [ -e "$work/second" ] && return 0
  touch "$work/second"
  echo '  ● orders › are placed once (12 ms)'
  return 1
}
two_tests() {
  echo '  ● pets › are listed'
  [ -n "${AGAIN:-}" ] || echo '  ● pets › are counted'
  return 1
}
beside() { echo beside; }

expect() { # TEXT
  if [[ $(<"$work/out") != *"$1"* ]]; then
    cat "$work/out"
    echo "lanes-test: expected: $1"
    exit 1
  fi
}
run() { # EXIT-CODE LANES…
  local expected=$1 code each
  shift
  rm -f "$work/second" "$work/lanes"
  (
    for each; do lane "$each lane" "$each" & done
    wait
    finish_lanes
  ) >"$work/out" 2>&1 &
  wait $! && code=0 || code=$?
  [ "$code" = "$expected" ] || { cat "$work/out"; echo "lanes-test: exit code $code"; exit 1; }
}

run 0 passing beside
expect 'passing lane | fine'
expect '2 passed, 0 failed'

run 1 passing stops_early
expect $'stops_early lane: (no output)\n  broken: fails in the lane and alone'
expect '1 passed, 1 failed'
[ ! -e "$work/went-on" ] || { echo 'lanes-test: a lane goes on after a failure'; exit 1; }

run 1 fails_once
expect $'fails_once lane: ● orders › are placed once\n  flaky: fails in the lane, passes alone'
expect '0 passed, 1 failed'

run 1 two_tests
expect $'two_tests lane: ● pets › are counted\n  flaky: fails in the lane, passes alone'
expect $'two_tests lane: ● pets › are listed\n  broken: fails in the lane and alone'
echo 'lanes-test: as expected'
