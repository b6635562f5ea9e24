#!/usr/bin/env bash
# Times, counts and overlap of a run against the mock's own stamps and this script's own arithmetic.
# alone: its stamps are compared to half a millisecond
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/seed.mock --max-model-len 327680 || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 24 --concurrency 4 --ctx-tokens 2048 --max-tokens 2048 \
    --prompt-cache-mode unique --request-canaries --response-words 16 --controlled-output-policy strict \
    --tape "$T/run.tape" -q >"$T/out" 2>&1
ok "24 requests are recorded" || cat "$T/out"
mock_stop
"$PYTHON" tests/check_timing.py "$T/run.tape" "$MOCK_LOG" 2>"$T/err"
ok "times lie between the mock's stamps and those plus the run's own lag; counts and overlap are exact" || cat "$T/err"

# A large prompt over segments of an ordinary network, to a server that reads late.
mock_start tests/scripts/seed.mock --max-model-len 327680 --segment 1448 --receive-buffer 65536 --read-delay 60ms || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 2 --concurrency 1 --ctx-tokens 300000 --max-tokens 2048 \
    --prompt-cache-mode unique --request-canaries --response-words 16 --tape "$T/large.tape" -q >"$T/out" 2>&1
ok "prompts of 300,000 tokens are recorded" || cat "$T/out"
mock_stop
"$PYTHON" tests/check_upload.py "$T/large.tape" "$MOCK_LOG" 60 2>"$T/err"
ok "the upload of a 300,000-token prompt shows in upload_ms" || cat "$T/err"
finish
