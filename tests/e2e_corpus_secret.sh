#!/usr/bin/env bash
# The whole corpus from a server that says the caller's credential before and behind every stream and in a header:
# it is in no artefact of the run.
. "$(dirname "$0")/lib.sh"

export TOKENTAPE_TEST_KEY="sk-corpus/4be1+Qx7=zP:0002~tokentape"
O=$T/artefacts
mkdir "$O"
"$PYTHON" tests/check_secret.py script fixtures/sse >"$T/corpus.mock"
requests=$(grep -c '^answer ' "$T/corpus.mock")
mock_start "$T/corpus.mock" || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests "$requests" --concurrency 1 --ctx-tokens 64 \
    --prompt-cache-mode unique --timeout 20 --api-key-env TOKENTAPE_TEST_KEY -v --output "$O/run.json" >"$O/stdout" 2>"$O/stderr"
[ $? -le 1 ] && [ -s "$O/run.tape" ] && [ -s "$O/run.json" ]
ok "$requests answers with a credential in them" || tail -n 3 "$O/stderr"
analyze() { # NAME COMMAND ...: its output as an artefact
    local name=$1
    shift
    "$ANALYZE" "$@" >"$O/$name" 2>>"$O/stderr"
    [ -s "$O/$name" ] || note "nothing from $*"
}
for command in summary verify dump result; do analyze $command $command "$O/run.tape"; done
analyze text dump --text "$O/run.tape"
analyze timeline timeline "$O/run.tape" --request 0
analyze timeline_json timeline --json "$O/run.tape" --request 5
zstd -dcq "$O/run.tape" >"$O/records" 2>>"$O/stderr"
timeout 200 "$PYTHON" tests/check_secret.py search "$O" "$TOKENTAPE_TEST_KEY" 2>"$T/err"
ok "it is in no output, tape, record or body" || tail -n 2 "$T/err" | cut -c1-600
[ "$(grep -c '"kind": "REDACT"' "$O/dump")" -ge $((requests * 3)) ]
ok "it was masked three times an answer at least: $(grep -c '"kind": "REDACT"' "$O/dump")"
echo "$TOKENTAPE_TEST_KEY" >"$O/planted"
"$PYTHON" tests/check_secret.py search "$O" "$TOKENTAPE_TEST_KEY" >/dev/null 2>&1
[ $? -eq 1 ]
ok "(a planted one is found)"
finish
