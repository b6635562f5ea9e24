#!/usr/bin/env bash
# Every way to fail, brought about for real and named right in the result. Prints the table of them.
. "$(dirname "$0")/lib.sh"

R=$T/runs
mkdir "$R"
SLOW=(--model mock --max-model-len 32768 --prompt-cache-mode unique --timeout 60 -q)
FLAGS=(--model mock --max-model-len 1048576 --prompt-cache-mode unique --timeout 1 --done-grace 0.3 -q)

"$PYTHON" tests/check_failures.py document analyzer/REASONS.md 2>"$T/err"
ok "analyzer/REASONS.md holds the tables of the code" || tail -n 4 "$T/err"

# run NAME STATUS BASE-URL [FLAGS]: records R/NAME.tape within a minute; the analyzer's exit is to be STATUS
run() {
    local name=$1 want=$2 url=$3
    shift 3
    timeout 60 "$RECORD" capacity --base-url "$url" "${FLAGS[@]}" --tape "$R/$name.tape" "$@" >"$T/out" 2>"$T/err"
    [ $? -le 1 ] || return
    "$ANALYZE" result -q "$R/$name.tape" >/dev/null 2>>"$T/err"
    [ $? -eq "$want" ]
}

# all NAME ERROR-TYPE COUNT: all of a run's requests fail so
all() {
    local k
    for k in $(seq 0 $(($3 - 1))); do echo "$k $2"; done >"$R/$1.want"
}

# peer_start MODE: bad_peer.py, its port in PEER_PORT
peer_start() {
    "$PYTHON" tests/bad_peer.py "$1" "$T/$1.port" &
    PEER_PID=$!
    pids+=("$PEER_PID")
    wait_for_file "$T/$1.port" && PEER_PORT=$(cat "$T/$1.port")
}

# wait_for_starts TAPE N: that many requests stand on the tape of a run that goes on
wait_for_starts() {
    local k
    for k in $(seq 1 200); do
        [ "$("$ANALYZE" dump -q "$1" 2>/dev/null | grep -c '"kind": "START"')" -ge "$2" ] && return 0
        sleep 0.05
    done
    return 1
}

# What the mock can play
mock_start tests/scripts/taxonomy.mock || exit 1
"$PYTHON" tests/check_failures.py want tests/scripts/taxonomy.mock >"$R/mock.want"
run mock 1 "$URL" --requests "$(wc -l <"$R/mock.want")" --concurrency 8 --ctx-tokens 256 --request-canaries \
    --response-words 3 --controlled-output-policy strict
ok "a run of $(wc -l <"$R/mock.want") bad answers" || cat "$T/err"
cp "$MOCK_LOG" "$R/mock.log"
"$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" --requests 1 --ctx-tokens 256 --tape "$T/last.tape" >"$T/out" 2>&1
run tls 1 "https://127.0.0.1:$PORT/v1" --requests 2 --concurrency 1 --ctx-tokens 64
ok "TLS to a server that waits for a request" || cat "$T/err"
all tls connect_timeout.tls 2
mock_stop
mock_start tests/scripts/unended.mock || exit 1
"$PYTHON" tests/check_failures.py want tests/scripts/unended.mock >"$R/unended.want"
run unended 1 "$URL" --requests 2 --concurrency 1 --ctx-tokens 256 --response-words 3 --controlled-output-policy strict
ok "[DONE] that is none; too many words" || cat "$T/err"
mock_stop
mock_start tests/scripts/failures.mock || exit 1
"$RECORD" capacity --base-url "$URL" "${FLAGS[@]}" --requests 2 --concurrency 1 --ctx-tokens 256 --request-canaries \
    --tape "$T/said.tape" >"$T/out" 2>"$T/err"
grep -q "HTTP 500" "$T/err"
ok "the recorder's last words name the reason" || cat "$T/err"
mock_stop
mock_start tests/scripts/stale.mock || exit 1
run stale 1 "$URL" --requests 4 --concurrency 1 --ctx-tokens 64 --connections reuse --request-canaries
printf '%s\n' "0 good" "1 stale_connection" "2 good" "3 stale_connection" >"$R/stale.want"
ok "kept connections that died" || cat "$T/err"
mock_stop

