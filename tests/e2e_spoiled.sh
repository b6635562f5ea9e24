#!/usr/bin/env bash
# A tape that was cut, hit by a bad disk or edited is known for what it is, and gives what it still has.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/quick.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests 150 --concurrency 4 --ctx-tokens 256 \
    --request-canaries --response-words 4 --prompt-cache-mode unique --tape "$T/run.tape" -q >"$T/out" 2>&1
ok "a run of several blocks" || cat "$T/out"
mock_stop
mkdir "$T/spoiled"
timeout 200 "$PYTHON" tests/check_spoiled.py "$T/run.tape" "$T/spoiled" 2>"$T/err"
ok "cut, hit, salvaged, edited, newer and empty tapes" || tail -n 5 "$T/err" | cut -c1-1000
finish
