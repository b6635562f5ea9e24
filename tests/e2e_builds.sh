#!/usr/bin/env bash
# The same tape gives the same bytes: analysed twice, by a build that differs in all that may differ, in another locale.
# once: it makes builds of its own
. "$(dirname "$0")/lib.sh"
. tests/same_bytes.sh

mock_start tests/scripts/failures.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 20 --concurrency 5 --ctx-tokens 256 --timeout 1 \
    --done-grace 0.2 --prompt-cache-mode unique --request-canaries --response-words 3 --temperature 0.6 \
    --tape "$T/fails.tape" -q >"$T/out" 2>&1
mock_stop
mock_start tests/scripts/seed.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --requests 8 --concurrency 4 --ctx-tokens 2048 --max-tokens 2048 \
    --request-canaries --response-words 16 --controlled-output-policy strict --tape "$T/seed.tape" -q >"$T/out" 2>&1
ok "tapes are recorded" || cat "$T/out"
mock_stop
tapes+=("$T"/*.tape)
add_stream_tapes
ok "the corpus of streams becomes tapes"

LC_ALL=C say_all "$T/first" "$ANALYZE"
note "figure: ${#tapes[@]} tapes, $(cat "$T/first"/* | wc -c) bytes compared each time"

# Another compiler and optimisation, CRC32C by tables, plain char unsigned as on ARM; a machine without libcurl:
# pkg-config does not know it, and whoever includes its header anyway fails.
other=clang
grep -aq 'clang version' "$ANALYZE" && other=gcc
mkdir -p "$T/bin" "$T/include/curl"
printf '#!/bin/sh\ncase "$*" in *libcurl*) exit 1 ;; esac\nexec pkg-config "$@"\n' >"$T/bin/no-curl-config"
chmod +x "$T/bin/no-curl-config"
echo '#error "libcurl is not here"' >"$T/include/curl/curl.h"
if command -v $other >/dev/null; then
    what="a build by $other -O3 with CRC32C by tables, where libcurl is not known"
    make -s -j2 CC=$other SAN= CFLAGS="-DTAPE_CRC32C_BY_TABLES -funsigned-char -I$T/include" LDFLAGS= OPT=-O3 \
        PKG_CONFIG="$T/bin/no-curl-config" BUILD="$BUILD/other" analyzer "$BUILD/other/tests/test_format_crc32c" >"$T/make" 2>&1
    ok "$what" || tail -n 5 "$T/make"
    "$BUILD/other/tests/test_format_crc32c" >"$T/out" 2>&1 && grep -q 'by tables alone' "$T/out"
    ok "its CRC32C is that of the tables" || cat "$T/out"
    say_all "$T/other" "$BUILD/other/tokentape-analyze"
    same_bytes "$T/first" "$T/other" "analysed by that build"
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
    LC_ALL=$locale say_all "$T/locale" "$ANALYZE"
    same_bytes "$T/first" "$T/locale" "analysed a second time, under LC_ALL=$locale"
    # glibc leaks the path of such a locale when a library of libcurl's asks for it: not ours to fix
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
    plan=(capacity --base-url http://h/v1 --model m --temperature 0.6 --top-p 0.95 --chars-per-token 3.5 --timeout 1.5
        --requests 200 --max-model-len 327680 --tape "$T/plan.tape" --dry-run)
    LC_ALL=C "$RECORD" "${plan[@]}" >"$T/plan.c" 2>&1 && LC_ALL=$locale "$RECORD" "${plan[@]}" >"$T/plan.l" 2>&1 &&
        cmp "$T/plan.c" "$T/plan.l" && grep -q '0\.6' "$T/plan.l"
    ok "planned under both" || tail -n 5 "$T/plan.c" "$T/plan.l"
else
    say_all "$T/second" "$ANALYZE"
    same_bytes "$T/first" "$T/second" "analysed twice"
    skip "analysed under another locale" "no other locale, and none can be made (package locales)"
fi
finish
