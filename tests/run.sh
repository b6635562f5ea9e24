#!/usr/bin/env bash
# Runs the tests and counts them. usage: run.sh BUILD [all|unit|e2e|NAME ...]
# Unit tests are cmocka programs, end-to-end tests are e2e_*.sh and test_*.sh: all speak TAP.
# Ends with "N passed, N failed" (and ", N skipped"). TEST_JOBS of them run at a time (as many as there are CPUs).
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${1:?usage: run.sh BUILD [all|unit|e2e|NAME ...]}
shift
[ $# -eq 0 ] && set -- all
export BUILD CMOCKA_MESSAGE_OUTPUT=TAP
unset CMOCKA_XML_FILE
jobs=${TEST_JOBS:-$(nproc 2>/dev/null || echo 2)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# What a sanitizer finds fails the test it is found in: reports are looked for,
# and the status is one that no test expects.
sanitizer_options() { # REPORTS
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=86:log_path=$1
    export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}print_stacktrace=1:exitcode=86:log_path=$1
    # (A second signal leaves at once, without waiting for the writer: a thread not joined is no finding.)
    export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}report_thread_leaks=0:exitcode=86:log_path=$1
}

list() {
    local want
    for want in "$@"; do
        case $want in
        all) list unit e2e ;;
        unit) for t in tests/test_*.c; do echo "$BUILD/tests/$(basename "$t" .c)"; done ;;
        e2e) for t in tests/test_*.sh tests/e2e_*.sh; do [ -e "$t" ] && echo "$t"; done ;;
        *.sh) echo "tests/$(basename "$want")" ;;
        *) echo "$BUILD/tests/$want" ;;
        esac
    done
}

# Bounds: a unit test should take seconds, the kill test about a minute; sanitizers are slower.
limit_s() {
    case $1 in
    *.sh)
        local own
        own=$(sed -n 's/^# limit: \([0-9]*\) s.*/\1/p' "$1") # a test that is longer says so
        echo "${TEST_LIMIT_S:-${own:-240}}"
        ;;
    *) echo "${TEST_LIMIT_S:-120}" ;;
    esac
}

# A test that a busy machine would make lie says so in a line of its own, "# alone: why".
runs_alone() {
    case $1 in
    *.sh) grep -qE '^# alone:' "$1" ;;
    *) false ;;
    esac
}

# In a process of its own: what it has to say is printed at once, its counts are kept in a file.
run_one() {
    local name status ok not_ok skip out reports
    name=$(basename "$1")
    out=$work/$name.out reports=$work/$name.report
    sanitizer_options "$reports"
    case $1 in
    *.sh) timeout -k 5 "$(limit_s "$1")" bash "$1" >"$out" 2>&1 </dev/null ;;
    *) timeout -k 5 "$(limit_s "$1")" "$1" >"$out" 2>&1 </dev/null ;;
    esac
    status=$?
    # this cmocka says "not ok N # SKIP" for a skip
    skip=$(grep -cE '^(not )?ok [0-9]+.*# SKIP' "$out")
    ok=$(grep -E '^ok [0-9]+' "$out" | grep -vc '# SKIP')
    not_ok=$(grep -E '^not ok [0-9]+' "$out" | grep -vc '# SKIP')
    if compgen -G "$reports*" >/dev/null; then
        not_ok=$((not_ok + 1))
        echo "not ok - $name: a sanitizer reported" >>"$out"
        head -n 40 "$reports"* >>"$out"
    fi
    # a program that died, or said nothing, has failed even if no line says so
    if [ "$not_ok" -eq 0 ] && { [ $status -ne 0 ] || [ $((ok + skip)) -eq 0 ]; }; then
        not_ok=1
        echo "not ok - $name ended with status $status" >>"$out"
    fi
    echo "$ok $not_ok $skip" >"$work/$name.counts"
    {
        printf '%-36s %3d passed, %d failed%s, %d s\n' "$name" "$ok" "$not_ok" "$([ "$skip" -gt 0 ] && echo ", $skip skipped")" \
            $SECONDS
        if [ "$not_ok" -gt 0 ]; then
            sed 's/^/    /' "$out" | tail -n 60
        else
            grep -E '# SKIP|^# (skipped|[0-9]+ (artifacts|streams)|figure)' "$out" | sed 's/^/    /'
        fi
    } >"$work/$name.told"
    cat "$work/$name.told" # in one piece
}

# A test that says nothing new under a sanitizer has the line "# once: why".
sanitized=$(grep -qaE '__(asan|tsan|ubsan)_' "$BUILD/tokentape-analyze" 2>/dev/null && echo yes)
alone=()
for program in $(list "$@"); do
    if [ -n "$sanitized" ] && [[ $program == *.sh ]] && grep -qE '^# once:' "$program"; then
        echo "$(basename "$program"): not under a sanitizer"
        continue
    fi
    if runs_alone "$program"; then
        alone+=("$program")
        continue
    fi
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    (SECONDS=0; run_one "$program") &
done
wait
for program in "${alone[@]}"; do
    (SECONDS=0; run_one "$program")
done
passed=0 failed=0 skipped=0
for counts in "$work"/*.counts; do
    read -r ok not_ok skip <"$counts" || continue
    passed=$((passed + ok)) failed=$((failed + not_ok)) skipped=$((skipped + skip))
done
line="$passed passed, $failed failed"
[ $skipped -gt 0 ] && line="$line, $skipped skipped"
echo "$line"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
