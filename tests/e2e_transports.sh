#!/usr/bin/env bash
# The ways to a server: TLS, HTTP/2, client certificates, Unix sockets, IPv6, given addresses, proxies; query
# parameters and extra headers; the completions endpoint. The same answers come over each.
. "$(dirname "$0")/lib.sh"
. tests/nginx.sh

# run NAME FLAGS ...: eight requests; the tape is $T/NAME.tape
run() {
    local name=$1
    shift
    "$RECORD" capacity --model mock --max-model-len 32768 --requests 8 --concurrency 4 --ctx-tokens 4096 --request-canaries \
        --response-words 3 --prompt-cache-mode unique --tape "$T/$name.tape" -q "$@" >"$T/out" 2>"$T/err"
}

quick() { # OPTIONS: a fresh mock, so that its log is this run's
    mock_start tests/scripts/quick.mock --log-heads "$@" || exit 1
}

# looks NAME WORDS ...: the last run of that name went that way
looks() {
    local name=$1
    shift
    "$PYTHON" tests/check_transport.py "$MOCK_LOG" "$T/$name.tape" "$@" 2>"$T/err"
}

# way NAME WORDS -- FLAGS: a run against the mock that runs now, and what its tape says
way() {
    local name=$1 words=()
    shift
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    : >"$MOCK_LOG"
    run "$name" "$@" && looks "$name" "${words[@]}"
    ok "$name: ${words[*]}" || cat "$T/out" "$T/err"
    ways+=("$T/$name.tape")
}
ways=()

quick
way plain http=1.1 tls=0 via=direct connections=8 lag=1 -- --base-url "$URL"

# What is sent beside the body: seen by the server, by nobody else
export TT_HEADER='X-Team: canary-team-4711/blue' TT_CODE='canary code & 0815?' TT_AUTH='Authorization: Basic Y2FuYXJ5OnRvcC1zZWNyZXQ='
printf 'x-route: canary-route-99\r\n\nX-Empty-Not: canary-file-1234\n' >"$T/headers"
: >"$MOCK_LOG"
mkdir "$T/left"
"$RECORD" capacity --base-url "$URL" --model mock --requests 2 --concurrency 1 --ctx-tokens 256 --request-canaries --output "$T/left/o.json" \
    --query api-version=2024-02-01 --query 'a b=c&d' --query-env code=TT_CODE --header-env TT_HEADER --header-env TT_AUTH \
    --header-file "$T/headers" -v >"$T/left/out" 2>"$T/left/err"
ok "a run with query parameters and extra headers" || cat "$T/left/err"
"$PYTHON" - "$MOCK_LOG" <<'P'
import json, sys
lines = [x for x in map(json.loads, open(sys.argv[1])) if "method" in x]
assert [x["method"] for x in lines] == ["GET", "POST", "POST"], lines
for x in lines:
    assert x["query"] == "api-version=2024-02-01&a%20b=c%26d&code=canary%20code%20%26%200815%3F", x["query"]
    head = x["request_head"]
    for line in ("X-Team: canary-team-4711/blue", "Authorization: Basic Y2FuYXJ5OnRvcC1zZWNyZXQ=", "x-route: canary-route-99",
                 "X-Empty-Not: canary-file-1234"):
        assert head.count(line + "\r\n") == 1, (line, head)
P
ok "the server saw them, in each request and when it was asked for its models"
"$ANALYZE" dump "$T/left/o.tape" | grep -q '"extra_headers": 4.*"query": "api-version=2024-02-01&a%20b=c%26d&code=\*"'
ok "the tape knows how many headers, and the query without what came from the environment"
zstd -dcq "$T/left/o.tape" >"$T/left/records"
for k in dump summary result; do "$ANALYZE" $k "$T/left/o.tape" >"$T/left/$k" 2>&1; done
! grep -raE 'canary-team|canary-route|canary-file|canary code|canary%20|Y2FuYXJ5|0815[?%]' "$T/left"
ok "no value of them is in anything that is left behind" || grep -raoE '.{40}(canary|Y2FuYXJ5|0815[?%]).{20}' "$T/left" | head
"$RECORD" capacity --base-url "$URL" --model mock --query v=1 --query-env code=TT_CODE --header-env TT_HEADER --header-env TT_AUTH \
    --requests 1 --ctx-tokens 64 --dry-run >"$T/dry" 2>&1 && grep -qF "POST $URL/chat/completions?v=1&code=*" "$T/dry" &&
    grep -q '^extra headers *2, not shown' "$T/dry" && ! grep -E 'canary|Y2Fu|0815[?%]' "$T/dry"
