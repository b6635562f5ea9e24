#!/usr/bin/env bash
# Unpacks the libraries of another architecture into a folder of its own: nothing is installed, the system's
# list of packages is not touched, root is not needed. Debian and its kin only. Says why when it cannot.
# usage: sysroot.sh ARCH FOLDER          ARCH as Debian says it: arm64, s390x, i386
set -u
arch=${1:?usage: sysroot.sh ARCH FOLDER}
folder=$(realpath -m "${2:?usage: sysroot.sh ARCH FOLDER}")
packages=(libc6 libc6-dev linux-libc-dev libcrypt1 libgcc-s1 libgcc-12-dev libzstd1 libzstd-dev libmsgpackc2 libmsgpack-dev
    libssl3 libssl-dev libcmocka0 libcmocka-dev)

[ -e "$folder/whole" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
    echo "sysroot: no apt-get here: the libraries of $arch come from Debian's packages" >&2
    exit 1
}
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" || exit 1
log=$folder/apt/log

# apt with lists, cache and status of this folder alone
apt() {
    apt-get -q -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$folder/apt" \
        -o Dir::State::Lists="$folder/apt/lists" -o Dir::State::Status=/dev/null -o Dir::Cache="$folder/apt/cache" \
        -o APT::Sandbox::User=root -o Acquire::Retries=2 "$@" >>"$log" 2>&1
}

fail() {
    tail -n 3 "$log" >&2
    echo "sysroot: the libraries of $arch could not be had: see above" >&2
    exit 1
}

apt update # one of several lists may fail: what is wanted may stand in another
(cd "$folder/apt/cache/archives" && apt download "${packages[@]}") || fail
for package in "$folder"/apt/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$folder" >>"$log" 2>&1 || fail
done
rm -rf "${folder:?}/apt" "${folder:?}/usr/share" && touch "$folder/whole"
