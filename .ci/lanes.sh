# Sourced by .ci/run. A lane is a function with a name. It runs in its own shell, where the first command that fails ends it.
# Needs $work, a folder for logs and results.

# Runs FUNCTION as NAME, and records how it ended and how long it took. Side by side: lane A a & lane B b & wait
lane() { # NAME FUNCTION
  local started=$SECONDS status result=passed
  attempt "$1" "$2" "$work/$1.log"
  [ "$status" = 0 ] || result=failed
  printf '%s|%s|%s|%s\n' "$1" "$2" "$result" $((SECONDS - started)) >>"$work/lanes"
  printf '\n== %s: %s after %s s\n' "$1" "$result" $((SECONDS - started))
}

# Sets the caller's `status`. Never call it in a condition, where bash ignores `set -e`.
attempt() { # NAME FUNCTION LOG
  printf '\n== %s\n' "$1"
  {
    set -o pipefail
    (
      set -euo pipefail
      "$2"
    ) 2>&1 | tee "$3" | sed -u "s/^/$1 | /"
  } &
  wait $! && status=0 || status=$?
}

# Prints the names of the tests that a log reports as failed, or its last line when it names none.
failures() { # LOG
  grep -E '^ *(● .+ › |FAIL )' "$1" | sed -E 's/^ *//; s/ \([0-9.]+ m?s\)$//' | sort -u | grep . || tail -n 1 "$1" | grep . || echo '(no output)'
}

# Runs each failed lane once more and alone, only to tell flaky from broken; a lane for jest adds $AGAIN to its arguments. Prints the
# summary. Returns 1 when a lane failed, flaky or not.
finish_lanes() {
  local name function result seconds failure status passed=0 failed=0
  : >"$work/failures"
  while IFS='|' read -r name function result seconds <&3; do
    if [ "$result" = passed ]; then
      passed=$((passed + 1))
      continue
    fi
    failed=$((failed + 1))
    AGAIN='--onlyFailures --maxWorkers=1'
    attempt "$name, once more and alone" "$function" "$work/again.log" 3<&-
    while read -r failure; do
      # A lane that names no test is broken when it fails again, even when its last line differs.
      if [ "$status" = 0 ] || { [[ $failure =~ ^(●|FAIL) ]] && ! failures "$work/again.log" | grep -qxF "$failure"; }; then
        printf '%s: %s\n  flaky: fails in the lane, passes alone\n' "$name" "$failure"
      else
        printf '%s: %s\n  broken: fails in the lane and alone\n' "$name" "$failure"
      fi
    done < <(failures "$work/$name.log") >>"$work/failures"
  done 3<"$work/lanes"

  printf '\n== summary\n'
  while IFS='|' read -r name function result seconds; do
    printf '%-26s %-6s %5s s\n' "$name" "$result" "$seconds"
  done <"$work/lanes"
  printf '%-26s %-6s %5s s\n' total '' "$SECONDS"
  cat "$work/failures"
  printf '%s passed, %s failed\n' "$passed" "$failed"
  [ "$failed" = 0 ]
}
