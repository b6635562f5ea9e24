#!/usr/bin/env bash
# Tapes of the fixtures under each policy: check holds under the policy that the result names, audit finds no
# contradiction, what `capacity` makes of a tape is what has always been made of it.
. "$(dirname "$0")/lib.sh"

cat >"$T/lax.json" <<'END'
{ "policy": "lax", "version": 3, "meaning": "for a test: as much counts as can be counted",
  "parameters": { "capture": "complete", "finish_reasons": ["stop"] },
  "excludes": ["dns_error"], "withholds": ["payloads_not_json", "tape_incomplete"],
  "warns": ["canary_failed", "in_band_error", "requests_excluded", "finish_reason_not_allowed"] }
END

# judged NAME POLICY
judged() {
    local tape=fixtures/good/$1.tape out=$T/$1.json
    rm -f "$out"
    "$ANALYZE" result -q "$tape" --policy "$2" -o "$out"
    [ $? -le 1 ]
    ok "$1 under $(basename "$2"): a result" || return
    "$ANALYZE" check "$tape" "$out" --policy "$2" >"$T/check" && grep -q '^HOLDS' "$T/check"
    ok "and check holds" || cat "$T/check"
    "$ANALYZE" audit "$out" >"$T/audit"
    ok "and audit finds nothing against it" || cat "$T/audit"
}

for name in plain reasoning failures; do
    for policy in capacity serving-comparison "$T/lax.json"; do
        judged $name "$policy"
    done
    "$ANALYZE" check "fixtures/good/$name.tape" "$T/$name.json" >"$T/out" 2>"$T/err"
    [ $? -eq 5 ] && [ ! -s "$T/out" ] && grep -q -- '--policy FILE' "$T/err"
    ok "$name: without the file of its policy it is refused, never said to hold" || cat "$T/out" "$T/err"
    "$ANALYZE" result -q "fixtures/good/$name.tape" --policy capacity | cmp - "fixtures/good/$name.json"
    ok "$name: capacity is the standard, byte for byte"
done

for name in capacity serving-comparison; do
    "$ANALYZE" policies $name | cmp - "analyzer/policies/$name.json"
    ok "policies $name prints the file"
done
sed 's/"policy": "capacity"/"policy": "mine"/' analyzer/policies/capacity.json >"$T/mine.json"
"$ANALYZE" result -q fixtures/good/failures.tape --policy "$T/mine.json" --schema-exact >"$T/mine"
"$ANALYZE" result -q fixtures/good/failures.tape --schema-exact | cmp - "$T/mine"
ok "a copy under another name does the same"

"$ANALYZE" result -q fixtures/good/failures.tape --strict-timing --max-client-error 3600000,100 >"$T/wide.json"
"$ANALYZE" check fixtures/good/failures.tape "$T/wide.json" >"$T/check" &&
    grep -q '^policy  capacity 1, changed (strict timing)$' "$T/check" &&
    grep -q '^limit   up to 3600000 ms or 100 % of a time' "$T/check"
ok "a result that was made with a limit that hides all is not said to hold without a word of it" || cat "$T/check"
"$ANALYZE" check fixtures/good/failures.tape fixtures/good/failures.json | grep -q '^limit'
[ "${PIPESTATUS[*]}" = "0 1" ]
ok "of the usual limit nothing is said"
sed 's/"source": "built-in"/"source": "file"/' fixtures/good/failures.json >"$T/file.json"
"$ANALYZE" audit "$T/file.json" >"$T/audit"
[ $? -eq 1 ] && grep -q 'trace.policy is capacity, but not the built-in one' "$T/audit"
ok "a policy of a file that bears a built-in name contradicts itself" || cat "$T/audit"

echo '{' >"$T/half.json"
"$ANALYZE" audit fixtures/good/plain.json "$T/half.json" >"$T/audit" 2>"$T/err"
[ $? -eq 5 ] && grep -q '  1 result, ' "$T/audit" && grep -q 'NOTHING CONTRADICTS in 1 result, 1 unusable' "$T/audit"
ok "one result is no several" || cat "$T/audit" "$T/err"
finish
