#!/usr/bin/env bash
# Who would count under other rules: the same as under them.
. "$(dirname "$0")/lib.sh"

mkdir "$T/whatif"
timeout 200 "$PYTHON" tests/check_whatif.py "$T/whatif" 2>"$T/err"
ok "every policy, without each of its reasons, on every tape kept" || tail -n 5 "$T/err" | cut -c1-1500
"$ANALYZE" whatif fixtures/good/plain.tape --full-capture >/dev/full 2>"$T/err"
[ $? -eq 4 ]
ok "an output that takes nothing: 4" || cat "$T/err"
finish
