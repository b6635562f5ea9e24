#!/usr/bin/env bash
# Line coverage per source file, from the counters that a --coverage build left. usage: coverage.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${1:?usage: coverage.sh BUILD}
find "$BUILD/format" "$BUILD/recorder" "$BUILD/analyzer" -name '*.gcda' -print0 |
    xargs -0 gcov -n 2>/dev/null |
    awk -F"'" '/^File .(format|recorder|analyzer)\// { file = $2 }
        /^Lines executed:/ && file { split($0, a, /[:% ]/); print a[3], file; file = "" }' |
    sort -n | awk '{ printf "%6.2f %%  %s\n", $1, $2 }'
