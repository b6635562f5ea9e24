#!/usr/bin/env bash
# The result of a run like the published one has its keys, types and null rules, and `trace` besides.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/seed.mock --max-model-len 327680 || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 8 --concurrency 4 --ctx-tokens 2048 --max-tokens 2048 \
    --prompt-cache-mode unique --request-canaries --response-words 16 --controlled-output-policy strict \
    --thinking-mode enabled --engine e --gpu g --output "$T/run.json" -q >"$T/out" 2>&1
ok "a run with --output" || cat "$T/out"
[ -s "$T/run.tape" ] && [ -s "$T/run.tape.head" ] && [ "$(stat -c %a "$T/run.tape" "$T/run.tape.head" | sort -u)" = 600 ]
ok "the tape lies beside the result, for its owner alone"
"$ANALYZE" result "$T/run.tape" >"$T/again.json" 2>"$T/err" && cmp "$T/run.json" "$T/again.json"
ok "the result the recorder left is what the analyzer makes of the tape" || cat "$T/err"
"$ANALYZE" result "$T/run.tape" --schema-exact -o "$T/exact.json"
ok "result --schema-exact"
"$PYTHON" tests/check_schema.py fixtures/seed-capacity-artifact.json "$T/run.json" "$T/exact.json" 2>"$T/err"
ok "same keys, types and null rules as the published artifact" || cat "$T/err"
mock_stop

# A plain model, observed words only, some failures: what may be null is null.
mock_start tests/scripts/failures.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 6 --concurrency 2 --ctx-tokens 512 --request-canaries \
    --response-words 4 --prompt-cache-mode unique --output "$T/failed.json" -q >"$T/out" 2>&1
[ $? -eq 1 ]
ok "a run with failures exits 1 and leaves a result" || cat "$T/out"
"$PYTHON" tests/check_schema.py fixtures/seed-capacity-artifact.json "$T/failed.json" 2>"$T/err"
ok "its keys and types are those of the published artifact too" || cat "$T/err"
# serve_flags tell which spelling asked for no thinking
for spelling in "--no-thinking" "--thinking-mode disabled"; do
    rm -f "$T"/think.*
    # shellcheck disable=SC2086
    "$RECORD" capacity --base-url "$URL" --model m --max-model-len 100000 --requests 1 --concurrency 1 --ctx-tokens 200 \
        --request-canaries $spelling --output "$T/think.json" -q >"$T/out" 2>&1
    "$PYTHON" - "$T/think.json" "$spelling" <<'P'
import json, sys
flags = json.load(open(sys.argv[1]))["serve_flags"]
assert flags["thinking_mode"] == "disabled" and flags["no_thinking"] == (sys.argv[2] == "--no-thinking"), flags
P
    ok "serve_flags after $spelling" || cat "$T/out"
done
finish