# What keeps a request from being sent
run refused 1 "http://127.0.0.1:$PORT/v1" --requests 2 --concurrency 1 --ctx-tokens 64
ok "nobody listens" || cat "$T/err"
all refused connect_refused 2
run route 1 http://255.255.255.255:80/v1 --requests 2 --concurrency 1 --ctx-tokens 64
ok "no route" || cat "$T/err"
all route connect_error 2
run name 1 http://nowhere.invalid:80/v1 --requests 3 --concurrency 3 --ctx-tokens 64
ok "a name that does not resolve" || cat "$T/err"
all name dns_error 3
cat >"$T/slow.c" <<'C'
#include <netdb.h>
#include <unistd.h>
int getaddrinfo(const char *n, const char *s, const struct addrinfo *h, struct addrinfo **r);
int getaddrinfo(const char *n, const char *s, const struct addrinfo *h, struct addrinfo **r)
{
    (void)n, (void)s, (void)h, (void)r;
    sleep(120);
    return EAI_AGAIN;
}
C
if grep -qaE '__(asan|tsan)_' "$RECORD" || ! "${CC:-cc}" -shared -fPIC -o "$T/slow.so" "$T/slow.c" 2>/dev/null; then
    skip "a resolver that hangs" "a sanitizer must be loaded first, or there is no compiler"
else
    LD_PRELOAD=$T/slow.so run resolver 1 http://nowhere.invalid:80/v1 --requests 3 --concurrency 1 --ctx-tokens 64
    ok "a resolver that hangs does not hold up the run" || cat "$T/err"
    all resolver dns_error.hangs 3
fi
run short 1 "http://127.0.0.1:$PORT/v1" --requests 2 --concurrency 1 --ctx-tokens 32 --request-canaries --response-words 3
ok "prompts that hold no task" || cat "$T/err"
all short not_built 2
peer_start deaf && run deaf 1 "http://127.0.0.1:$PEER_PORT/v1" --requests 2 --concurrency 2 --ctx-tokens 64
ok "a listener that takes no connection" || cat "$T/err"
all deaf connect_timeout 2
peer_start plain && run handshake 1 "https://127.0.0.1:$PEER_PORT/v1" --requests 2 --concurrency 1 --ctx-tokens 64
ok "TLS to a server without" || cat "$T/err"
all handshake tls_error 2
peer_start reset_upload && run upload 1 "http://127.0.0.1:$PEER_PORT/v1" --requests 3 --concurrency 1 --ctx-tokens 900000
ok "a reset while 2.7 MB are being sent" || cat "$T/err"
all upload send_error 3
peer_start stuffed && run stuffed 1 "http://127.0.0.1:$PEER_PORT/v1" --requests 1 --concurrency 1 --ctx-tokens 900000
ok "a peer that stops taking them" || cat "$T/err"
all stuffed send_timeout 1

run proxy 1 "http://127.0.0.1:$PORT/v1" --requests 2 --concurrency 1 --ctx-tokens 64 --proxy "http://127.0.0.1:$PORT"
ok "a proxy that is not there" || cat "$T/err"
all proxy proxy_error.refused 2
peer_start plain && run tunnel 1 "https://127.0.0.1:$PORT/v1" --requests 2 --concurrency 1 --ctx-tokens 64 \
    --proxy "http://127.0.0.1:$PEER_PORT"
ok "a proxy that makes no tunnel" || cat "$T/err"
all tunnel proxy_error.tunnel 2

# A host of ten local ports, none of which is free again for a minute
parts=()
inside='ip link set lo up && echo 50000 50009 >/proc/sys/net/ipv4/ip_local_port_range &&
    echo 0 >/proc/sys/net/ipv4/tcp_tw_reuse && . tests/lib.sh && mock_start tests/scripts/plain.mock --port 8080 &&
    "$RECORD" capacity --base-url "$URL" --model mock --requests 30 --concurrency 2 --ctx-tokens 64 \
        --max-model-len 4096 --prompt-cache-mode unique --tape "$1"'
