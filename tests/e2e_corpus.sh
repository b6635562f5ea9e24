#!/usr/bin/env bash
# Every stream of the corpus through server, recorder, tape and analyzer: chunk edges are not write edges,
# and what is found is what the notes beside each stream say.
. "$(dirname "$0")/lib.sh"

"$PYTHON" tests/check_corpus.py script fixtures/sse >"$T/corpus.mock"
ok "a script of all streams"
requests=$(grep -c '^answer ' "$T/corpus.mock")
mock_start "$T/corpus.mock" || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests "$requests" --concurrency 1 \
    --ctx-tokens 64 --prompt-cache-mode unique --timeout 20 --tape "$T/run.tape" -q >"$T/out" 2>"$T/err"
[ $? -eq 1 ]
ok "$requests answers are recorded; some are failures" || cat "$T/out" "$T/err"
"$PYTHON" tests/check_corpus.py check fixtures/sse "$T/run.tape" 2>"$T/err"
ok "bytes, chunks, tokens, finish reasons and failures are those of the notes" || tail -n 40 "$T/err"
finish
