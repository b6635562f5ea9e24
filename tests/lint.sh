#!/usr/bin/env bash
# Checks what a compiler does not: who may include what, banned functions and words,
# layout. Prints a line for each breach; exit 1 when there is one. usage: lint.sh [TREE]
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2
breaches=0

breach() { # FILE:LINE REASON
    echo "lint: $1: $2"
    breaches=$((breaches + 1))
}

# includes FOLDER: "file:line:header" of each #include in it, in $included[FOLDER]: looked for once
declare -A included
includes() {
    [ -n "${included[$1]+known}" ] && return
    included[$1]=$(grep -nE '^[[:space:]]*#[[:space:]]*include' "$1"/*.[ch] 2>/dev/null |
        sed -E 's/^([^:]+:[0-9]+):.*[<"]([^>"]+)[>"].*$/\1:\2/')
}

# deny FOLDER HEADER-REGEX ALLOWED-FILES-REGEX REASON
deny() {
    local line file header
    includes "$1"
    while IFS= read -r line; do
        file=${line%%:*} header=${line##*:}
        [[ ${file##*/} =~ ^($3)$ ]] && continue
        breach "${line%:*}" "includes $header: $4"
    done < <(grep -E ":($2)\$" <<<"${included[$1]}")
}

# deny_call FOLDER REGEX ALLOWED-FILES-REGEX REASON: calls, outside comments and strings as far as a line tells
deny_call() {
    local line file
    while IFS= read -r line; do
        file=${line%%:*}
        [[ ${file##*/} =~ ^($3)$ ]] && continue
        breach "$(cut -d: -f1,2 <<<"$line")" "$4"
    done < <(grep -nE "(^|[^A-Za-z0-9_])($2)[[:space:]]*\(" "$1"/*.[ch] 2>/dev/null | grep -vE '^[^:]+:[0-9]+:[[:space:]]*(\*|/\*|//)')
}

none='$^'
threads='pthread\.h|threads\.h'
network='sys/socket\.h|netinet/.*|arpa/inet\.h|netdb\.h|sys/un\.h|sys/epoll\.h'

include_table() {
    deny format 'curl/.*' $none 'libcurl stands behind recorder/{multi,request,hostinfo}.c'
    deny recorder 'curl/.*' 'multi(_easy)?\.c|multi_parts\.h|request\.c|hostinfo\.c' 'libcurl stands behind multi.c, request.c, hostinfo.c'
    deny analyzer 'curl/.*' $none 'the analyzer builds where libcurl does not exist'
    deny format 'msgpack.*' 'pack\.c' 'msgpack-c stands behind format/pack.c'
    deny recorder 'msgpack.*' $none 'msgpack-c stands behind format/pack.c'
    deny analyzer 'msgpack.*' $none 'msgpack-c stands behind format/pack.c'
    deny format 'zstd.*' 'zframe\.c' 'zstd stands behind format/zframe.c'
    deny recorder 'zstd.*' 'hostinfo\.c' 'zstd stands behind format/zframe.c'
    deny analyzer 'zstd.*' $none 'zstd stands behind format/zframe.c'
    deny format '(cjson/)?cJSON\.h' $none 'the tape knows no JSON'
    deny recorder '(cjson/)?cJSON\.h' 'workload\.c' 'cJSON stands behind recorder/workload.c'
    deny analyzer '(cjson/)?cJSON\.h' 'policy.*\.c' 'cJSON is for policies and other small documents of our own'
    deny format 'openssl/.*' 'chain\.c' 'libcrypto stands behind format/chain.c'
    deny recorder 'openssl/.*' 'workload\.c' 'libcrypto stands behind recorder/workload.c'
    deny analyzer 'openssl/.*' $none 'libcrypto stands behind format/chain.c'
    deny format "$threads|stdatomic\\.h" $none 'no threads in format/'
    deny recorder "$threads" 'sink\.c|sink_parts\.h|ring\.[ch]' 'threads stand behind sink and ring'
    deny analyzer "$threads|stdatomic\\.h" $none 'no threads in the analyzer'
    deny format "$network" $none 'no network in format/'
    deny analyzer "$network" $none 'no network in the analyzer'
    deny format 'time\.h|sys/time\.h|sys/timerfd\.h' $none 'no clock in format/'
    deny analyzer 'time\.h|sys/time\.h' $none 'no clock in the analyzer'
    deny format '\.\./.*' $none 'format/ includes itself only'
    deny format 'reader.*\.h' 'reader.*\.[ch]' 'writer and reader do not include each other'
    deny format 'writer.*\.h' '(writer|outfile).*\.[ch]' 'writer and reader do not include each other'
    deny recorder '\.\./format/(reader.*|cursor|frame|header|index|block|crc32c)\.h' $none 'the recorder sees writer, record, pack, status, chain, and zframe for its version'
    deny recorder '\.\./analyzer/.*' $none 'nobody includes analyzer/ from outside'
    deny analyzer '\.\./format/(writer.*|pack|cursor|frame|header|index|block|zframe|crc32c|chain)\.h' 'redact.*\.[ch]' 'the analyzer sees reader, record, status'
    deny analyzer '\.\./recorder/.*' $none 'nobody includes recorder/ from outside'
    deny tests/mock_server '\.\./.*' $none 'the mock server shares nothing with what it tests'
}

calls() {
    local banned='strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|atof|alloca' folder
    for folder in format recorder analyzer tests tests/mock_server tests/fuzz tests/bench; do
        deny_call "$folder" "$banned" $none 'a banned function: a better one replaces it'
    done
    for folder in format analyzer; do
        deny_call "$folder" 'clock_gettime|clock_getres|gettimeofday|time|timespec_get' $none "no clock in $folder/"
    done
    deny_call recorder 'clock_gettime|clock_getres|gettimeofday|time|timespec_get' 'stamp\.c' 'clocks are read in stamp.c alone'
    deny_call format 'printf|fprintf|puts|fputs|fopen|fdopen|fwrite|perror|exit|abort' $none 'libraries never print or exit; no stdio in format/'
    deny_call recorder 'exit|abort|perror' 'main\.c' 'only main exits'
    deny_call analyzer 'exit|abort|perror' 'main\.c' 'only main exits'
}

words() {
    local line
    while IFS= read -r line; do
        breach "$(cut -d: -f1,2 <<<"$line")" 'unfinished by its own word'
    done < <(grep -nE '\b(TO''DO|FIX''ME|XX''X|HA''CK)\b' format/* recorder/* analyzer/* tests/*.* README.md Makefile 2>/dev/null)
    while IFS= read -r line; do
        breach "$(cut -d: -f1,2 <<<"$line")" 'a path of one machine'
    done < <(grep -rnE '(/ro''ot/|/ho''me/[a-z]|/wo''rk/)' format recorder analyzer tests README.md Makefile 2>/dev/null)
}

layout() {
    local f
    command -v clang-format >/dev/null 2>&1 || { echo "lint: no clang-format here: layout not checked"; return; }
    for f in format/*.[ch] recorder/*.[ch] analyzer/*.[ch] tests/*.[ch] tests/mock_server/*.[ch] tests/fuzz/*.[ch] tests/bench/*.[ch]; do
        [ -e "$f" ] || continue
        clang-format --dry-run -Werror "$f" >/dev/null 2>&1 || breach "$f" 'layout differs: run clang-format -i on it'
    done
}

shell() {
    command -v shellcheck >/dev/null 2>&1 || { echo "lint: no shellcheck here: scripts not checked"; return; }
    # SC1091, SC2034: lib.sh is sourced, its variables are for those who source it
    shellcheck -x -S warning -e SC1091,SC2034 tests/*.sh .ci/run || breach tests 'shellcheck has something to say'
}

include_table
calls
words
if [ -z "${LINT_QUICK:-}" ]; then
    layout
    shell
fi
if [ $breaches -gt 0 ]; then
    echo "lint: $breaches breaches"
    exit 1
fi
echo "lint: clean"
