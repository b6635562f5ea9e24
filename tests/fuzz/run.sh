#!/usr/bin/env bash
# Runs each fuzz target for a while from its corpus, keeping new inputs in build/fuzz/.
# Prints executions and coverage; exit 1 on a finding. usage: run.sh SECONDS TARGET ...
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=$1
shift
status=0

# Where a target's inputs begin: its own corpus; whole tapes are for all that read them.
corpora() {
    case $1 in
    fuzz_reader | fuzz_analyzer | fuzz_redact) echo tests/fuzz/corpus/fuzz_reader tests/fuzz/corpus/fuzz_analyzer tests/fuzz/corpus/fuzz_redact fixtures/good ;;
    *) echo "tests/fuzz/corpus/$1" ;;
    esac
}

# Lines that all inputs together reach, in each file the target uses: by gcov, in a build without sanitizers.
coverage() { # TARGET INPUT ...
    local program=build/fuzz-coverage/tests/fuzz/$1
    shift
    [ -x "$program" ] || { echo "  lines not counted: no gcc here"; return; }
    find build/fuzz-coverage -name '*.gcda' -delete
    find "$@" -type f -print0 | xargs -0 "$program" >/dev/null 2>&1
    bash tests/coverage.sh build/fuzz-coverage 2>/dev/null | awk '$1 > 0 {
            item = sprintf(" %s %.0f %%,", $3, $1)
            if (length(line item) > 100) { print " " line; line = "" }
            line = line item
        }
        END { print " " substr(line, 1, length(line) - 1) }'
}

for target in "$@"; do
    program=build/fuzz/tests/fuzz/$target-libfuzzer
    found=build/fuzz/found/$target
    mkdir -p "$found"
    # shellcheck disable=SC2046
    if "$program" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=1024 -malloc_limit_mb=64 \
        -print_final_stats=1 -artifact_prefix="$found/" "$found" $(corpora "$target") >"$found.log" 2>&1; then
        executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log")
        echo "$target: $executions executions in ${seconds} s without a finding; lines reached:"
        # shellcheck disable=SC2046
        coverage "$target" "$found" $(corpora "$target")
    else
        tail -n 40 "$found.log"
        echo "$target: a finding: see $found"
        status=1
    fi
done
exit $status
