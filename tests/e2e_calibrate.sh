#!/usr/bin/env bash
# calibrate, and capacity --calibrate: the figures follow from the tape, a delay shows in them, nothing is left
# behind, nothing but the run reaches the server, no key goes to the null endpoint.
. "$(dirname "$0")/lib.sh"
mkdir "$T/d"

"$RECORD" calibrate --concurrency 32 --rate 100 --duration 1 --no-ceiling --json --tape "$T/cal.tape" >"$T/cal.json" 2>"$T/err"
ok "a load is calibrated" || cat "$T/err"
"$PYTHON" tests/check_calibration.py tape "$T/cal.tape" "$T/cal.json" 2>"$T/err"
ok "every figure follows from the stamps and times on its tape" || cat "$T/err"
"$ANALYZE" summary "$T/cal.tape" >"$T/out" 2>&1 && grep -q "ELIGIBLE 32/32" "$T/out"
ok "its tape is one like any other" || cat "$T/out"

# What is late is said to be: the recorder stands still, the null endpoint goes on sending.
"$RECORD" calibrate --concurrency 4 --rate 50 --duration 3 --no-ceiling --json --tape "$T/late.tape" >"$T/late.json" 2>"$T/err" &
pid=$!
pids+=("$pid")
for _ in $(seq 100); do
    grep -q '"kind": "READ"' <("$ANALYZE" dump -q "$T/late.tape" 2>/dev/null) && break
    sleep 0.05
done
kill -STOP "$pid" && sleep 0.2 && kill -CONT "$pid"
wait "$pid"
"$PYTHON" tests/check_calibration.py tape "$T/late.tape" "$T/late.json" 2>"$T/err" &&
    "$PYTHON" -c 'import json, sys
c = json.load(open(sys.argv[1]))["calibration"]
assert c["max_ns"] > 100e6 and c["over_5ms"] > 16, c' "$T/late.json"
ok "a recorder that stood still for 200 ms says so" || cat "$T/err" "$T/late.json"

(cd "$T" && "$RECORD" calibrate --concurrency 8 --rate 20 --duration 0.3 --arrivals step --max-error 0.01 --dir "$T/d" >"$T/out" 2>"$T/err")
[ $? -eq 0 ] && grep -q "^ceiling: none found" "$T/out" && grep -q "1 streams missed it: its p99 was" "$T/out" &&
    grep -qE "^flood: [1-9][0-9]* events/s" "$T/out" && grep -q "CPUs\? for recorder and null endpoint together" "$T/out"
ok "an error that no machine keeps within: the search ends at one stream" || cat "$T/out" "$T/err"
[ -z "$(ls -A "$T/d")" ]
ok "no tape is left behind" || ls -A "$T/d"

mock_start tests/scripts/seed.mock --max-model-len 32768 || exit 1
K=sk-calibrate-canary-0123456789 "$RECORD" capacity --base-url "$URL" --model mock --requests 6 --concurrency 3 --ctx-tokens 256 \
    --prompt-cache-mode unique --request-canaries --response-words 4 --max-tokens 2048 --api-key-env K \
    --calibrate --calibrate-rate 40 --tape "$T/d/run.tape" >"$T/out" 2>&1
ok "a run is calibrated around" || cat "$T/out"
mock_stop
"$PYTHON" tests/check_calibration.py around "$T/d/run.tape" 3 40 2>"$T/err"
ok "before and after, at its concurrency, looking for a key that is none" || cat "$T/err"
[ "$(grep -c '"ordinal"' "$MOCK_LOG")" -eq 7 ] && [ "$(ls -A "$T/d")" = "$(printf 'run.tape\nrun.tape.head')" ]
ok "the server sees the run and the question for its models, the folder the tape" || { cat "$MOCK_LOG"; ls -A "$T/d"; }

mock_start tests/scripts/seed.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 6 --concurrency 3 --ctx-tokens 256 --max-model-len 4096 \
    --calibrate --tape "$T/int.tape" >"$T/out" 2>&1 &
pid=$!
pids+=("$pid")
wait_for_file "$T/int.tape" && sleep 1 && kill -INT "$pid"
wait "$pid"
[ $? -eq 130 ] && "$ANALYZE" verify -q "$T/int.tape" >"$T/out" 2>&1
ok "a signal meanwhile ends the run before it began, its tape complete" || cat "$T/out"
mock_stop
! grep -q '"ordinal"' "$MOCK_LOG"
ok "nothing was sent" || cat "$MOCK_LOG"

refused() { # WORDS COMMAND ...
    local words=$1
    shift
    "$RECORD" "$@" >"$T/out" 2>&1
    [ $? -eq 2 ] && grep -q -- "$words" "$T/out" && [ "$(wc -l <"$T/out")" -eq 1 ]
    ok "refused: $words" || cat "$T/out"
}
refused "events are more than a calibration keeps" calibrate --concurrency 65536 --rate 1000 --duration 10
refused "leave out --dir or --tape" calibrate --dir "$T" --tape "$T/x.tape"
refused "no such flag: did you mean --concurrency" calibrate --concurency 4
refused "add --calibrate" capacity --base-url "$URL" --model m --calibrate-rate 4
refused "the folder $T/none" calibrate --dir "$T/none"
finish
