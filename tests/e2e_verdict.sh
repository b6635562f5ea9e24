#!/usr/bin/env bash
# Whether a request succeeded is decided by what it said: with and without --output, quiet or not.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/failures.mock || exit 1
run=("$RECORD" capacity --base-url "$URL" --model m --max-model-len 100000 --concurrency 2 --ctx-tokens 200 --request-canaries)

# judged STATUS NAME: the last run ended so
judged() {
    local status=$?
    [ $status -eq "$1" ]
    ok "$2" || { note "status $status"; cat "$T/out"; }
}

"${run[@]}" --requests 1 --tape "$T/good.tape" >"$T/out" 2>&1
judged 0 "a good answer, --tape alone: 0"
grep -q '^ELIGIBLE 1/1' "$T/out"
ok "and the summary is shown" || cat "$T/out"
"${run[@]}" --requests 8 --tape "$T/bad.tape" >"$T/out" 2>&1
judged 1 "an error inside a 200, --tape alone: 1"
"${run[@]}" --requests 1 --tape "$T/quiet.tape" -q >"$T/out" 2>&1
judged 0 "quiet: 0"
[ ! -s "$T/out" ]
ok "and nothing is said" || cat "$T/out"
"${run[@]}" --requests 8 --tape "$T/quietbad.tape" -q >"$T/out" 2>&1
judged 1 "quiet: 1"
mkdir "$T/alone"
cp "$RECORD" "$T/alone/"
run[0]=$T/alone/tokentape-record
PATH=/usr/bin:/bin "${run[@]}" --requests 1 --tape "$T/alone.tape" >"$T/out" 2>&1
judged 0 "no analyzer, none needed: transport alone is judged"
grep -q 'not judged, for want of tokentape-analyze' "$T/out"
ok "and the run says so" || cat "$T/out"
PATH=/usr/bin:/bin "${run[@]}" --requests 1 --output "$T/none.json" >"$T/out" 2>&1
judged 2 "no analyzer, but --output: refused before anything is sent"
finish
