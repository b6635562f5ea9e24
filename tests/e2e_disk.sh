#!/usr/bin/env bash
# A disk that fills up: the run stops starting requests, says so, exits 4, and the tape up to there is readable.
. "$(dirname "$0")/lib.sh"

# an answer of 100 KB that hardly compresses, in 12 ms
"$PYTHON" -c "
import base64, os
for _ in range(16):
    print('data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n' % base64.b64encode(os.urandom(4500)).decode())
print('data: [DONE]\n')" >"$T/noise"
printf 'answer noise\n  head 200 content-type=text/event-stream chunked\n  file %s cut 4096 write 4096 every 500us\n' \
    "$T/noise" >"$T/noise.mock"
mock_start "$T/noise.mock" || exit 1
run=(timeout 60 "$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests 400 --concurrency 2
    --ctx-tokens 64 --prompt-cache-mode unique -q)

# check NAME TAPE STATUS
check() {
    [ "$3" -eq 4 ] && [ "$(grep -c . "$T/err")" -ge 1 ] && [ "$(grep -c . "$T/err")" -le 4 ]
    ok "$1: exit 4, and a line that says why" || { note "status $3"; cat "$T/err"; }
    "$PYTHON" - "$2" "$MOCK_LOG" 2>"$T/err2" <<'P'
import json, sys
sys.path.insert(0, "tests")
import tapes
state = json.loads(tapes.analyze("verify", "--json", "-q", sys.argv[1], ok=(0, 3)))
assert state["state"] in ("complete", "torn"), state
document = tapes.result(sys.argv[1], ok=(1, 3))
assert state["accepted_bytes"] > 500000 and document["completed"] + document["failed"] == 400
assert document["performance_eligible"] is False
posts, _ = tapes.mock_log(sys.argv[2])
assert len(posts) < 400, "no more requests were started"
print("# figure:", state["state"], state["end_reason"], document["completed"], "kept of 400,", state["accepted_bytes"], "bytes")
P
    ok "$1: what was recorded is there" || { cat "$T/err2"; cat "$T/err"; }
}

(ulimit -f 1024 && "${run[@]}" --tape "$T/limit.tape" >"$T/out" 2>"$T/err")
check "file size limit" "$T/limit.tape" $?
mock_stop

mkdir "$T/small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=6m none "$T/small" 2>/dev/null; then
    mock_start "$T/noise.mock" || exit 1
    run[5]=$URL
    "${run[@]}" --tape "$T/small/full.tape" >"$T/out" 2>"$T/err"
    status=$?
    check "full disk" "$T/small/full.tape" $status
    umount "$T/small"
else
    skip "full disk" "needs the right to mount a small file system"
fi
finish
