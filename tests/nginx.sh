# nginx in front of the mock server, for the end-to-end tests: sourced behind lib.sh.
# shellcheck shell=bash

# free_ports N: as many numbers that nobody listens on at the moment, below those that the kernel gives to others
free_ports() {
    "$PYTHON" -c "
import random, socket, sys
held = []
while len(held) < int(sys.argv[1]):
    s = socket.socket()
    try:
        s.bind(('127.0.0.1', random.randrange(20000, 32000)))
        held.append(s)
    except OSError:
        pass
print(*(s.getsockname()[1] for s in held))" "$1"
}

# make_certificates FOLDER: ca.pem, server.pem/.key for localhost and 127.0.0.1, client.pem/.key, other.pem
make_certificates() {
    local folder=$1 name
    local -a curve=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
    printf 'subjectAltName=DNS:localhost,DNS:named.test,IP:127.0.0.1,IP:::1\n' >"$folder/names"
    {
        for name in ca other; do
            openssl req -x509 "${curve[@]}" -keyout "$folder/$name.key" -out "$folder/$name.pem" -days 2 -subj "/CN=$name" || return 1
        done
        for name in server client; do
            openssl req "${curve[@]}" -keyout "$folder/$name.key" -out "$folder/$name.csr" -subj "/CN=$name" &&
                openssl x509 -req -in "$folder/$name.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -CAcreateserial \
                    -days 2 -extfile "$folder/names" -out "$folder/$name.pem" || return 1
        done
    } >"$folder/openssl.out" 2>&1
}

# nginx_start FOLDER UPSTREAM: sets NGINX_PID and, for the tests, TLS_H1 (HTTP/1.1 over TLS), TLS_H2, CLIENT_TLS (wants a
# client certificate), CLEAR_H2 (HTTP/2 without TLS), PROXY (forwards plain http) and SOCKET, a Unix socket's path.
nginx_start() {
    local folder=$1 upstream=$2 h1 h2 client clear proxy k
    read -r h1 h2 client clear proxy <<<"$(free_ports 5)"
    SOCKET=$folder/nginx.sock
    cat >"$folder/nginx.conf" <<C
daemon off;
master_process off;
pid $folder/pid;
error_log $folder/error.log;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path $folder/t1; proxy_temp_path $folder/t2; fastcgi_temp_path $folder/t3;
    uwsgi_temp_path $folder/t4; scgi_temp_path $folder/t5;
    client_max_body_size 0;
    proxy_buffering off; proxy_http_version 1.1; proxy_read_timeout 60s;
    keepalive_requests 100000;
    ssl_certificate $folder/server.pem; ssl_certificate_key $folder/server.key;
    server { listen 127.0.0.1:$h1 ssl; location / { proxy_pass http://$upstream; } }
    server { listen 127.0.0.1:$h2 ssl http2; location / { proxy_pass http://$upstream; } }
    server { listen 127.0.0.1:$client ssl; ssl_client_certificate $folder/ca.pem; ssl_verify_client on;
             location / { proxy_pass http://$upstream; } }
    server { listen 127.0.0.1:$clear http2; location / { proxy_pass http://$upstream; } }
    server { listen 127.0.0.1:$proxy; resolver 127.0.0.1;
             location / { proxy_pass http://$upstream; proxy_set_header X-Asked-For \$http_host; } }
    server { listen unix:$SOCKET; location / { proxy_pass http://$upstream; } }
}
C
    nginx -e "$folder/error.log" -p "$folder" -c "$folder/nginx.conf" >"$folder/nginx.out" 2>&1 &
    NGINX_PID=$!
    pids+=("$NGINX_PID")
    TLS_H1=https://localhost:$h1/v1 TLS_H2=https://localhost:$h2/v1 CLIENT_TLS=https://127.0.0.1:$client/v1
    CLEAR_H2=http://127.0.0.1:$clear/v1 PROXY=http://127.0.0.1:$proxy
    for k in $(seq 1 100); do
        [ -S "$SOCKET" ] && return 0
        kill -0 "$NGINX_PID" 2>/dev/null || break
        sleep 0.05
    done
    cat "$folder/nginx.out" "$folder/error.log"
    return 1
}

nginx_stop() {
    kill "$NGINX_PID" 2>/dev/null
    wait "$NGINX_PID" 2>/dev/null
}

have_nginx() {
    command -v nginx >/dev/null 2>&1 && command -v openssl >/dev/null 2>&1 && nginx -V 2>&1 | grep -q http_v2_module
}
