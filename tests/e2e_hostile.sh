#!/usr/bin/env bash
# A stranger's file cannot hurt the one who opens it: hundreds of tapes and results that want to, to every command that
# reads one.
# limit: 1200 s: about one minute on two processors of its own
# once: under a sanitizer memory is not the program's own; the fuzz targets see the like of these there
. "$(dirname "$0")/lib.sh"

mkdir "$T/tapes"
"$PYTHON" tests/hostile_tapes.py "$T/tapes" >"$T/out" 2>&1 && [ "$(wc -l <"$T/tapes/LIST")" -gt 400 ]
ok "hostile tapes are made" || tail -n 5 "$T/out"
"$PYTHON" tests/hostile_results.py "$T/tapes" >"$T/out" 2>&1 && grep -q '\.json' "$T/tapes/LIST"
ok "hostile results are made" || tail -n 5 "$T/out"
"$PYTHON" tests/check_hostile.py "$T/tapes" >"$T/out" 2>"$T/err"
ok "none takes too much memory or time, drives a terminal, or ends in a way that is not documented" || head -n 40 "$T/err"
grep '^# figure' "$T/out"
finish
