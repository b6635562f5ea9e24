#!/usr/bin/env bash
# The bound of the client's error on a path of 20 ms: what a stopped recorder kept at the server comes a round trip later.
# alone: errors of half a millisecond are looked for
# once: nothing of it is in the analyzer's memory
. "$(dirname "$0")/lib.sh"

# A network of its own, whose loopback addresses are a way apart. tc's netem is seldom there.
if [ -z "${FAR_LATE:-}" ]; then
    if ! unshare -rn "$PYTHON" tests/far_path.py >"$T/out" 2>&1; then
        skip "the bound over a path of 20 ms" "no network namespaces, tun devices or iproute2 here: $(tail -1 "$T/out")"
        finish
    fi
    export FAR_LATE=$T/late
    unshare -rn "$PYTHON" tests/far_path.py 10 "$FAR_LATE" "$BASH" "$0"
    exit
fi

# Answers of different lengths, so that stops hit their ends.
for k in 0 1 2 3 4; do
    sed "s/^answer far/answer far$k every 5+$k/; s/repeat 400/repeat $((300 + 43 * k))/" tests/scripts/far.mock
done >"$T/far.mock"
for k in 0 1 2 3 4; do
    sed "s/^answer bound/answer bound$k every 5+$k/; s/every 4ms/every 20ms/; s/repeat 78/repeat $((30 + 13 * k))/" tests/scripts/bound.mock
done >"$T/slow.mock"

run() { # NAME SCRIPT REQUESTS
    mock_start "$2" || exit 1
    "$RECORD" capacity --base-url "$URL" --model mock --max-tokens 128 --prompt-cache-mode unique --request-canaries --keep-bodies none \
        -q --ctx-tokens 64 --max-model-len 4096 --requests "$3" --concurrency 5 --tape "$T/$1.tape" >"$T/out" 2>&1 &
    RECORDER=$!
}

# bounded NAME STOPS WANTED: what check_bound.py says
bounded() {
    wait $RECORDER
    [ $? -le 1 ] || cat "$T/out"
    mock_stop
    "$PYTHON" tests/check_bound.py "$T/$1.tape" "$MOCK_LOG" "$2" "$3" 10 "$FAR_LATE" 2>"$T/err"
}

run rest "$T/far.mock" 10
bounded rest "" flood
ok "errors on a path of 20 ms lie within their bounds" || cat "$T/err"

run stop "$T/far.mock" 30
stop_and_go $RECORDER "$T/stops" 20 0.45 0.3
bounded stop "" flood
ok "a window closes while the recorder is stopped: bounds cover what came a round trip later" || cat "$T/err"

run slow "$T/slow.mock" 20
stop_and_go $RECORDER "$T/stops" 20 0.3 0.4
bounded slow "$T/stops" times
ok "50 events a second: client_limited is on the requests that were hit, and on no others" || cat "$T/err"
finish
