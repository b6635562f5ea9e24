#!/usr/bin/env bash
# explain says of each request what result says, and what it points at is what dump prints there.
. "$(dirname "$0")/lib.sh"

for name in plain reasoning failures; do
    for policy in capacity serving-comparison; do
        "$PYTHON" tests/check_explain.py "fixtures/good/$name.tape" $policy 2>"$T/err"
        ok "$name under $policy" || tail -n 5 "$T/err"
    done
done

"$ANALYZE" explain fixtures/good/plain.tape fixtures/good/reasoning.tape --run --policy serving-comparison >"$T/out"
[ $? -eq 1 ] && [ "$(grep -c 'FAIL  measurement_protocol_differs' "$T/out")" -eq 2 ]
ok "arms of different protocols are not to be compared" || cat "$T/out"
"$ANALYZE" explain fixtures/good/reasoning.tape fixtures/good/reasoning.tape --run --policy serving-comparison >"$T/out"
grep -q 'all 2 are capacity-v4-reasoning' "$T/out"
ok "arms of one protocol are" || cat "$T/out"
"$ANALYZE" explain fixtures/good/plain.tape fixtures/good/reasoning.tape >"$T/out" 2>"$T/err"
[ $? -eq 2 ] && grep -q -- '--run' "$T/err"
ok "several tapes are runs to be compared: else 2" || cat "$T/err"
"$ANALYZE" explain fixtures/good/plain.tape --request 99 >"$T/out" 2>"$T/err"
[ $? -eq 2 ] && grep -q 'from 0 to 25' "$T/err"
ok "a request that there is not: 2" || cat "$T/err"
"$ANALYZE" explain fixtures/good/failures.tape --request 0 >/dev/null
ok "of a request that counts: 0"
"$ANALYZE" explain fixtures/good/failures.tape --request 8 >/dev/null
[ $? -eq 1 ]
ok "of one that is out: 1"
"$ANALYZE" explain fixtures/good/reasoning.tape >/dev/null
ok "of a run in which all count: 0"

mkdir "$T/story" && cp fixtures/good/failures.* "$T/story"
PATH=$BUILD:$PATH "$PYTHON" tests/check_story.py README.md "$T/story" 2>"$T/err"
ok "what README.md tells of an exclusion is what the commands say" || cat "$T/err"

# many out for one reason: the first few in full, the others in a line each
"$RECORD" capacity --base-url http://127.0.0.1:1/v1 --model m --max-model-len 100000 --requests 300 --concurrency 8 \
    --ctx-tokens 64 --prompt-cache-mode unique --tape "$T/none.tape" -q
"$ANALYZE" explain "$T/none.tape" >"$T/out"
full=$(grep -c '^FAIL  connect_refused' "$T/out")
like=$(grep -c 'same reasons as request' "$T/out")
# (the recorder itself may have been late with some of them, which makes two sets of reasons)
[ $((full + like)) -eq 300 ] && [ "$full" -ge 5 ] && [ "$full" -le 10 ] && [ "$(grep -c '^request ' "$T/out")" -eq 300 ]
ok "300 out for one reason: five are told in full" || head -n 40 "$T/out"
"$ANALYZE" explain -v "$T/none.tape" | grep -c '^FAIL  connect_refused' >"$T/out"
[ "$(cat "$T/out")" -eq 300 ]
ok "-v: all of them"
finish
