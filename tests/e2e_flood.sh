#!/usr/bin/env bash
# A flood through one request: all of it is taken, and neither program grows with it.
# TOKENTAPE_FLOOD_BYTES=2147483648 for the big one, TOKENTAPE_FLOOD_RATE for its bytes a second.
# alone: a flood takes both CPUs
. "$(dirname "$0")/lib.sh"

bytes=${TOKENTAPE_FLOOD_BYTES:-$((64 << 20))}
rate=${TOKENTAPE_FLOOD_RATE:-$((64 << 20))}
recorder_limit_kb=65536 analyzer_limit_kb=65536
sanitized=
if grep -qaE '__(asan|tsan|ubsan)_' "$RECORD"; then # slower, and memory is then the sanitizer's
    sanitized=1 bytes=$((8 << 20)) rate=$((8 << 20))
fi

flood() { # NAME BYTES: records R/NAME.tape; the recorder's peak in PEAK
    "$PYTHON" tests/check_flood.py script "$2" "$rate" >"$T/$1.mock"
    mock_start "$T/$1.mock" || exit 1
    "$PYTHON" tests/check_flood.py peak "$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests 8 \
        --concurrency 2 --ctx-tokens 256 --max-tokens 16 --request-canaries --prompt-cache-mode unique --timeout 60 \
        --tape "$T/$1.tape" -q >"$T/peak" 2>"$T/err"
    PEAK=$(tail -n 1 "$T/peak")
    mock_stop
}

peak_of() { # ANALYZER COMMAND ...: its peak in PEAK
    "$PYTHON" tests/check_flood.py peak "$ANALYZE" "$@" >"$T/peak" 2>>"$T/err"
    PEAK=$(tail -n 1 "$T/peak")
}

flood half $((bytes / 2 < 32 << 20 ? bytes / 2 : 32 << 20)) # enough to go once around the ring
small=$PEAK
flood flood "$bytes"
large=$PEAK
timeout 200 "$PYTHON" tests/check_flood.py check "$T/flood.tape" "$MOCK_LOG" 2>"$T/err"
ok "a flood is taken whole, and hurts no other request" || tail -n 2 "$T/err" | cut -c1-1000
note "figure: recorder: greatest memory $((large / 1024)) MB, $((small / 1024)) MB for a smaller flood"
if [ -n "$sanitized" ]; then
    skip "memory" "a sanitizer's own"
    finish
fi
[ "$large" -gt 0 ] && [ "$large" -le $recorder_limit_kb ] && [ $((large - small)) -le 4096 ]
ok "the recorder keeps below $((recorder_limit_kb / 1024)) MB, and within 4 MB of what a smaller flood takes"
for command in result summary verify; do
    peak_of $command -q "$T/half.tape"
    small=$PEAK
    peak_of $command -q "$T/flood.tape"
    note "figure: $command: $((PEAK / 1024)) MB, $((small / 1024)) MB for the smaller"
    [ "$PEAK" -gt 0 ] && [ "$PEAK" -le $analyzer_limit_kb ] && [ $((PEAK - small)) -le 4096 ]
    ok "$command keeps below $((analyzer_limit_kb / 1024)) MB, and within 4 MB of what the smaller takes"
done
finish
