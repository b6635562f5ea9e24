#!/usr/bin/env bash
# The bound of the client's error over TLS and over HTTP/2, through nginx in front of the mock server, at rest and stopped. What
# nginx takes is not the recorder's: as much as is beyond the bounds at rest, if that is little.
# alone: errors of a few milliseconds are looked for
# once: nothing of it is in the analyzer's memory
. "$(dirname "$0")/lib.sh"
. tests/nginx.sh

if ! have_nginx; then
    skip "the bound over TLS and HTTP/2" "nginx with HTTP/2, and openssl, are not installed here"
    finish
fi
mkdir "$T/nginx"
make_certificates "$T/nginx" || exit 1
# Answers of different lengths, so that stops hit all of them at different places.
for k in 0 1 2 3 4; do
    sed "s/^answer bound/answer bound$k every 5+$k/; s/every 4ms/every 8ms/; s/repeat 20/repeat $((4 + 3 * k))/; s/repeat 78/repeat $((12 + 5 * k))/" \
        tests/scripts/bound.mock
done >"$T/mock"

run() { # FLAGS ...
    : >"$MOCK_LOG"
    rm -f "$T/run.tape"*
    "$RECORD" capacity --cacert "$T/nginx/ca.pem" --model mock --max-tokens 128 --prompt-cache-mode unique --request-canaries \
        --keep-bodies none -q --ctx-tokens 64 --max-model-len 4096 --concurrency 5 --tape "$T/run.tape" "$@" >"$T/out" 2>&1 &
    RECORDER=$!
}

# One try: what nginx takes in a run at rest, which has to be little; the bounds of one that is stopped.
try() { # FLAGS ...
    local proxy_ms
    run --requests 20 "$@"
    wait $RECORDER
    proxy_ms=$("$PYTHON" tests/check_bound.py "$T/run.tape" "$MOCK_LOG" "" at_rest) || return 1
    echo "# figure: nginx took up to $proxy_ms ms"
    "$PYTHON" -c 'import sys; assert float(sys.argv[1]) <= 20, "nginx is late"' "$proxy_ms" || return 1
    run --requests 60 "$@"
    stop_and_go $RECORDER "$T/stops" 30
    wait $RECORDER
    "$PYTHON" tests/check_bound.py "$T/run.tape" "$MOCK_LOG" "$T/stops" flood "$proxy_ms"
}

# A machine that is busy makes nginx late as well: what is true shows in one of four tries.
holds() { # NAME FLAGS ...
    local name=$1 k shown=1
    shift
    for k in 1 2 3 4; do
        try "$@" >"$T/told" 2>"$T/err" && shown=0 && break
    done
    cat "$T/told"
    [ $shown -eq 0 ]
    ok "$name: bounds cover the stops, and client_limited is on the requests they hit" || cat "$T/err" "$T/out"
}

mock_start "$T/mock" || exit 1
nginx_start "$T/nginx" "127.0.0.1:$PORT" || exit 1
holds "TLS" --base-url "$TLS_H1"
holds "HTTP/2, a connection each" --base-url "$TLS_H2" --http2
holds "HTTP/2, one for all" --base-url "$TLS_H2" --http2 --connections reuse
run --requests 20 --base-url "$TLS_H2" --http2 --connections reuse
wait $RECORDER
"$PYTHON" - "$T/run.tape" <<'P'
import sys
sys.path.insert(0, "tests")
import tapes
reads = sorted((r for q in tapes.Tape(sys.argv[1], ok=(0, 1)).requests.values() for r in q.reads), key=lambda r: r["time_ns"])
pairs = [(a, b) for a, b in zip(reads, reads[1:]) if a["turn"] != b["turn"]]
behind = sum(b["time_ns"] - 1000 * b["blind_us"] < a["time_ns"] - 20000 for a, b in pairs)
print(f"# figure: {behind} of {len(pairs)} reads may have come before the one that was read before them")
assert behind < len(pairs) / 3
P
ok "a connection that all share is seen to be empty between its reads"
nginx_stop
mock_stop
finish
