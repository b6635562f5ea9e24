#!/usr/bin/env bash
# Every stream of the corpus through server, recorder, tape and analyzer: chunk edges are not write edges,
# and what is found is what the notes beside each stream say. Over TCP and a Unix socket, and through nginx over TLS,
# HTTP/2 and a Unix socket of its own.
. "$(dirname "$0")/lib.sh"
. tests/nginx.sh

# corpus NAME ENDPOINT direct|proxied|http2 STATUS FLAGS: with the mock just started for it
corpus() {
    local name=$1 endpoint=$2 way=$3 status=$4 requests
    shift 4
    requests=$(grep -c '^answer ' "$T/$endpoint.mock")
    "$RECORD" capacity --model mock --max-model-len 32768 --requests "$requests" --concurrency 1 --endpoint "$endpoint" \
        --ctx-tokens 64 --prompt-cache-mode unique --timeout 20 --tape "$T/$name.tape" -q "$@" >"$T/out" 2>"$T/err"
    [ $? -eq "$status" ]
    ok "$name: $requests answers are recorded" || cat "$T/out" "$T/err"
    "$PYTHON" tests/check_corpus.py check fixtures/sse "$endpoint" "$T/$name.tape" "$way" 2>"$T/err"
    ok "$name: bytes, chunks, tokens, finish reasons and failures are those of the notes" || tail -n 40 "$T/err"
}

for endpoint in chat completions; do
    "$PYTHON" tests/check_corpus.py script fixtures/sse $endpoint >"$T/$endpoint.mock"
    ok "a script of all streams of $endpoint"
done
mock_start "$T/chat.mock" || exit 1
corpus tcp chat direct 1 --base-url "$URL"
mock_stop
mock_start "$T/completions.mock" || exit 1
corpus completions completions direct 0 --base-url "$URL"
mock_stop
mock_start "$T/chat.mock" --unix-socket "$T/mock.sock" || exit 1
corpus unix chat direct 1 --base-url http://localhost/v1 --unix-socket "$T/mock.sock"
mock_stop

if ! have_nginx; then
    skip "the corpus over TLS and HTTP/2" "nginx with HTTP/2, and openssl, are not installed here"
    finish
fi
# through NAME FLAGS: a mock of its own, since the streams come in order of arrival
through() {
    local name=$1
    shift
    mkdir "$T/$name"
    cp "$T/certificates/"* "$T/$name"
    mock_start "$T/chat.mock" || exit 1
    nginx_start "$T/$name" "127.0.0.1:$PORT" || exit 1
    case $name in
    *h2_clear*) corpus "$name" chat http2 1 --base-url "$CLEAR_H2" "$@" ;;
    *h2*) corpus "$name" chat http2 1 --base-url "$TLS_H2" --cacert "$T/$name/ca.pem" "$@" ;;
    *tls*) corpus "$name" chat proxied 1 --base-url "$TLS_H1" --cacert "$T/$name/ca.pem" "$@" ;;
    *) corpus "$name" chat proxied 1 --base-url http://localhost/v1 --unix-socket "$SOCKET" "$@" ;;
    esac
    nginx_stop
    mock_stop
}
mkdir "$T/certificates"
make_certificates "$T/certificates"
ok "certificates" || cat "$T/certificates/openssl.out"
through nginx_tls
through nginx_h2 --http2
through nginx_h2_reuse --http2 --connections reuse
through nginx_h2_clear --http2
through nginx_unix
finish
