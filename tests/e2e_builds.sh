#!/usr/bin/env bash
# The same tape gives the same bytes: analysed twice, by another compiler's build, in another locale.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/failures.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 20 --concurrency 5 --ctx-tokens 256 --timeout 1 \
    --done-grace 0.2 --prompt-cache-mode unique --request-canaries --response-words 3 --temperature 0.6 \
    --tape "$T/failures.tape" -q >"$T/out" 2>&1
mock_stop
mock_start tests/scripts/seed.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 8 --concurrency 4 --ctx-tokens 2048 --max-tokens 2048 \
    --request-canaries --response-words 16 --controlled-output-policy strict --tape "$T/seed.tape" -q >"$T/out" 2>&1
ok "tapes are recorded" || cat "$T/out"
mock_stop
tapes=("$T"/*.tape)
for tape in fixtures/good/*.tape; do [ -e "$tape" ] && tapes+=("$tape"); done

# all ANALYZER FOLDER: everything it says of every tape
all() {
    local tape command name
    mkdir -p "$2"
    for tape in "${tapes[@]}"; do
        name=$(basename "$tape" .tape)
        for command in result summary verify dump; do
            "$1" $command -q "$tape" >"$2/$name.$command" 2>"$2/$name.$command.err"
            echo $? >>"$2/$name.$command"
        done
        "$1" timeline -q "$tape" --request 1 >"$2/$name.timeline" 2>&1
    done
}

all "$ANALYZE" "$T/first"
all "$ANALYZE" "$T/second"
diff -r "$T/first" "$T/second" >"$T/diff"
ok "analysed twice" || head -c 500 "$T/diff"
note "figure: ${#tapes[@]} tapes, $(cat "$T/first"/* | wc -c) bytes compared each time"

other=clang
grep -aq 'clang version' "$ANALYZE" && other=gcc
if command -v $other >/dev/null; then
    make -s CC=$other SAN= CFLAGS= LDFLAGS= OPT=-O3 BUILD="$BUILD/other" "$BUILD/other/tokentape-analyze" >"$T/make" 2>&1
    ok "a build by $other -O3" || tail -n 5 "$T/make"
    all "$BUILD/other/tokentape-analyze" "$T/other"
    diff -r "$T/first" "$T/other" >"$T/diff"
    ok "analysed by a build of $other -O3" || head -c 500 "$T/diff"
else
    skip "analysed by a build of $other" "no $other here"
fi

# a locale with a decimal comma, made here where the system has none
locale=$(locale -a 2>/dev/null | grep -iE '^(de|fr|es|it)_.*utf' | head -n 1)
if [ -z "$locale" ] && command -v localedef >/dev/null && [ -e /usr/share/i18n/locales/de_DE ]; then
    localedef -i de_DE -f UTF-8 "$T/de_DE.UTF-8" >/dev/null 2>&1 && locale=de_DE.UTF-8 && export LOCPATH=$T
fi
if [ -n "$locale" ]; then
    [ "$(LC_ALL=$locale bash -c 'printf %.1f 1,5' 2>/dev/null)" = 1,5 ]
    ok "$locale writes 1,5"
    LC_ALL=C all "$ANALYZE" "$T/c"
    LC_ALL=$locale all "$ANALYZE" "$T/locale"
    diff -r "$T/c" "$T/locale" >"$T/diff" && diff -r "$T/first" "$T/c" >>"$T/diff"
    ok "analysed under LC_ALL=C and LC_ALL=$locale" || head -c 500 "$T/diff"
    # glibc leaks the path of such a locale when a library of libcurl's asks for it: not ours to fix
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
    plan=(capacity --base-url http://h/v1 --model m --temperature 0.6 --top-p 0.95 --chars-per-token 3.5 --timeout 1.5
        --requests 200 --max-model-len 327680 --tape "$T/plan.tape" --dry-run)
    # glibc itself leaks what LOCPATH says when a library makes a locale
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
    LC_ALL=C "$RECORD" "${plan[@]}" >"$T/plan.c" 2>&1 && LC_ALL=$locale "$RECORD" "${plan[@]}" >"$T/plan.l" 2>&1 &&
        cmp "$T/plan.c" "$T/plan.l" && grep -q '0\.6' "$T/plan.l"
    ok "planned under both" || tail -n 5 "$T/plan.c" "$T/plan.l"
else
    skip "analysed under another locale" "no other locale, and none can be made (package locales)"
fi
finish