ok "a dry run tells what would be sent, without secrets" || cat "$T/dry"
cat >"$T/echo.mock" <<M
answer echo
  head 200 content-type=text/event-stream chunked
  event {"choices":[{"index":0,"delta":{"content":"you sent canary-team-4711/blue and Y2FuYXJ5OnRvcC1zZWNyZXQ= and canary%20code%20%26%200815%3F"},"finish_reason":"stop"}]}
  done
  finish
M
mock_stop
mock_start "$T/echo.mock" || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 2 --concurrency 1 --ctx-tokens 64 --query-env code=TT_CODE \
    --header-env TT_HEADER --header-env TT_AUTH --tape "$T/left/echo.tape" -q >"$T/left/out" 2>&1
zstd -dcq "$T/left/echo.tape" >"$T/left/records"
[ "$(grep -ac 'you sent \*' "$T/left/records")" -gt 0 ] && ! grep -raE 'canary-team|Y2FuYXJ5|0815[?%]' "$T/left"
ok "a server that says them back finds them masked" || grep -ao 'you sent.*' "$T/left/records"
mock_stop

# The completions endpoint: the prompt as it stands, and text in the choices
cat >"$T/completions.mock" <<M
answer completions POST /v1/completions
  head 200 content-type=text/event-stream chunked
  event {"id":"c","object":"text_completion","choices":[{"index":0,"text":"\${marker}","finish_reason":null}]}
  repeat words every 2ms
    event {"id":"c","object":"text_completion","choices":[{"index":0,"text":" code","finish_reason":null}]}
  end
  event {"id":"c","object":"text_completion","choices":[{"index":0,"text":"","finish_reason":"stop"}]}
  event {"id":"c","choices":[],"usage":{"prompt_tokens":\${prompt_tokens},"completion_tokens":\${outputs},"total_tokens":\${total_tokens}}}
  done
  finish
M
mock_start "$T/completions.mock" || exit 1
run completions --base-url "$URL" --endpoint completions --controlled-output-policy strict && looks completions http=1.1 via=direct
ok "--endpoint completions: a run" || cat "$T/out" "$T/err"
"$PYTHON" - "$T/completions.tape" "$T/plain.tape" 2>"$T/err" <<'P'
import json, sys
sys.path.insert(0, "tests")
import tapes
text, chat = (sorted((json.loads(b) for b in tapes.Tape(p).bodies().values()), key=str) for p in sys.argv[1:])
assert len(text) == 8 and {tuple(sorted(b)) for b in text} == {("max_tokens", "model", "prompt", "stream", "stream_options", "temperature")}
assert sorted(b["prompt"] for b in text) == sorted(b["messages"][0]["content"] for b in chat), "the same prompts"
document = tapes.result(sys.argv[1])
assert document["completed"] == 8 and {r["content_chunks"] for r in document["request_timings"]} == {4}
assert document["trace"]["connections"]["endpoint"] == "completions"
P
ok "the same prompts as for chat, and every delta counted" || cat "$T/err"
mock_stop

# Without nginx: IPv6, a Unix socket, a given address
if "$PYTHON" -c "import socket; socket.socket(socket.AF_INET6).bind(('::1', 0))" 2>/dev/null; then
    quick --address ::1
    way ipv6 http=1.1 tls=0 via=direct connections=8 lag=1 -- --base-url "http://[::1]:$PORT/v1"
    mock_stop
