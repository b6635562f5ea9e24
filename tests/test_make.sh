#!/usr/bin/env bash
# What make takes for old: a test whose header changed, and all that was compiled with other flags.
# once: it calls the compiler itself
. "$(dirname "$0")/lib.sh"

unset MAKEFLAGS MFLAGS SAN CFLAGS LDFLAGS OPT
# made [ARGS ...]: what make has to make, as a line each
made() { make --no-print-directory BUILD="$T/b" CC="${CC:-cc}" "$@" 2>"$T/err" | grep -E '^  (cc|ar|ld) '; }

object=$T/b/format/status.o
[ "$(made "$object")" = "  cc $object" ] && [ -z "$(made "$object")" ]
ok "an object is made once" || cat "$T/err"
[ "$(made OPT=-O1 "$object")" = "  cc $object" ] && [ "$(made "$object")" = "  cc $object" ]
ok "other flags make it anew, and so do the first again" || cat "$T/err"
[ -z "$(made -W format/limits.h "$object")" ] && [ "$(made -W format/status.h "$object")" = "  cc $object" ]
ok "a header makes what includes it anew, and nothing else" || cat "$T/err"

# A test that links nothing but what it includes: the library is taken as it is.
program=$T/b/tests/test_format_crc32c
"${CC:-cc}" -c "$TOP/format/crc32c.c" -std=c11 -D_GNU_SOURCE -o "$T/crc32c.o" && ar rcs "$T/b/libformat.a" "$T/crc32c.o"
made -o "$T/b/libformat.a" "$program" >"$T/first"
[ "$(cat "$T/first")" = "  ld $program" ] && [ -z "$(made -o "$T/b/libformat.a" "$program")" ]
ok "a test is made once" || cat "$T/first" "$T/err"
[ "$(made -o "$T/b/libformat.a" -W tests/../format/crc32c.h "$program")" = "  ld $program" ]
ok "a header of format/ makes the test that includes it anew" || cat "$T/err"
[ "$(made -o "$T/b/libformat.a" OPT=-O1 "$program")" = "  ld $program" ]
ok "other flags make a test anew" || cat "$T/err"

# A source that is gone: in a tree of two files, of which one is taken away.
mkdir -p "$T/tree/format" && cp Makefile "$T/tree/" && cp -r format/RECORDS.md format/crc32c.[ch] format/bytes.h "$T/tree/format/"
echo 'int gone(void); int gone(void) { return 1; }' >"$T/tree/format/gone.c"
library=$T/b2/libformat.a
in_tree() { make --no-print-directory -C "$T/tree" BUILD="$T/b2" CC="${CC:-cc}" "$library" 2>"$T/err" | grep -E '^  (cc|ar|ld) '; }
in_tree >/dev/null
ar t "$library" | grep -q '^gone\.o$' && [ -z "$(in_tree)" ] && rm "$T/tree/format/gone.c" &&
    [ "$(in_tree)" = "  ar $library" ] && ! ar t "$library" | grep -q gone && [ -z "$(in_tree)" ]
ok "a source that is removed makes its library anew, without it" || cat "$T/err"
finish
