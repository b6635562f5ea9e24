#!/usr/bin/env bash
# format/ and the analyzer on other architectures, under qemu: their own tests hold there, and what is said of a tape
# is the same, byte for byte. aarch64 by both compilers, with its CRC instruction and without; s390x is big-endian,
# i386 has 32 bits. Skips what has no compiler, no emulator or no libraries here. Run by `make cross`, which gets the
# libraries; its builds stay in build/cross. CROSS="arm64 s390x" leaves out the rest.
. "$(dirname "$0")/lib.sh"
. tests/same_bytes.sh

add_stream_tapes
ok "the corpus of streams becomes tapes"
say_all "$T/here" "$ANALYZE"
note "figure: ${#tapes[@]} tapes, $(cat "$T/here"/* | wc -c) bytes compared each time"

# Need neither locks nor folders: qemu's i386 has neither whole.
anywhere="test_format_crc32c test_format_cursor test_format_record test_format_zframe test_format_status"

# on ARCH TRIPLE EMULATOR NAME TESTS CC ...: TRIPLE as in the names of folders
on() {
    local arch=$1 triple=$2 emulator=$3 name=$4 tests=$5 root=$TOP/build/sysroot/$1 build=$TOP/build/cross/$1-$4 test
    shift 5
    [[ " ${CROSS:-$arch} " == *" $arch "* ]] || return
    local missing=
    [ -e "$root/whole" ] || missing="no libraries of $arch here: make cross gets them"
    command -v "$1" >/dev/null || missing="no $1 here (package $([ "$1" = clang ] && echo clang || echo "gcc-$triple"))"
    command -v "$emulator" >/dev/null || missing="no $emulator here (package qemu-user)"
    if [ -n "$missing" ]; then
        skip "$arch by $name" "$missing"
        return
    fi
    # shellcheck disable=SC2046,SC2086
    make -s -j2 BUILD="$build" SAN= OPT=-O2 LDFLAGS= CC="$* --sysroot=$root" \
        PKG_CONFIG="env PKG_CONFIG_LIBDIR=$root/usr/lib/$triple/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config" \
        analyzer $(printf "$build/tests/%s " $tests) >"$T/make" 2>&1
    ok "$arch by $name: builds" || { tail -n 5 "$T/make"; return; }
    for test in $tests; do
        "$emulator" -L "$root" "$build/tests/$test" >"$T/out" 2>&1
        ok "$arch by $name: $test" || grep -v '^ok' "$T/out" | tail -n 20
    done
    say_all "$T/there" "$emulator" -L "$root" "$build/tokentape-analyze"
    same_bytes "$T/here" "$T/there" "$arch by $name: the same bytes"
    rm -rf "$T/there"
}

more="$anywhere test_format_reader test_format_document test_format_edit"
on arm64 aarch64-linux-gnu qemu-aarch64 gcc "$more" aarch64-linux-gnu-gcc
on arm64 aarch64-linux-gnu qemu-aarch64 clang test_format_crc32c clang --target=aarch64-linux-gnu -DTAPE_CRC32C_BY_TABLES
on s390x s390x-linux-gnu qemu-s390x gcc "$more" s390x-linux-gnu-gcc
on i386 i386-linux-gnu qemu-i386 clang "$anywhere" clang --target=i686-linux-gnu -msse2 -mfpmath=sse
finish