if unshare -rn true 2>/dev/null && command -v ip >/dev/null; then
    unshare -rn bash -c "$inside" inside "$R/ports.tape" >"$T/out" 2>&1
    [ $? -eq 1 ] && grep -q "calls failed: no local port was free" "$T/out" && grep -q -- "--connections reuse" "$T/out"
    ok "local ports that run out, with the remedy" || cat "$T/out"
    for k in $(seq 0 29); do echo "$k $([ "$k" -lt 10 ] && echo good || echo no_local_port)"; done >"$R/ports.want"
    parts+=(ports)
else
    skip "local ports that run out" "no network namespace can be made here"
fi

# What ends a run
for signal in INT KILL; do
    mock_start tests/scripts/silent.mock || exit 1
    name=$(echo "$signal" | tr '[:upper:]' '[:lower:]')
    "$RECORD" capacity --base-url "$URL" "${SLOW[@]}" --requests 6 --concurrency 2 --ctx-tokens 64 \
        --tape "$R/$name.tape" >"$T/out" 2>"$T/err" &
    RECORDER=$!
    wait_for_starts "$R/$name.tape" 4 && kill -$signal $RECORDER
    wait $RECORDER 2>/dev/null
    status=$?
    [ $status -eq "$([ $signal = INT ] && echo 130 || echo 137)" ]
    ok "SIG$signal: exit $status" || cat "$T/err"
    mock_stop
done
printf '%s\n' "0 good" "1 good" "2 cancelled" "3 cancelled" "4 not_sent" "5 not_sent" >"$R/int.want"
printf '%s\n' "0 good" "1 good" "2 not_recorded" "3 not_recorded" "4 not_sent.torn" "5 not_sent.torn" >"$R/kill.want"
"$PYTHON" tests/check_failures.py lose "$R/stale.tape" "$R/lost.tape" 2
ok "a tape that says what it lost"
sed 's/^2 .*/2 lost_records/' "$R/stale.want" >"$R/lost.want"

# ports N: as many that nobody listens on
ports() {
    "$PYTHON" -c "
import socket
s = [socket.socket() for _ in range($1)]
[x.bind(('127.0.0.1', 0)) for x in s]
print(*(x.getsockname()[1] for x in s))"
}

