#!/usr/bin/env bash
# The disk fails, fills up, is slow, or the tape is taken away: what was recorded is there, the run says what happened,
# exit status 4. TOKENTAPE_TROUBLE=all: every error for every call.
. "$(dirname "$0")/lib.sh"

# twelve answers of 70 KB that hardly compress; one of them fails, and its DONE is synced at once
"$PYTHON" -c "
import base64, os
for _ in range(12):
    print('data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n' % base64.b64encode(os.urandom(4500)).decode())
print('data: [DONE]\n')" >"$T/noise"
printf 'answer broken indexes 4\n  head 500 content-type=text/plain length=3\n  send "bad"\nanswer noise
  head 200 content-type=text/event-stream chunked\n  file %s cut 4096 write 4096 every 500us\n' "$T/noise" >"$T/noise.mock"
mock_start "$T/noise.mock" || exit 1

trouble() { # NAME CASE
    timeout 200 "$PYTHON" tests/check_trouble.py "$URL" "$T" "$2" >"$T/out" 2>"$T/err"
    ok "$1" || tail -n 3 "$T/err" | cut -c1-1500
    grep '^# figure' "$T/out"
}

LD_PRELOAD=$BUILD/tests/fault_io.so FAULT_IO_LOG=$T/probe ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
    bash -c 'exec "$0" --version' "$RECORD" >/dev/null 2>&1
if [ -e "$T/probe" ]; then
    trouble "each call fails in its turn: status, message and prefix are right" matrix
    trouble "what cannot be cut off again is not followed by anything" truncating
    trouble "a slow disk costs time alone" slow
    mkdir "$T/small"
    if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1m none "$T/small" 2>/dev/null; then
        trouble "a disk of 1 MiB, filled up to every place" disk
        umount "$T/small"
    else
        skip "a disk of 1 MiB" "needs the right to mount a small file system"
    fi
else
    skip "calls that fail" "nothing can be preloaded into this build"
fi
trouble "a tape that is moved keeps its new name" moved
trouble "a tape that is deleted is written again" deleted
trouble "a tape whose folder is removed goes to the working one" folder_removed
trouble "a tape that another program cuts is given up, and said so" emptied
finish
