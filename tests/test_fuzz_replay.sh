#!/usr/bin/env bash
# Replays the fuzz corpus with the compiler at hand, and FUZZ_CHANGED seeded changes of each file.
. "$(dirname "$0")/lib.sh"

changed=${FUZZ_CHANGED:-20}
for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    corpus=(tests/fuzz/corpus/"$target"/*)
    [[ $target == fuzz_analyzer || $target == fuzz_redact ]] && corpus+=(tests/fuzz/corpus/fuzz_reader/tiny*)
    "$BUILD/tests/fuzz/$target" --changed "$changed" "${corpus[@]}" >"$T/out" 2>&1
    ok "$target: $(tail -n 1 "$T/out")" || cat "$T/out"
done
finish
