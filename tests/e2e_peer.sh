#!/usr/bin/env bash
# A server that others wrote, the npm package @dwmkerr/mock-llm, direct and behind nginx. It answers in one
# chunk that holds role, content and finish reason together, without usage.
. "$(dirname "$0")/lib.sh"

NPM=${TOKENTAPE_NPM:-$TOP/build/npm}
PEER=$NPM/node_modules/@dwmkerr/mock-llm/dist/main.js
NGINX=$(command -v nginx || { [ -x /usr/sbin/nginx ] && echo /usr/sbin/nginx; })
if ! command -v node >/dev/null || [ ! -f "$PEER" ]; then
    skip "a run against the npm mock" "no node, or no @dwmkerr/mock-llm: npm install --prefix build/npm @dwmkerr/mock-llm"
    finish
fi

free_ports() {
    "$PYTHON" -c "
import socket
s = [socket.socket() for _ in range($1)]
[x.bind(('127.0.0.1', 0)) for x in s]
print(*(x.getsockname()[1] for x in s))"
}

answers() { # PORT: waits until something listens there
    local k
    for k in $(seq 1 200); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
        sleep 0.05
    done
    return 1
}

# peer_start CHUNK_SIZE: the npm mock, its port in PEER_PORT
peer_start() {
    "$PYTHON" tests/check_peer.py config 9 "$1" >"$T/peer.yaml"
    HOST=127.0.0.1 PORT=$PEER_PORT node "$PEER" --config "$T/peer.yaml" >"$T/peer.log" 2>&1 </dev/null &
    PEER_PID=$!
    pids+=("$PEER_PID")
    answers "$PEER_PORT" || { cat "$T/peer.log"; return 1; }
}

peer_stop() {
    kill "$PEER_PID" 2>/dev/null
    wait "$PEER_PID" 2>/dev/null
}

# measured NAME CHUNKS PORT CONNECTIONS: a run of 9 requests, the last of which the peer refuses
measured() {
    local name=$1 chunks=$2 port=$3 connections=$4
    "$RECORD" capacity --base-url "http://127.0.0.1:$port/v1" --model peer --requests 9 --concurrency 3 \
        --connections "$connections" --ctx-tokens 512 --prompt-cache-mode unique --request-canaries --response-words 16 \
        --controlled-output-policy strict --timeout 20 --output "$T/$name.json" -q >"$T/out" 2>"$T/err"
    [ $? -eq 1 ] && "$PYTHON" tests/check_peer.py check "$chunks" "$connections" "$T/$name.tape" 2>>"$T/err"
    ok "$name" || { cat "$T/out" "$T/err" "$T/peer.log"; }
}

# refused NAME STATUS BASE-URL CONTEXT: every answer is that status
refused() {
    "$RECORD" capacity --base-url "$3" --model peer --max-model-len 262144 --requests 2 --concurrency 1 --ctx-tokens "$4" \
        --timeout 20 --tape "$T/$2.tape" -q >"$T/out" 2>"$T/err"
    [ $? -eq 1 ] && "$ANALYZE" result -q "$T/$2.tape" | "$PYTHON" -c "
import json, sys
d = json.load(sys.stdin)
assert [f['error_type'] for f in d['failures']] == ['http_status'] * 2, d['failures']
assert all('$2' in f['error_message'] and not f['response_received'] for f in d['failures']), d['failures']" 2>>"$T/err"
    ok "$1" || cat "$T/err"
}

read -r PEER_PORT PASSED BUFFERED KEPT < <(free_ports 4)
peer_start 4096 || exit 1
measured "direct" 1 "$PEER_PORT" fresh
measured "direct, connections kept" 1 "$PEER_PORT" reuse
refused "a path it does not have" 404 "http://127.0.0.1:$PEER_PORT/elsewhere" 512
refused "a prompt larger than it takes" 413 "http://127.0.0.1:$PEER_PORT/v1" 60000

if [ -z "$NGINX" ]; then
    skip "the same behind nginx" "no nginx here"
    finish
fi
cat >"$T/nginx.conf" <<N
daemon off;
master_process off;
pid $T/nginx.pid;
error_log $T/nginx.log;
events {}
http {
    access_log off;
    client_body_temp_path $T/body;
    proxy_temp_path $T/proxy;
    fastcgi_temp_path $T/fastcgi;
    uwsgi_temp_path $T/uwsgi;
    scgi_temp_path $T/scgi;
    client_max_body_size 8m;
    upstream peer { server 127.0.0.1:$PEER_PORT; keepalive 4; }
    server { listen 127.0.0.1:$PASSED; location / { proxy_pass http://127.0.0.1:$PEER_PORT; proxy_buffering off; } }
    server { listen 127.0.0.1:$BUFFERED; location / { proxy_pass http://127.0.0.1:$PEER_PORT; } }
    server {
        listen 127.0.0.1:$KEPT;
        location / {
            proxy_pass http://peer;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }
    }
}
N
"$NGINX" -p "$T" -c "$T/nginx.conf" >"$T/nginx.out" 2>&1 </dev/null &
pids+=("$!")
answers "$PASSED" || { cat "$T/nginx.out" "$T/nginx.log"; exit 1; }
measured "behind nginx, unbuffered" 1 "$PASSED" fresh
measured "behind nginx, buffered" 1 "$BUFFERED" fresh
measured "behind nginx, kept on both sides" 1 "$KEPT" reuse
peer_stop
refused "a proxy whose server is gone" 502 "http://127.0.0.1:$PASSED/v1" 512
peer_start 7 || exit 1
measured "in pieces of 7 characters" 14 "$PEER_PORT" warm
measured "the same behind nginx, buffered" 14 "$BUFFERED" warm
finish
