#!/usr/bin/env bash
# Runs each fuzz target for a while from its corpus, keeping new inputs in build/fuzz/.
# Prints executions and coverage; exit 1 on a finding. usage: run.sh SECONDS TARGET ...
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=$1
shift
status=0
for target in "$@"; do
    found=build/fuzz/found/$target
    mkdir -p "$found"
    corpus=tests/fuzz/corpus/$target
    [ -d "$corpus" ] || corpus=
    # shellcheck disable=SC2086
    if build/fuzz/tests/fuzz/"$target"-libfuzzer -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 \
        -artifact_prefix="$found/" "$found" $corpus >"$found.log" 2>&1; then
        grep -E 'DONE|Done' "$found.log" | tail -n 2 | sed "s/^/$target: /"
    else
        tail -n 40 "$found.log"
        echo "$target: a finding: see $found"
        status=1
    fi
done
exit $status