else
    skip "a base URL with an IPv6 address" "no IPv6 loopback here"
fi
quick
way resolve http=1.1 via=direct connections=8 lag=1 -- --base-url "http://named.test:$PORT/v1" --resolve "named.test:$PORT:127.0.0.1"
"$PYTHON" - "$MOCK_LOG" "$PORT" <<'P'
import json, sys
heads = [x["request_head"] for x in map(json.loads, open(sys.argv[1])) if "request_head" in x]
assert heads and all(f"\r\nHost: named.test:{sys.argv[2]}\r\n" in h for h in heads), heads[:1]
P
ok "the server is asked by the name that was given"
http_proxy=http://127.0.0.1:1 all_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 run environment --base-url "$URL"
ok "proxies of the environment are not used" || cat "$T/err"
mock_stop
quick --unix-socket "$T/mock.sock"
way unix http=1.1 tls=0 via=unix_socket connections=8 lag=0 -- --base-url http://localhost/v1 --unix-socket "$T/mock.sock"
way unix_reuse http=1.1 via=unix_socket mode=reuse lag=0 -- --base-url http://localhost/v1 --unix-socket "$T/mock.sock" --connections reuse
"$ANALYZE" dump "$T/unix.tape" | grep -F "$T/mock.sock"
[ $? -eq 1 ]
ok "the path of the socket is not on the tape"
mock_stop

# Proxies: an HTTP proxy for plain http, a tunnel for https, SOCKS
quick
"$PYTHON" tests/small_proxy.py "$T/proxy.port" "$T/proxy.log" &
PROXY_PID=$!
pids+=("$PROXY_PID")
wait_for_file "$T/proxy.port"
PROXY_PORT=$(cat "$T/proxy.port")
: >"$T/proxy.log"
way proxy http=1.1 tls=0 via=proxy connections=8 lag=1 -- --base-url "http://nowhere.test:$PORT/v1" --proxy "http://127.0.0.1:$PROXY_PORT"
[ "$(grep -c "^http nowhere.test:$PORT" "$T/proxy.log")" -eq 8 ]
ok "an HTTP proxy is asked for the server by name" || head "$T/proxy.log"
way socks http=1.1 tls=0 via=proxy connections=8 lag=1 -- --base-url "http://nowhere.test:$PORT/v1" --proxy "socks5h://127.0.0.1:$PROXY_PORT"
[ "$(grep -c "^socks nowhere.test:$PORT" "$T/proxy.log")" -eq 8 ]
ok "so is a SOCKS proxy" || head "$T/proxy.log"
: >"$T/proxy.log"
TT_LOGIN=someone:canary-password-7 run login --base-url "http://nowhere.test:$PORT/v1" --proxy "http://127.0.0.1:$PROXY_PORT" --proxy-auth-env TT_LOGIN
ok "a run through a proxy with a password" || cat "$T/err"
[ "$(grep -c ' auth Basic c29tZW9uZTpjYW5hcnktcGFzc3dvcmQtNw==' "$T/proxy.log")" -eq 8 ] &&
    ! { zstd -dcq "$T/login.tape" | cat - "$T/out" "$T/err" | grep -aE 'canary-password|c29tZW9uZTpj'; }
ok "the proxy gets the password, the tape does not" || head "$T/proxy.log"
run dead_proxy --base-url "http://nowhere.test:$PORT/v1" --proxy "http://127.0.0.1:1"
[ $? -eq 1 ] && "$ANALYZE" result -q "$T/dead_proxy.tape" | grep -qE '"error_type": ?"(proxy_error|connection_refused|connect_[a-z]*)"'
ok "a proxy that is not there is told" || "$ANALYZE" result -q "$T/dead_proxy.tape" | grep -o '"error_type": *"[a-z_]*"' | sort | uniq -c
"$PYTHON" tests/check_transport.py same "${ways[@]}" 2>"$T/err"
ok "the same answers over all of these ways" || cat "$T/err"

if ! have_nginx; then
    mock_stop
    skip "TLS, HTTP/2 and client certificates" "nginx with HTTP/2, and openssl, are not installed here"
    finish
