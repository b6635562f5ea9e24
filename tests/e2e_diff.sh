#!/usr/bin/env bash
# Two results of one tape: what moved and why, what is explained by nothing, what is refused.
. "$(dirname "$0")/lib.sh"

mkdir "$T/diff"
timeout 200 "$PYTHON" tests/check_diff.py "$T/diff" 2>"$T/err"
ok "edited, forged, foreign and hostile results" || tail -n 5 "$T/err" | cut -c1-1500
for name in plain reasoning failures; do
    "$ANALYZE" diff "fixtures/good/$name.json" "fixtures/good/$name.json" >"$T/out" && grep -q '^SAME' "$T/out"
    ok "$name is the same as itself" || cat "$T/out"
done
"$ANALYZE" diff "fixtures/good/plain.json" "fixtures/good/plain.json" >/dev/full 2>"$T/err"
[ $? -eq 4 ]
ok "an output that takes nothing: 4" || cat "$T/err"
finish
