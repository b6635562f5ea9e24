#!/usr/bin/env bash
# Where the executable does not show libraries its recv(), the recorder works all the same, and its tape says what it
# does without.
# once: it links a recorder of its own
. "$(dirname "$0")/lib.sh"

# recorded NAME RECORDER: a run of 4 requests, what it did without in $T/NAME.features
recorded() {
    mock_start tests/scripts/seed.mock || exit 1
    "$2" capacity --base-url "$URL" --model mock --requests 4 --concurrency 2 --ctx-tokens 512 --request-canaries \
        --response-words 16 --controlled-output-policy strict --tape "$T/$1.tape" -q >"$T/out" 2>&1
    ok "$1: all answers are recorded" || cat "$T/out"
    mock_stop
    "$ANALYZE" result -q "$T/$1.tape" >"$T/$1.json"
    "$ANALYZE" dump "$T/$1.tape" | grep -o '"timestampns": "[^"]*"' >"$T/$1.features"
}

with_kernel_time() { # NAME: reads that have one
    "$PYTHON" -c "import json, sys; print(json.load(open(sys.argv[1]))['trace']['timing']['reads']['with_kernel_time'])" \
        "$T/$1.json"
}

recorded shown "$RECORD"
[ "$(with_kernel_time shown)" -gt 0 ] && [ ! -s "$T/shown.features" ]
ok "reads have kernel times, and nothing is said to be missing" || cat "$T/shown.features"

case $BUILD in
*-address* | *-thread* | *-undefined* | *coverage*)
    skip "a recorder that shows nothing" "its objects need more than a compiler's defaults to be linked"
    finish
    ;;
esac
compiler=cc
grep -aq 'clang version' "$BUILD/recorder/main.o" && compiler=clang
msgpack=msgpack
pkg-config --exists msgpack-c && msgpack="msgpack-c"
# shellcheck disable=SC2046
$compiler "$BUILD/recorder/main.o" "$BUILD/librecorder.a" "$BUILD/libformat.a" -Wl,--exclude-libs,ALL \
    $(pkg-config --libs $msgpack libzstd libcrypto libcurl libcjson) -lpthread -o "$T/hidden" >"$T/out" 2>&1; echo "rc $?" >>"$T/out"; [ "$(tail -n1 "$T/out")" = "rc 0" ]
ok "a recorder that shows nothing is linked" || { cat "$T/out"; finish; }
recorded hidden "$T/hidden"
[ "$(with_kernel_time hidden)" -eq 0 ] && [ -s "$T/hidden.features" ]
ok "no read has a kernel time, and the tape says so" || cat "$T/hidden.features"
finish