fi
mkdir "$T/nginx"
make_certificates "$T/nginx"
ok "certificates" || cat "$T/nginx/openssl.out"
nginx_start "$T/nginx" "127.0.0.1:$PORT"
ok "nginx in front of the mock server" || finish
CA=$T/nginx/ca.pem
ways=("$T/plain.tape")
way tls_h1 http=1.1 tls=1 insecure=0 connections=8 -- --base-url "$TLS_H1" --cacert "$CA"
way tls_h1_warm http=1.1 tls=1 mode=warm connections=4 -- --base-url "$TLS_H1" --cacert "$CA" --connections warm
way tls_h2 http=2 tls=1 insecure=0 connections=8 lag=0 -- --base-url "$TLS_H2" --cacert "$CA" --http2
way tls_h2_reuse http=2 tls=1 mode=reuse connections=1 lag=0 -- --base-url "$TLS_H2" --cacert "$CA" --http2 --connections reuse
way tls_h2_warm http=2 tls=1 mode=warm connections=1 lag=0 -- --base-url "$TLS_H2" --cacert "$CA" --http2 --connections warm
way tls_not_asked http=1.1 tls=1 -- --base-url "$TLS_H2" --cacert "$CA"
way tls_refuses_h2 http=1.1 tls=1 lag=0 -- --base-url "$TLS_H1" --cacert "$CA" --http2
way clear_h2 http=2 tls=0 connections=8 lag=0 -- --base-url "$CLEAR_H2" --http2
way insecure http=1.1 tls=1 insecure=1 -- --base-url "$TLS_H1" --insecure
"$ANALYZE" summary "$T/insecure.tape" 2>/dev/null | grep -q 'certificates not verified'
ok "the summary says that certificates were not verified"
way client http=1.1 tls=1 -- --base-url "$CLIENT_TLS" --cacert "$CA" --cert "$T/nginx/client.pem" --key "$T/nginx/client.key"
cat "$T/nginx/client.pem" "$T/nginx/client.key" >"$T/nginx/both.pem"
way client_one_file http=1.1 tls=1 -- --base-url "$CLIENT_TLS" --cacert "$CA" --cert "$T/nginx/both.pem"
way nginx_unix http=1.1 via=unix_socket connections=8 -- --base-url http://localhost/v1 --unix-socket "$SOCKET"
way nginx_proxy http=1.1 via=proxy -- --base-url http://nowhere.test/v1 --proxy "$PROXY"
way tunnel http=1.1 tls=1 via=proxy connections=8 -- --base-url "$TLS_H1" --cacert "$CA" --proxy "http://127.0.0.1:$PROXY_PORT"
way tunnel_h2 http=2 tls=1 via=proxy connections=1 -- --base-url "$TLS_H2" --cacert "$CA" --proxy "http://127.0.0.1:$PROXY_PORT" --http2 --connections reuse
way tls_resolve http=1.1 tls=1 -- --base-url "${TLS_H1/localhost/named.test}" --cacert "$CA" --resolve "named.test:$(sed 's/.*:\([0-9]*\).*/\1/' <<<"$TLS_H1"):127.0.0.1"
"$PYTHON" tests/check_transport.py same "${ways[@]}" 2>"$T/err"
ok "the same answers over all of these ways" || cat "$T/err"
grep -q '^connect localhost:' "$T/proxy.log" && ! grep -q '^connect.* auth' "$T/proxy.log"
ok "(TLS went through the tunnel of the proxy)"

