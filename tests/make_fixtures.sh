#!/usr/bin/env bash
# usage: make_fixtures.sh tapes   records the tapes that fixtures/good lacks, from the mock server
#        make_fixtures.sh json    makes the expected JSON of each of them anew
#        make_fixtures.sh bad     makes the tapes that fixtures/bad lacks (tests/bad_tapes.py), and its EXPECTED.txt anew
# A tape of a released version stays for good: to replace one, remove it first, and say why in the commit.
# When the analyzer says something else of an old tape on purpose, the JSON's diff is the place to see it.
. "$(dirname "$0")/lib.sh"
GOOD=$TOP/fixtures/good
BAD=$TOP/fixtures/bad

# tape NAME SCRIPT FLAGS ...
tape() {
    local name=$1 script=$2 status
    shift 2
    [ -e "$GOOD/$name.tape" ] && { echo "$name.tape is there"; return; }
    mock_start "tests/scripts/$script.mock" --max-model-len 32768 || exit 1
    "$RECORD" capacity --base-url "$URL" --model "mock-$name" --tape "$T/$name.tape" -q "$@"
    status=$?
    mock_stop
    if [ $status -gt 1 ] || ! "$ANALYZE" verify -q "$T/$name.tape" >/dev/null; then
        echo "$name: not recorded well"
        exit 1
    fi
    cp "$T/$name.tape" "$T/$name.tape.head" "$GOOD" && chmod 644 "$GOOD/$name".tape*
    echo "$name.tape: $(stat -c %s "$GOOD/$name.tape") bytes"
}

tapes() {
    # like the published run: reasoning, canaries, sixteen words, four at a time
    tape reasoning seed --requests 8 --concurrency 4 --ctx-tokens 2048 --max-tokens 2048 --prompt-cache-mode unique \
        --request-canaries --response-words 16 --controlled-output-policy strict --seed 482001 \
        --thinking-mode enabled --engine mock --gpu none --tier test --clock-domain-id fixture
    # no reasoning, sampled contexts behind one prefix, warm-ups, kept connections
    tape plain plain --requests 24 --concurrency 3 --warmup 2 --connections reuse --max-tokens 64 --seed 42 \
        --shared-prefix-tokens 64 --temperature 0.6 --top-p 0.95 --keep-bodies none
    # each way to fail that the script plays
    tape failures failures --requests 20 --concurrency 5 --ctx-tokens 256 --max-tokens 64 --prompt-cache-mode unique \
        --request-canaries --response-words 3 --controlled-output-policy strict --timeout 1 --done-grace 0.3
}

json() {
    local tape
    for tape in "$GOOD"/*.tape; do
        "$ANALYZE" result -q "$tape" >"$T/result.json"
        [ $? -le 1 ] || { echo "$tape: no result"; exit 1; }
        cp "$T/result.json" "${tape%.tape}.json"
    done
}

bad() {
    mkdir -p "$BAD" && "$PYTHON" tests/bad_tapes.py "$BAD" &&
        "$PYTHON" tests/check_bad_tapes.py "$BAD" >"$T/expected" && cp "$T/expected" "$BAD/EXPECTED.txt" &&
        chmod 644 "$BAD"/*
}

mkdir -p "$GOOD" || exit 1
case ${1:-} in
tapes) tapes ;;
json) json ;;
bad) bad ;;
*) sed -n '2,4s/^# //p' "$0"; exit 2 ;;
esac
