#!/usr/bin/env bash
# Plants one breach of each rule in a copy of the tree and expects lint to name it.
# once: no program of ours runs in it
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
export LINT_QUICK=1

mkdir "$T/tree"
cp -r format recorder analyzer tests README.md Makefile "$T/tree" 2>/dev/null
bash tests/lint.sh "$T/tree" >"$T/out" 2>&1
ok "the tree as it stands is clean" || cat "$T/out"

# plant FILE LINE REASON
plant() {
    cp "$T/tree/$1" "$T/kept" 2>/dev/null || : >"$T/kept"
    printf '%s\n' "$2" >>"$T/tree/$1"
    LINT_QUICK=1 bash tests/lint.sh "$T/tree" >"$T/out" 2>&1
    local status=$?
    [ $status -eq 1 ] && grep -qF "$3" "$T/out" && grep -qF "$1:" "$T/out"
    ok "$1: $2" || cat "$T/out"
    cp "$T/kept" "$T/tree/$1"
}

plant analyzer/load.c '#include <curl/curl.h>' 'where libcurl does not exist'
plant recorder/ring.c '#include <curl/curl.h>' 'libcurl stands behind'
plant format/writer.c '#include <msgpack.h>' 'msgpack-c stands behind'
plant analyzer/load.c '#include <zstd.h>' 'zstd stands behind'
plant recorder/ring.c '#include <cjson/cJSON.h>' 'cJSON stands behind'
plant analyzer/sse.c '#include <cjson/cJSON.h>' 'cJSON is for'
plant format/writer.c '#include <openssl/evp.h>' 'libcrypto stands behind'
plant format/writer.c '#include <pthread.h>' 'no threads in format/'
plant recorder/loop.c '#include <pthread.h>' 'threads stand behind'
plant analyzer/load.c '#include <threads.h>' 'no threads in the analyzer'
plant format/writer.c '#include <sys/socket.h>' 'no network in format/'
plant analyzer/load.c '#include <netdb.h>' 'no network in the analyzer'
plant format/writer.c '#include <time.h>' 'no clock in format/'
plant format/writer.c '#include "../analyzer/json.h"' 'includes itself only'
plant format/writer.c '#include "reader.h"' 'do not include each other'
plant format/reader.c '#include "writer.h"' 'do not include each other'
plant recorder/ring.c '#include "../format/reader.h"' 'the recorder sees'
plant recorder/ring.c '#include "../analyzer/json.h"' 'nobody includes analyzer/'
plant analyzer/load.c '#include "../format/writer.h"' 'the analyzer sees'
plant analyzer/load.c '#include "../recorder/ring.h"' 'nobody includes recorder/'
plant tests/mock_server/heap.c '#include "../../format/bytes.h"' 'shares nothing'
plant analyzer/load.c 'void f(char *a) { strcpy(a, "x"); }' 'a banned function'
plant recorder/ring.c 'long f(void) { return time(NULL); }' 'clocks are read in stamp.c'
plant format/writer.c 'void f(void) { printf("x"); }' 'never print or exit'
plant analyzer/load.c 'void f(void) { exit(1); }' 'only main exits'
plant analyzer/load.c "/* TO""DO: later */" 'unfinished'
plant README.md "see /ro""ot/x" 'a path of one machine'
finish