# fails NAME TYPE FLAGS: every request fails so
fails() {
    local name=$1 type=$2
    shift 2
    run "$name" "$@"
    [ $? -eq 1 ] && "$ANALYZE" result -q "$T/$name.tape" >"$T/$name.json"
    [ $? -eq 1 ] && "$PYTHON" -c "
import json, sys
failures = json.load(open(sys.argv[1]))['failures']
assert len(failures) == 8 and {f['error_type'] for f in failures} == {sys.argv[2]}, failures[0]" "$T/$name.json" "$type" 2>>"$T/err"
    ok "$name: $type" || cat "$T/err"
}
fails untrusted tls_error --base-url "$TLS_H1"
fails other_authority tls_error --base-url "$TLS_H2" --cacert "$T/nginx/other.pem" --http2
fails other_name tls_error --base-url "${TLS_H1/localhost/other.test}" --cacert "$CA" --resolve "other.test:$(sed 's/.*:\([0-9]*\).*/\1/' <<<"$TLS_H1"):127.0.0.1"
fails no_client_certificate http_status --base-url "$CLIENT_TLS" --cacert "$CA"
fails tls_to_plain tls_error --base-url "${CLEAR_H2/http:/https:}" --cacert "$CA"

# On a shared connection a stream that stalls ends alone
cat >"$T/stalls.mock" <<M
answer stalls requests 1,5
  head 200 content-type=text/event-stream chunked
  event {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}
  stall
M
cat tests/scripts/quick.mock >>"$T/stalls.mock"
nginx_stop
mock_stop
mock_start "$T/stalls.mock" || exit 1
mkdir "$T/again"
cp "$T/nginx/"*.pem "$T/nginx/"*.key "$T/again"
nginx_start "$T/again" "127.0.0.1:$PORT" || exit 1
run stalls --base-url "$TLS_H2" --cacert "$CA" --http2 --connections reuse --timeout 1
"$PYTHON" - "$T/stalls.tape" 2>"$T/err" <<'P'
import sys
sys.path.insert(0, "tests")
import tapes
tape, document = tapes.Tape(sys.argv[1]), tapes.result(sys.argv[1])
assert [f["error_type"] for f in document["failures"]] == ["inactivity_timeout"] * 2, document["failures"]
assert document["completed"] == 6 and len({r.conn["connection"] for r in tape.requests.values()}) == 1
P
ok "a stalled stream of HTTP/2 times out, the others on its connection go on" || cat "$T/err"
nginx_stop
mock_stop
quick
mkdir "$T/third"
cp "$T/nginx/"*.pem "$T/nginx/"*.key "$T/third"
nginx_start "$T/third" "127.0.0.1:$PORT" || exit 1

# Many streams on one connection, with large bodies
: >"$MOCK_LOG"
"$RECORD" capacity --base-url "$TLS_H2" --cacert "$CA" --model mock --max-model-len 65536 --requests 300 --concurrency 64 --ctx-tokens 20000 \
    --request-canaries --response-words 3 --prompt-cache-mode unique --http2 --connections reuse --tape "$T/many.tape" -q >"$T/out" 2>"$T/err" &&
    looks many http=2 mode=reuse lag=0
ok "300 requests of 60 kB, 64 at a time, over HTTP/2" || cat "$T/err"
"$PYTHON" - "$T/many.tape" <<'P'
import sys
sys.path.insert(0, "tests")
import tapes
document = tapes.result(sys.argv[1])
used = {r.conn["connection"] for r in tapes.Tape(sys.argv[1]).requests.values()}
assert document["trace"]["overlap"]["max_in_flight"] == 64 and len(used) < 10, (document["trace"]["overlap"], used)
print(f"# figure: {len(used)} connections for 64 requests at a time")
P
ok "they share connections"
"$RECORD" capacity --base-url "$CLEAR_H2" --http2 --connections reuse --model mock --max-model-len 32768 --requests 4 --concurrency 2 --ctx-tokens 64 --tape "$T/kept.tape" \
    >"$T/out" 2>"$T/err"
status=$?
if [ $status -eq 2 ]; then
    grep -q -- '--http2 without TLS.*--connections fresh' "$T/err" && [ ! -e "$T/kept.tape" ]
    ok "a libcurl that cannot keep such connections is named before anything is sent" || cat "$T/err"
else
    [ $status -eq 0 ]
    ok "HTTP/2 without TLS over kept connections" || cat "$T/err"
fi
nginx_stop
mock_stop
finish
