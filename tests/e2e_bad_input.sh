#!/usr/bin/env bash
# Every bad input gives one clear line and the right exit status, and costs nothing that was there.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/quick.mock --max-model-len 32768 || exit 1
QUICK=$URL
GOOD=(--model mock --ctx-tokens 64 --requests 2 --concurrency 1 --request-canaries --prompt-cache-mode unique)

# refused STATUS WORD NAME ARGS ...: exactly one line, on stderr, that holds WORD; nothing sent
refused() {
    local want=$1 word=$2 name=$3 status
    shift 3
    timeout 20 "$RECORD" "$@" >"$T/out" 2>"$T/err" </dev/null
    status=$?
    [ $status -eq "$want" ] && [ ! -s "$T/out" ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -qF -e "$word" "$T/err" &&
        grep -q '^tokentape-record: ' "$T/err"
    ok "$name" || { note "status $status"; cat "$T/err" "$T/out"; }
}
capacity() { # STATUS WORD NAME FLAGS ...
    local want=$1 word=$2 name=$3
    shift 3
    refused "$want" "$word" "$name" capacity --base-url "$QUICK" --tape "$T/never.tape" "${GOOD[@]}" "$@"
}
once() { # the same for a flag that GOOD has already
    local want=$1 word=$2 name=$3
    shift 3
    refused "$want" "$word" "$name" capacity --base-url "$QUICK" --model mock --tape "$T/never.tape" "$@"
}

refused 2 capacity "no command"
refused 2 frobnicate "an unknown command" frobnicate
refused 2 --base-url "no base URL" capacity --model mock
refused 2 --model "no model" capacity --base-url "$QUICK"
capacity 2 --frobnicate "an unknown flag" --frobnicate 1
capacity 2 "argument" "a word that is no flag" extra
while read -r flag value; do
    once 2 "$flag" "$flag $value" "$flag" "$value"
done <<'L'
--requests 0
--requests 65537
--requests many
--requests 1.5
--requests -1
--concurrency 0
--concurrency 65537
--burst 257
--shared-prefix-tokens 262145
--ctx-tokens 31
--ctx-tokens 1048577
--max-tokens 0
--max-tokens 65537
--response-words 65537
--max-model-len 1048577
--max-model-len 1088
--margin 1048577
--timeout 0
--timeout 3601
--timeout nan
--timeout inf
--chars-per-token 0.4
--chars-per-token 16.5
--warmup 10001
--temperature 2.1
--temperature -0.1
--temperature nan
--top-p 0
--top-p 1.01
--seed 1x
--prompt-cache-mode both
--controlled-output-policy maybe
--controlled-output-policy strict
--clock-domain-id a/b
--configuration-fingerprint sha256:ABC
--reasoning-effort some
--thinking-mode on
--connections new
--keep-bodies some
--done-grace -1
--api-key-env NO_SUCH_VARIABLE_HERE
--endpoint responses
--query name
--query-env code=NO_SUCH_VARIABLE_HERE
--header-env NO_SUCH_VARIABLE_HERE
--header-file /no/such/file
--unix-socket /no/such/socket
--resolve h:1:name
--proxy 127.0.0.1:1
--proxy-auth-env NO_SUCH_VARIABLE_HERE
L
once 2 --thinking-mode "thinking mode beside reasoning effort" --thinking-mode enabled --reasoning-effort low
once 2 --no-thinking "no-thinking beside reasoning effort" --no-thinking --reasoning-effort low
once 2 --thinking-mode "thinking mode beside completions" --endpoint completions --thinking-mode enabled
once 2 --proxy "a proxy with a password" --proxy http://user:password@127.0.0.1:1
once 2 --insecure "any certificate for plain http" --insecure
once 2 --cacert "certificates for plain http" --cacert /no/such/file
once 2 --key "a client's key without its certificate" --key /no/such/file
once 2 --burst "a burst in unique mode" --burst 4 --prompt-cache-mode unique
once 2 --max-tokens "canaries with fewer than 16 tokens" --request-canaries --max-tokens 15
once 2 67108864 "requests times context beyond the budget" --requests 65536 --ctx-tokens 1048576
once 2 --requests "a flag given twice" --requests 2 --requests 3
for url in ftp://h/v1 127.0.0.1:8000 http:///v1 http://u:p@h/v1 'http://h/v1?x=1' 'http://h/v1#f' http://h:99999/v1; do
    refused 2 --base-url "base URL $url" capacity --base-url "$url" --model mock --tape "$T/never.tape"
done
[ ! -e "$T/never.tape" ] && [ ! -s "$MOCK_LOG" ]
ok "after all of these no tape exists and the server saw nothing" || { ls -la "$T"; cat "$MOCK_LOG"; }

# Outputs that cannot be, refused before anything is sent
: >"$T/there"
cp "$T/there" "$T/there.head"
ln -s "$T/nowhere" "$T/link.tape"
mkdir "$T/locked" "$T/bin"
cp "$RECORD" "$T/bin"
out() { # STATUS WORD NAME FLAGS
    local want=$1 word=$2 name=$3
    shift 3
    refused "$want" "$word" "$name" capacity --base-url "$QUICK" "${GOOD[@]}" "$@"
}
out 2 "$T/there" "a tape that exists" --tape "$T/there"
out 2 "$T/link.tape" "a symbolic link as tape" --tape "$T/link.tape"
out 2 "$T/missing" "a tape whose folder is missing" --tape "$T/missing/run.tape"
out 2 "$T/there" "a tape under a file" --tape "$T/there/run.tape"
: >"$T/lone.tape.head"
out 2 "$T/lone.tape.head" "a head file that exists" --tape "$T/lone.tape"
out 2 "$T/there" "a result that exists" --tape "$T/r.tape" --output "$T/there"
out 2 "$T/missing" "a result whose folder is missing" --tape "$T/r.tape" --output "$T/missing/r.json"
(cd "$T" && PATH=/usr/bin:/bin timeout 20 bin/tokentape-record capacity --base-url "$QUICK" "${GOOD[@]}" \
    --output "$T/r.json" >"$T/out" 2>"$T/err")
[ $? -eq 2 ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -q tokentape-analyze "$T/err"
ok "a missing analyzer" || cat "$T/err"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$T" "$T/bin"
    chmod 555 "$T/locked"
    mkdir -m 777 "$T/gcov" # a coverage build leaves its counters there
    GCOV_PREFIX=$T/gcov setpriv --reuid 65534 --regid 65534 --clear-groups "$T/bin/tokentape-record" capacity --base-url "$QUICK" \
        "${GOOD[@]}" --tape "$T/locked/run.tape" >"$T/out" 2>"$T/err"
    [ $? -eq 4 ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -q "$T/locked" "$T/err"
    ok "a folder that may not be written: exit 4" || cat "$T/err"
elif [ "$(id -u)" -ne 0 ]; then
    chmod 555 "$T/locked"
    out 4 "$T/locked" "a folder that may not be written: exit 4" --tape "$T/locked/run.tape"
else
    skip "a folder that may not be written" "needs another user: no setpriv here"
fi
[ "$(wc -c <"$T/there")" -eq 0 ] && [ ! -s "$MOCK_LOG" ] && [ ! -e "$T/r.tape" ]
ok "what was there is untouched, and the server saw nothing" || cat "$MOCK_LOG"

# Endpoints that are none: recorded as failed requests, exit 1, one line that says why
endpoint() { # WORD NAME URL
    local status
    rm -f "$T"/e.*
    timeout 60 "$RECORD" capacity --base-url "$3" "${GOOD[@]}" --max-model-len 32768 --timeout 2 -q --tape "$T/e.tape" \
        >"$T/out" 2>"$T/err"
    status=$?
    "$ANALYZE" result -q "$T/e.tape" >"$T/e.json"
    [ $? -eq 1 ] && [ $status -eq 1 ] && [ "$(grep -ciE "$1" "$T/err")" -eq 1 ] &&
        "$ANALYZE" verify -q "$T/e.tape" >/dev/null && "$PYTHON" -c "
import json, sys
d = json.load(open(sys.argv[1]))
assert (d['completed'], d['failed'], d['requests']) == (0, 2, 2) and len(d['failures']) == 2
assert d['metrics']['output_tokens'] == 0 and d['metrics']['throughput_tok_s'] is None
print('# figure:', d['failures'][0]['error_type'], '|', d['failures'][0]['error_message'])" "$T/e.json"
    ok "$2" || { note "status $status"; cat "$T/err"; ls "$T"; }
}
endpoint "refused" "nothing listens there" "http://127.0.0.1:1/v1"
"$PYTHON" -c "
import socket, sys, threading
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(16)
open(sys.argv[1], 'w').write(str(s.getsockname()[1]))
while True:
    c, _ = s.accept(); c.recv(65536); c.sendall(b'220 mail ready\r\n'); c.close()" "$T/mail" &
pids+=($!)
wait_for_file "$T/mail"
endpoint "not an HTTP|HTTP/0.9" "a mail server" "http://127.0.0.1:$(cat "$T/mail")/v1"
for status in 401 404 429 500; do
    printf 'answer a\n  head %s content-type=application/json\n  body "{\\"error\\":{\\"message\\":\\"no\\"}}"\n' $status >"$T/s.mock"
    mock_start "$T/s.mock" || exit 1
    endpoint "HTTP $status" "every answer is $status" "$URL"
    mock_stop
done
printf 'answer a\n  head 200 content-type=text/event-stream\n  body ""\n' >"$T/s.mock"
mock_start "$T/s.mock" && endpoint "empty|without a byte|no byte" "every body is empty" "$URL"
mock_stop
printf 'answer a\n  head 200 content-type=application/json\n  body "{\\"choices\\":[{\\"message\\":{\\"content\\":\\"hi\\"}}]}"\n' >"$T/s.mock"
mock_start "$T/s.mock" && endpoint "event.stream" "every answer is one JSON document" "$URL"
mock_stop

# Things given to the analyzer that are no tapes, or no more
analyzed() { # STATUS WORD NAME ARGS ...
    local want=$1 word=$2 name=$3 status
    shift 3
    timeout 20 "$ANALYZE" "$@" >"$T/out" 2>"$T/err" </dev/null
    status=$?
    [ $status -eq "$want" ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -qF -e "$word" "$T/err"
    ok "$name" || { note "status $status"; cat "$T/err"; head -c 300 "$T/out"; }
}
tape_at() { "$RECORD" capacity --base-url "$QUICK" "${GOOD[@]}" --tape "$T/$1.tape" -q >/dev/null 2>&1; }
tape_at good
ok "a good tape to spoil"
: >"$T/empty.tape"
head -c 100000 /dev/urandom >"$T/foreign.tape"
echo '{"a": 1}' | zstd -q >"$T/other.tape"
head -c 30 "$T/good.tape" >"$T/short.tape"
for command in result summary verify dump; do
    analyzed 5 empty.tape "$command: an empty file" $command "$T/empty.tape"
    analyzed 5 foreign.tape "$command: a foreign file" $command "$T/foreign.tape"
    analyzed 5 other.tape "$command: a zstd file that is no tape" $command "$T/other.tape"
    analyzed 5 short.tape "$command: a tape cut inside its header" $command "$T/short.tape"
    analyzed 5 nothing.tape "$command: a file that is not there" $command "$T/nothing.tape"
    analyzed 2 '' "$command: no file named" $command
done
analyzed 2 '' "no command"
analyzed 2 frobnicate "an unknown command" frobnicate
analyzed 2 there "result: an output that exists" result "$T/good.tape" -o "$T/there"
analyzed 5 "$T" "result: a folder" result "$T"

# A tape cut anywhere: one of the states, never a crash, never a success without its end
"$PYTHON" - "$ANALYZE" "$T" 2>"$T/err2" <<'P'
import collections, os, subprocess, sys
analyze, folder = sys.argv[1:]
whole = open(os.path.join(folder, "good.tape"), "rb").read()
codes = collections.Counter()
cuts = sorted({*range(0, 120), *range(120, len(whole), max(1, len(whole) // 150)), len(whole) - 1})
for cut in cuts:
    path = os.path.join(folder, "cut.tape")
    open(path, "wb").write(whole[:cut])
    r = subprocess.run([analyze, "result", "-q", path], capture_output=True, timeout=20)
    assert r.returncode in (0, 1, 3, 5) and len(r.stderr.splitlines()) <= 1, (cut, r.returncode, r.stderr)
    assert r.returncode in (0, 3) or not r.stdout or r.returncode == 1, cut
    codes[r.returncode] += 1
    if r.returncode == 0:
        assert b'"completed": 2' in r.stdout, cut
print("# figure:", len(cuts), "cuts, exit statuses", dict(sorted(codes.items())))
P
ok "a tape cut at many places" || cat "$T/err2"
finish
