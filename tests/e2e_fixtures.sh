#!/usr/bin/env bash
# The tapes kept in fixtures/good: still whole, and still saying what they said.
. "$(dirname "$0")/lib.sh"

for name in reasoning plain failures; do
    status=$([ $name = failures ] && echo 1 || echo 0)
    tape=fixtures/good/$name.tape
    "$ANALYZE" verify --json -q "$tape" >"$T/verify" 2>"$T/err" && "$PYTHON" -c "
import json, sys
v = json.load(open(sys.argv[1]))
assert (v['state'], v['end_reason']) == ('complete', 'complete') and v['head'] == open(sys.argv[2]).read().split()[0], v" \
        "$T/verify" "$tape.head" 2>>"$T/err"
    ok "$name: complete, and its head is the one written down" || cat "$T/verify" "$T/err"
    "$ANALYZE" result -q "$tape" >"$T/$name.json" 2>"$T/err"
    [ $? -eq "$status" ] && cmp "$T/$name.json" "fixtures/good/$name.json"
    ok "$name: the result is the one written down, byte for byte" || diff "$T/$name.json" "fixtures/good/$name.json" | head -n 40
    "$PYTHON" tests/second_opinion.py "$tape" "$T/$name.json" 2>"$T/err"
    ok "$name: rows, failures and metrics are those that another program computes" || cat "$T/err"
    [ "$(stat -c %s "$tape")" -lt 200000 ]
    ok "$name: small"
done

# Its own tools for its own rules: a reader that knows msgpack and RECORDS.md alone finds what dump finds
for tape in fixtures/good/*.tape; do
    zstd -dcq "$tape" | "$PYTHON" tests/count_records.py >"$T/independent" && "$ANALYZE" dump -q "$tape" >"$T/dump" &&
        "$PYTHON" -c "
import json, sys
kinds = [json.loads(line)['kind'] for line in open(sys.argv[1])]
other = json.load(open(sys.argv[2]))['records']
assert {k: kinds.count(k) for k in kinds} == other, other" "$T/dump" "$T/independent"
    ok "$(basename "$tape"): an independent reader counts the same records"
done
mock_start tests/scripts/quick.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests 150 --concurrency 25 --ctx-tokens 256 \
    --request-canaries --response-words 4 --prompt-cache-mode unique --output "$T/fresh.json" -q >"$T/out" 2>&1
ok "a fresh run of 150 requests" || cat "$T/out"
"$PYTHON" tests/second_opinion.py "$T/fresh.tape" "$T/fresh.json" 2>"$T/err"
ok "its numbers are those that another program computes" || cat "$T/err"

awk '/^```$/ {take = 0} take; /^```python$/ {take = 1}' format/FORMAT.md >"$T/reader.py"
for tape in fixtures/good/*.tape; do
    "$PYTHON" "$T/reader.py" "$tape" >"$T/said" 2>"$T/err" && grep -q "^head $(cat "$tape.head") END$" "$T/said"
    ok "$(basename "$tape"): the reader printed in FORMAT.md finds its head" || cat "$T/said" "$T/err"
done
for tape in fixtures/good/*.tape; do zstd -dcq "$tape"; done | grep -aqE '/(home|root|work|tmp)/|hostname|nodename'
[ $? -eq 1 ]
ok "no host name or path of the machine that made them"
finish
