#!/usr/bin/env bash
# A credential that the server says back in every place and form is in nothing that is left behind.
. "$(dirname "$0")/lib.sh"

# characters that base64 and percent-encoding change
export TOKENTAPE_TEST_KEY="sk-canary/7f3a+Zq9=wV:0001~tokentape"
base64=$(printf '%s' "$TOKENTAPE_TEST_KEY" | base64 -w0)
bearer64=$(printf 'Bearer %s' "$TOKENTAPE_TEST_KEY" | base64 -w0)
percent=$("$PYTHON" -c "import os, urllib.parse; print(urllib.parse.quote(os.environ['TOKENTAPE_TEST_KEY'], safe=''))")
cp tests/scripts/echo_secret.mock "$T/echo.mock"
cat >>"$T/forms.mock" <<M
answer forms
  head 200 content-type=text/event-stream chunked
  header x-request-id: $base64
  header x-ratelimit-limit-requests: $percent
  event {"choices":[{"index":0,"delta":{"content":"plain $TOKENTAPE_TEST_KEY base64 $base64 and $bearer64 percent $percent"},"finish_reason":"stop"}]}
  done
  finish
M

run() { # NAME SCRIPT [FLAGS]
    local name=$1 script=$2 command k
    shift 2
    mock_start "$script" || exit 1
    "$RECORD" capacity --base-url "$URL" --model mock --requests 16 --concurrency 2 --ctx-tokens 64 \
        --api-key-env TOKENTAPE_TEST_KEY --prompt-cache-mode unique -v --output "$T/out/$name.json" "$@" \
        >"$T/out/$name.stdout" 2>"$T/out/$name.stderr"
    mock_stop
    zstd -dcq "$T/out/$name.tape" >"$T/out/$name.records"
    for command in summary verify dump; do
        "$ANALYZE" $command "$T/out/$name.tape" >"$T/out/$name.$command" 2>&1
    done
    "$ANALYZE" dump --text "$T/out/$name.tape" >"$T/out/$name.text" 2>&1
    for k in 0 1 2 3; do
        "$ANALYZE" timeline "$T/out/$name.tape" --request $k >"$T/out/$name.timeline$k" 2>&1
    done
    [ -s "$T/out/$name.json" ] && [ -s "$T/out/$name.records" ] && [ -s "$T/out/$name.dump" ]
}

# search NAME: all files, as they are and with the base64 of `dump` taken off
search() {
    local form status=0
    "$PYTHON" - "$T/out" >"$T/out/$1.decoded" <<'P'
import base64, glob, json, os, sys
for path in glob.glob(os.path.join(sys.argv[1], "*.dump")):
    for line in open(path):
        record = json.loads(line)
        if isinstance(record.get("bytes"), str):
            sys.stdout.buffer.write(base64.b64decode(record["bytes"]) + b"\n")
P
    # bodies without chunk framing: what crosses a chunk's edge must be gone as well
    "$PYTHON" - "$T/out" >"$T/out/$1.dechunked" <<'P'
import glob, os, sys
sys.path.insert(0, "tests")
import tapes
for path in glob.glob(os.path.join(sys.argv[1], "*.tape")):
    for request in tapes.Tape(path).requests.values():
        body, at = request.body(), 0
        while at < len(body):
            end = body.find(b"\r\n", at)
            try:
                n = int(body[at:end], 16)
            except ValueError:
                break
            sys.stdout.buffer.write(body[end + 2:end + 2 + n])
            at = end + 2 + n + 2
        sys.stdout.buffer.write(b"\n")
P
    for form in "$TOKENTAPE_TEST_KEY" "$base64" "${base64%??}" "${bearer64:8:32}" "$percent"; do
        if grep -raFl -e "$form" "$T/out"; then
            note "found: $form"
            status=1
        fi
    done
    return $status
}

mkdir "$T/out"
run echo "$T/echo.mock"
ok "a run against a server that echoes the key in body, header, trailer and error" || cat "$T/out/echo.stderr"
search echo
ok "plain, in base64 or percent-encoded it is in no output, tape, head file or log"
grep -qa 'Bearer \*\*\*' "$T/out/echo.decoded" && [ "$(grep -c '"kind": "REDACT"' "$T/out/echo.dump")" -gt 8 ]
ok "(what was masked is there as filler, and REDACT records say where)" || grep -c REDACT "$T/out/echo.dump"
rm -rf "$T/out"; mkdir "$T/out"
run forms "$T/forms.mock"
ok "a run against a server that encodes it" || cat "$T/out/forms.stderr"
search forms
ok "encoded forms are masked too"
"$PYTHON" - "$T/out/forms.json" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["completed"] == 16 and d["metrics"]["content_chunks"] == 16, "masking keeps the framing whole"
assert d["trace"]["tape"]["redactions"] >= 16 * 6, d["trace"]["tape"]
print("# figure:", d["trace"]["tape"]["redactions"], "redactions in 16 answers")
P
ok "masked answers are still read, and the trace counts what was masked"
rm -rf "$T/out"; mkdir "$T/out"
TOKENTAPE_TEST_KEY=EMPTY run placeholder "$T/echo.mock"
ok "a placeholder as key"
grep -qa 'Bearer EMPTY' "$T/out/placeholder.records" && grep -qi 'mask' "$T/out/placeholder.stderr"
ok "a placeholder is not masked, and the run says so" || cat "$T/out/placeholder.stderr"
finish
