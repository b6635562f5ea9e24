# Helpers of the end-to-end tests: sourced, not run. Needs BUILD (default build/cc).
# shellcheck shell=bash
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export BUILD
BUILD=$(realpath -m "${BUILD:-build/cc}")
RECORD=$BUILD/tokentape-record
ANALYZE=$BUILD/tokentape-analyze
MOCK=$BUILD/tests/mock_server
PYTHON=${PYTHON:-/usr/bin/python3}
[ -x "$PYTHON" ] || PYTHON=python3
TOP=$PWD
T=$(mktemp -d) || exit 1
test_number=0
test_failed=0
pids=()

cleanup() {
    local pid
    for pid in "${pids[@]:-}"; do
        [ -n "$pid" ] && kill "$pid" 2>/dev/null
    done
    wait 2>/dev/null
    rm -rf "$T"
}
trap cleanup EXIT

# ok NAME: counts the last status. Usage: some_check; ok "what it shows"
ok() {
    local status=$?
    test_number=$((test_number + 1))
    if [ $status -eq 0 ]; then
        echo "ok $test_number - $1"
    else
        echo "not ok $test_number - $1"
        test_failed=$((test_failed + 1))
    fi
    return $status
}

skip() { # NAME REASON
    test_number=$((test_number + 1))
    echo "ok $test_number - $1 # SKIP $2"
}

# Whether programs can be given a terminal here: a chroot or container may have no devpts.
has_terminals() { "$PYTHON" -c 'import pty; pty.openpty()' 2>/dev/null; }

note() { printf '%s\n' "$@" | sed 's/^/# /'; }

finish() {
    echo "1..$test_number"
    [ $test_failed -eq 0 ]
    exit
}

# Waits until a file has content (at most about 10 s).
wait_for_file() {
    local k
    for k in $(seq 1 200); do
        [ -s "$1" ] && return 0
        sleep 0.05
    done
    note "$1 did not appear"
    return 1
}

# mock_start SCRIPT [options]: sets MOCK_PID, PORT, URL and MOCK_LOG.
mock_start() {
    local script=$1 run
    shift
    run=$(mktemp -d "$T/mock.XXXX")
    MOCK_LOG=$run/log
    "$MOCK" --script "$script" --port 0 --port-file "$run/port" --log "$MOCK_LOG" --die-with-parent "$@" \
        >"$run/out" 2>&1 &
    MOCK_PID=$!
    pids+=("$MOCK_PID")
    wait_for_file "$run/port" || { cat "$run/out"; return 1; }
    PORT=$(cat "$run/port")
    URL=http://127.0.0.1:$PORT/v1
}

# After it the log is whole: read it no earlier.
mock_stop() {
    kill "$MOCK_PID" 2>/dev/null
    wait "$MOCK_PID" 2>/dev/null
}

# stop_and_go PID FILE TIMES [SECONDS [BETWEEN]]: stopped for so long (0.05) at moments that no rhythm of the run has, until it
# ends. FILE: lines "stopped continued" of CLOCK_MONOTONIC.
stop_and_go() {
    "$PYTHON" - "$1" "$2" "$3" "${4:-0.05}" "${5:-0.15}" <<'P'
import os, random, signal, sys, time
pid, path, times, seconds, between = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
moments = random.Random(7)
with open(path, "w") as f:
    for _ in range(times):
        time.sleep(between * (1 + 0.7 * moments.random()))
        stopped = time.monotonic_ns()
        try:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds)
            continued = time.monotonic_ns()
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            break
        print(stopped, continued, file=f)
P
}