# front_start SERVERS PORT: nginx with those server blocks, until it listens there
front_start() {
    local k
    cat >"$T/nginx.conf" <<N
daemon off;
master_process off;
pid $T/nginx.pid;
error_log $T/nginx.log;
events {}
http {
    access_log off;
    client_body_temp_path $T/nginx.body;
    proxy_temp_path $T/nginx.proxy;
    fastcgi_temp_path $T/nginx.fastcgi;
    uwsgi_temp_path $T/nginx.uwsgi;
    scgi_temp_path $T/nginx.scgi;
$(cat "$1")
}
N
    "$FRONT_PROGRAM" -p "$T" -c "$T/nginx.conf" >"$T/nginx.out" 2>&1 </dev/null &
    pids+=("$!")
    for k in $(seq 1 200); do
        (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null && return 0
        sleep 0.05
    done
    cat "$T/nginx.out" "$T/nginx.log"
    return 1
}

FRONT_PROGRAM=$(command -v nginx || { [ -x /usr/sbin/nginx ] && echo /usr/sbin/nginx; })
if [ -z "$FRONT_PROGRAM" ]; then
    skip "502, 504, compression, buffering and HTTP/2 behind nginx" "no nginx here"
else
    parts+=(http2)
    mock_start tests/scripts/upstream.mock || exit 1
    read -r FRONT BACK H2 NOBODY < <(ports 4)
    cat >"$T/nginx.servers" <<N
    server {
        listen 127.0.0.1:$FRONT;
        location /gone/ { proxy_pass http://127.0.0.1:$NOBODY; }
        location /silent/ { proxy_pass http://127.0.0.1:$PORT; proxy_read_timeout 300ms; }
        location /broken/ { proxy_pass http://127.0.0.1:$PORT; proxy_http_version 1.1; proxy_buffering off; }
        location /slow/ { proxy_pass http://127.0.0.1:$PORT; }
        location /zip/ { proxy_pass http://127.0.0.1:$BACK/slow/; proxy_set_header Accept-Encoding gzip; proxy_http_version 1.1; }
    }
    server {
        listen 127.0.0.1:$BACK;
        gzip on; gzip_types *; gzip_proxied any; gzip_min_length 0;
        location / { proxy_pass http://127.0.0.1:$PORT; proxy_buffering off; }
    }
    server {
        listen 127.0.0.1:$H2 http2;
        location / { proxy_pass http://127.0.0.1:$PORT; proxy_http_version 1.1; proxy_buffering off; }
    }
N
    front_start "$T/nginx.servers" "$FRONT" || exit 1
    for path in gone silent broken zip; do
        run nginx_$path 1 "http://127.0.0.1:$FRONT/$path/v1" --requests 2 --concurrency 1 --ctx-tokens 64
        ok "behind nginx: $path" || cat "$T/err" "$T/nginx.log"
    done
    run nginx_http2 1 "http://127.0.0.1:$H2/broken/v1" --requests 2 --concurrency 1 --ctx-tokens 64 --http2
    ok "behind nginx: an HTTP/2 stream that breaks off" || cat "$T/err" "$T/nginx.log"
    all nginx_http2 http2_error 2
    all nginx_gone http_status.502 2
    all nginx_silent http_status.504 2
    all nginx_broken truncated_body.nginx 2
    all nginx_zip compressed_body.nginx 2
    run nginx_slow 0 "http://127.0.0.1:$FRONT/slow/v1" --requests 2 --concurrency 1 --ctx-tokens 64
    ok "behind nginx: an answer held back to its end is no failure" || cat "$T/err"
    all nginx_slow good 2
    "$ANALYZE" summary -q "$R/nginx_slow.tape" >"$T/summary"
    grep -q 'warning (2): all output came in the last 1 %' "$T/summary"
    ok "but it is said that it came in a burst" || cat "$T/summary"
    grep -h warning "$T/summary" | grep burst | sed 's/^/# figure: /'
    mock_stop
fi

"$PYTHON" tests/check_failures.py judge "$R" "${parts[@]}" 2>"$T/err"
ok "class, type, message, bytes and accounts of each" || tail -n 5 "$T/err" | cut -c1-1500
"$ANALYZE" result -q "$R/mock.tape" | "$PYTHON" -c "
import json, sys
d = json.load(sys.stdin)
want = dict(reversed(line.split()) for line in open('$R/mock.want'))
after = {name: d['trace']['requests'][int(i)]['retry_after_s'] for name, i in want.items()}
assert {n: s for n, s in after.items() if s is not None} == {'http_status.429': 7, 'http_status.503': 120}, after
assert d['metrics']['throughput_tok_s'] is None and d['performance_eligible'] is False" 2>"$T/err"
ok "Retry-After is kept as a number" || cat "$T/err"
"$ANALYZE" dump -q "$R/mock.tape" >"$T/dump" && grep -q '"reason": "done_grace"' "$T/dump"
ok "what says [DONE] and stays open ends after the grace, and counts"
"$PYTHON" tests/check_failures.py miscount "$R/stale.tape" "$T/miscount.tape" &&
    { "$ANALYZE" summary "$T/miscount.tape" >"$T/summary" 2>"$T/err"; true; } &&
    grep -A1 '^ACCOUNTS DO NOT BALANCE: planned 4, succeeded 2 + failed 2' "$T/summary" | grep -q 'counted 5 sent'
ok "accounts that do not balance are printed" || tail -n 4 "$T/summary" "$T/err"
[ -n "${KEEP:-}" ] && cp -r "$R" "$KEEP"
finish
