#!/usr/bin/env bash
# The mock server itself, seen by a client of this script's own.
# alone: a client that gets no CPU for 50 ms sees two edges as one
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/mock_self.mock --model self --max-model-len 4096 || exit 1
timeout 60 "$PYTHON" tests/check_mock.py "$PORT" "$MOCK_LOG" 2>"$T/err"
ok "bytes, edges, times, stamps, keep-alive, log" || cat "$T/err"
kill -TERM "$MOCK_PID"
wait "$MOCK_PID"
ok "SIGTERM ends it cleanly"
mock_start tests/scripts/quick.mock || exit 1
timeout 120 "$PYTHON" tests/check_many.py "$PORT" 4096 2>"$T/err"
ok "thousands of connections" || tail -n 3 "$T/err"
kill -TERM "$MOCK_PID"
wait "$MOCK_PID"
ok "and leaves cleanly again"

while IFS='|' read -r line reason; do
    printf 'answer a\n  head 200 chunked\n  %b\n' "$line" >"$T/bad.mock"
    "$MOCK" --script "$T/bad.mock" >"$T/out" 2>"$T/err" </dev/null
    [ $? -eq 2 ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -qF -- "$reason" "$T/err" && grep -q "bad.mock:" "$T/err"
    ok "refused: $line" || cat "$T/err"
done <<'L'
shout "x"|unknown step
send x|double quotes
send "\\q"|unknown escape
event ${nobody}|unknown name
wait soon|wait
repeat x|repeat
repeat 2\n chunk "a"|left open
end|end without repeat
join\n wait 1ms\n edge|no wait
answer b sometimes 3|selector
L
"$MOCK" --script "$T/nowhere.mock" 2>"$T/err"
[ $? -eq 2 ] && grep -q nowhere.mock "$T/err"
ok "refused: a script that is not there"
"$MOCK" --script tests/scripts/quick.mock --address 0.0.0.0 2>"$T/err"
[ $? -eq 2 ] && grep -q loopback "$T/err"
ok "refused: an address that is not loopback"
finish
