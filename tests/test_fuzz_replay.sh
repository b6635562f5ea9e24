#!/usr/bin/env bash
# Replays the fuzz corpus with the compiler at hand.
. "$(dirname "$0")/lib.sh"

for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    corpus=(tests/fuzz/corpus/"$target"/*)
    "$BUILD/tests/fuzz/$target" "${corpus[@]}" >"$T/out" 2>&1
    ok "$target: $(tail -n 1 "$T/out")" || cat "$T/out"
done
finish
