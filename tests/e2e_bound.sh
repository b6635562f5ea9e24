#!/usr/bin/env bash
# The bound of the client's error against what the mock knows that it sent: at rest, stopped, and starved of its CPU.
# alone: errors of half a millisecond are looked for
# once: nothing of it is in the analyzer's memory
. "$(dirname "$0")/lib.sh"

FLAGS=(--model mock --max-tokens 128 --prompt-cache-mode unique --request-canaries --keep-bodies none -q)
SMALL=(--ctx-tokens 64 --max-model-len 4096)

mock_start tests/scripts/bound.mock || exit 1
"$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" "${SMALL[@]}" --requests 1000 --concurrency 40 --tape "$T/rest.tape" >"$T/out" 2>&1
[ $? -le 1 ]
ok "102,000 events are recorded" || cat "$T/out"
mock_stop
"$PYTHON" tests/check_bound.py "$T/rest.tape" "$MOCK_LOG" 2>"$T/err"
ok "errors of 1,000 requests lie within their bounds" || cat "$T/err"

mock_start tests/scripts/bound.mock || exit 1
"$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" "${SMALL[@]}" --requests 160 --concurrency 16 --tape "$T/stop.tape" >"$T/out" 2>&1 &
RECORDER=$!
stop_and_go $RECORDER "$T/stops" 12
wait $RECORDER
[ $? -le 1 ]
ok "a recorder stopped 12 times for 50 ms" || cat "$T/out"
mock_stop
"$PYTHON" tests/check_bound.py "$T/stop.tape" "$MOCK_LOG" "$T/stops" 2>"$T/err"
ok "bounds cover the stops, and client_limited is on the requests they hit" || cat "$T/err"

# More than a connection takes while its reader stands still: the rest waits at the server.
mock_start tests/scripts/burst.mock || exit 1
"$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" "${SMALL[@]}" --requests 60 --concurrency 8 --tape "$T/burst.tape" >"$T/out" 2>&1 &
RECORDER=$!
stop_and_go $RECORDER "$T/stops" 9
wait $RECORDER
[ $? -le 1 ]
ok "a recorder stopped 9 times for 50 ms in a flood" || cat "$T/out"
mock_stop
"$PYTHON" tests/check_bound.py "$T/burst.tape" "$MOCK_LOG" "" flood 2>"$T/err"
ok "bounds cover what the server was kept from sending" || cat "$T/err"

# Uploads that a server is slow to take, so that stops fall between START and the last byte sent.
sed 's/repeat 20 every/repeat 1 every/; s/repeat 78 every/repeat 1 every/' tests/scripts/bound.mock >"$T/upload.mock"
# What a stop hits is left to chance: again, up to three times, when it was nothing.
for try in 1 2 3; do
    mock_start "$T/upload.mock" --segment 1448 --receive-buffer 65536 --read-delay 60ms || exit 1
    "$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" --max-model-len 200000 --ctx-tokens 100000 --requests 100 --concurrency 4 \
        --tape "$T/upload$try.tape" >"$T/out" 2>&1 &
    RECORDER=$!
    stop_and_go $RECORDER "$T/stops" 20
    wait $RECORDER
    recorded=$?
    mock_stop
    "$PYTHON" tests/check_bound.py "$T/upload$try.tape" "$MOCK_LOG" "$T/stops" starts >"$T/told" 2>"$T/err"
    checked=$?
    [ $checked -eq 3 ] || break
done
[ $recorded -le 1 ]
ok "a recorder stopped 20 times while it sends" || cat "$T/out"
cat "$T/told"
[ $checked -eq 0 ]
ok "a stop before a request was sent is in its bounds" || cat "$T/err"

cpu=$(taskset -cp $$ 2>/dev/null | sed -E 's/.*: *([0-9]+).*/\1/')
if [ -n "$cpu" ]; then
    mock_start tests/scripts/bound.mock || exit 1
    taskset -c "$cpu" "$PYTHON" -c 'while True: pass' &
    pids+=("$!")
    BUSY=$!
    "$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" "${SMALL[@]}" --requests 160 --concurrency 16 --cpus "$cpu" --tape "$T/busy.tape" \
        >"$T/out" 2>&1
    [ $? -le 1 ]
    ok "a recorder on a CPU that another program keeps busy" || cat "$T/out"
    kill $BUSY
    mock_stop
    "$PYTHON" tests/check_bound.py "$T/busy.tape" "$MOCK_LOG" 2>"$T/err"
    ok "bounds cover what it waited for its CPU" || cat "$T/err"
else
    skip "a recorder on a CPU that another program keeps busy" "no taskset"
fi

mock_start tests/scripts/bound.mock || exit 1
"$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" "${SMALL[@]}" --requests 2 --concurrency 2 --output "$T/none.json" \
    --max-client-error 0,0% --strict-timing >"$T/out" 2>&1
[ $? -eq 1 ] && "$PYTHON" - "$T/none.json" <<'P'
import json, sys
document = json.load(open(sys.argv[1]))
told = document["trace"]["timing"]["client_limited"]
assert told == {"limit_ms": 0.0, "limit_percent": 0.0, "requests": 2, "strict": True}, told
assert [f["error_type"] for f in document["failures"]] == ["client_limited"] * 2 and not document["request_timings"]
assert not document["performance_eligible"] and document["metrics"]["throughput_tok_s"] is None
P
ok "the recorder hands its limit on to the result" || cat "$T/out"
"$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" "${SMALL[@]}" --max-client-error 5s --tape "$T/no.tape" >"$T/out" 2>&1
[ $? -eq 2 ] && grep -q -- "--max-client-error is no limit" "$T/out" && [ ! -e "$T/no.tape" ]
ok "a limit that is none is refused before anything is sent" || cat "$T/out"
mock_stop

"$ANALYZE" result -q "$T/stop.tape" --strict-timing -o "$T/strict.json"
[ $? -eq 1 ] && "$ANALYZE" check -q "$T/stop.tape" "$T/strict.json" >"$T/out" && grep -q '^HOLDS' "$T/out" &&
    grep -q '"error_type": "client_limited"' "$T/strict.json" && "$ANALYZE" audit "$T/strict.json" >>"$T/out"
ok "--strict-timing excludes them; check and audit take the result as it was made" || cat "$T/out"
"$ANALYZE" check -q "$T/stop.tape" "$T/strict.json" --max-client-error 6 --json >"$T/out"
[ $? -eq 1 ] && grep -q 'trace.timing.client_limited.limit_ms' "$T/out"
ok "check with another limit says so" || cat "$T/out"
finish
