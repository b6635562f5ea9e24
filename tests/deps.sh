#!/usr/bin/env bash
# Installs what is missing, through the system's package manager where it may.
# Says nothing when nothing is missing. usage: deps.sh build|test
set -u
want=${1:-build}

have_lib() { command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$1"; }
have_tool() { command -v "$1" >/dev/null 2>&1; }
have_python() {
    for p in /usr/bin/python3 python3; do
        "$p" -c 'import msgpack' >/dev/null 2>&1 && return 0
    done
    return 1
}

apt=() dnf=() pacman=()
need() {
    apt+=("$1")
    dnf+=("$2")
    pacman+=("$3")
}

check_build() {
    have_tool "${CC:-cc}" || have_tool gcc || need gcc gcc gcc
    have_tool pkg-config || need pkg-config pkgconf-pkg-config pkgconf
    echo '#include <stdlib.h>' | "${CC:-cc}" -E -xc - >/dev/null 2>&1 || need libc6-dev glibc-devel glibc
    have_lib libcurl || need libcurl4-openssl-dev libcurl-devel curl
    have_lib msgpack || have_lib msgpack-c || need libmsgpack-dev msgpack-devel msgpack-c
    have_lib libzstd || need libzstd-dev libzstd-devel zstd
    have_lib libcjson || need libcjson-dev cjson-devel cjson
    have_lib libcrypto || need libssl-dev openssl-devel openssl
}

check_test() {
    have_lib cmocka || need libcmocka-dev libcmocka-devel cmocka
    have_tool zstd || need zstd zstd zstd
    have_tool python3 || need python3 python3 python
    have_python || need python3-msgpack python3-msgpack python-msgpack
    have_tool curl || need curl curl curl
}

check_build
[ "$want" = test ] && check_test
[ ${#apt[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if have_tool sudo && sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
    else
        echo "deps: missing ${apt[*]}: not root and no password-less sudo: install them with the system's package manager and run this again" >&2
        exit 1
    fi
fi

install_all() {
    if have_tool apt-get; then
        echo "deps: installing ${apt[*]}"
        "${as_root[@]}" apt-get update -q >/dev/null 2>&1
        DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${apt[@]}"
    elif have_tool dnf; then
        echo "deps: installing ${dnf[*]}"
        "${as_root[@]}" dnf install -y -q "${dnf[@]}"
    elif have_tool pacman; then
        echo "deps: installing ${pacman[*]}"
        "${as_root[@]}" pacman -S --noconfirm --needed "${pacman[@]}"
    else
        echo "deps: missing ${apt[*]} (Debian's names): no apt-get, dnf or pacman here: install them and run this again" >&2
        return 1
    fi
}

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
if ! install_all >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "deps: ${apt[*]} could not be installed: see above, install them and run this again" >&2
    exit 1
fi
grep '^deps:' "$log"
exit 0
