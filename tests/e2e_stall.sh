#!/usr/bin/env bash
# The disk takes nothing for 5 s in the middle of a run of 64 streams: no read is later for it, and none is lost.
# alone: lags of two runs are compared
. "$(dirname "$0")/lib.sh"

stall_s=${TOKENTAPE_STALL_S:-5}
# run NAME SECONDS FAULT: 64 streams, 50 events a second each
run() {
    cat >"$T/$1.mock" <<EOS
answer paced
  head 200 content-type=text/event-stream chunked
  repeat $(($2 * 50)) every 20ms
    event {"id":"m","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}],"t":"\${stamp}"}
  end
  event {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
  done
  finish
EOS
    mock_start "$T/$1.mock" --log-writes 0 || exit 1
    FAULT_IO=$3 FAULT_IO_LOG=$T/$1.log LD_PRELOAD=$BUILD/tests/fault_io.so \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" TOKENTAPE_ANALYZE=$(command -v true) \
        "$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests 64 --concurrency 64 --ctx-tokens 64 \
        --prompt-cache-mode unique --tape "$T/$1.tape" >"$T/out" 2>"$T/$1.said"
    local status=$?
    mock_stop
    return $status
}

run plain 2 "write tape 9999 5"
ok "64 streams are recorded" || cat "$T/plain.said"
run stalled $((stall_s + 2)) "fdatasync tape 1 d${stall_s}000"
ok "64 streams are recorded while the disk stalls" || cat "$T/stalled.said"
if [ ! -e "$T/stalled.log" ]; then
    skip "what the stall cost" "nothing can be preloaded into this build"
    finish
fi
"$PYTHON" tests/check_stall.py "$T/plain.tape" "$T/stalled.tape" "$stall_s" "$T/stalled.said" 2>"$T/err"
ok "the stall of ${stall_s} s delays no read, loses none, and is told" || { cat "$T/err" "$T/stalled.said"; }
finish
