# What an analyzer says of every tape there is, to be compared with what another build of it says. Sourced after lib.sh.
# shellcheck shell=bash

tapes=(fixtures/good/*.tape)

# The corpus of streams as tapes, $T/sse.*.tape, added to `tapes`.
add_stream_tapes() {
    "$PYTHON" tests/sse_tapes.py fixtures/sse fixtures/good/plain.tape "$T/sse" 2>"$T/err" || { cat "$T/err"; return 1; }
    tapes+=("$T"/sse.*.tape)
}

# say_all FOLDER ANALYZER ...: everything it says of every tape, exit statuses included, in files
say_all() {
    local folder=$1 tape command name
    shift
    mkdir -p "$folder"
    for tape in "${tapes[@]}"; do
        name=$(basename "$tape" .tape)
        for command in result summary "verify --json" verify dump failures "timeline --request 1"; do
            # shellcheck disable=SC2086
            "$@" $command -q "$tape" >"$folder/$name.$command" 2>"$folder/$name.$command.err"
            echo $? >>"$folder/$name.$command"
        done
    done
}

# same_bytes FOLDER FOLDER NAME
same_bytes() {
    diff -r "$1" "$2" >"$T/diff"
    ok "$3" || head -c 500 "$T/diff"
}
