#!/usr/bin/env bash
# Every stream of the corpus over every framing: the body that curl makes of it is the one the tape holds.
. "$(dirname "$0")/lib.sh"

if ! command -v curl >/dev/null; then
    skip "what curl reads of each stream" "no curl program here"
    finish
fi
"$PYTHON" tests/check_corpus.py script fixtures/sse >"$T/corpus.mock"
requests=$(grep -c '^answer ' "$T/corpus.mock")
mock_start "$T/corpus.mock" || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests "$requests" --concurrency 1 \
    --ctx-tokens 64 --prompt-cache-mode unique --timeout 20 --tape "$T/run.tape" -q >"$T/out" 2>"$T/err"
[ $? -le 1 ]
ok "$requests answers on tape" || cat "$T/out" "$T/err"
mock_stop
mock_start "$T/corpus.mock" || exit 1 # counts its requests from 0 again
timeout 200 "$PYTHON" tests/check_curl.py "$T/corpus.mock" "$URL" "$T/run.tape" 2>"$T/err"
ok "curl's bodies are the tape's" || tail -n 3 "$T/err" | cut -c1-1000
finish
