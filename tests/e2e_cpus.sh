#!/usr/bin/env bash
# --cpus: each of the two threads runs where it is told, the tape says so, what cannot be is refused before
# anything is sent.
. "$(dirname "$0")/lib.sh"

# CPUs open to this test: "0-1,4" becomes 0 1 4
allowed() {
    local part
    for part in $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr , ' '); do
        seq "${part%-*}" "${part#*-}"
    done
}
mapfile -t CPUS < <(allowed)
IO=${CPUS[-1]} WRITER=${CPUS[0]}
[ "$IO" = "$WRITER" ] && LIST=$IO || LIST=$IO,$WRITER

# place THREAD-NAME: the CPUs of the recorder's thread of this name ("" for the first)
place() {
    local task
    for task in /proc/"$pid"/task/*; do
        [ "$1" = "$(cat "$task/comm")" ] && sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$task/status"
    done
}

mock_start tests/scripts/unended.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 1 --concurrency 1 --ctx-tokens 64 --max-model-len 4096 \
    --cpus "$LIST" --tape "$T/run.tape" -q >"$T/out" 2>&1 &
pid=$!
pids+=("$pid")
for _ in $(seq 100); do
    [ -n "$(place tape-writer)" ] && grep -q START <("$ANALYZE" dump "$T/run.tape" 2>/dev/null) && break
    sleep 0.1
done
[ "$(place tokentape-recor)" = "$IO" ]
ok "the thread that reads runs on the first CPU of the list" || place tokentape-recor
[ "$(place tape-writer)" = "$WRITER" ]
ok "the thread that writes runs on the others" || place tape-writer
kill -INT "$pid"
wait "$pid"
"$ANALYZE" dump --text "$T/run.tape" >"$T/dump" && grep -q "\"cpus\": \"$LIST\"" "$T/dump"
ok "the tape says which CPUs" || head -c 2000 "$T/dump"
mock_stop

refused() { # WHAT LIST WORDS [COMMAND BEFORE]
    local what=$1 list=$2 words=$3
    shift 3
    "$@" "$RECORD" capacity --base-url http://127.0.0.1:9/v1 --model mock --cpus "$list" --tape "$T/no.tape" >"$T/out" 2>&1
    [ $? -eq 2 ] && grep -q -- "$words" "$T/out" && [ "$(wc -l <"$T/out")" -eq 1 ] && [ ! -e "$T/no.tape" ]
    ok "$what is refused with the reason" || cat "$T/out"
}
refused "a CPU that does not exist" 1023 "CPU 1023 does not exist here"
refused "a list that is none" 0-x "is no list of CPUs"
if [ "$IO" = "$WRITER" ] || ! command -v taskset >/dev/null; then
    skip "a CPU outside the affinity mask is refused" "one CPU, or no taskset"
else
    refused "a CPU outside the affinity mask" "$IO" "is not open to this process" taskset -c "$WRITER"
fi
finish
