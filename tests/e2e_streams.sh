#!/usr/bin/env bash
# Many streams at a time (TOKENTAPE_STREAMS, 1024): opened at the pace that was asked for, all answered; what they
# need and cannot have is refused before anything is sent.
# alone: thousands of streams take both CPUs
. "$(dirname "$0")/lib.sh"
N=${TOKENTAPE_STREAMS:-1024}

# Answers that hold until all streams are open, then come.
cat >"$T/hold.mock" <<END
answer held
  head 200 content-type=text/event-stream chunked
  wait $((N + 500))ms
  event {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}
  event {"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":1,"total_tokens":51}}
  done
  finish
END
mock_start "$T/hold.mock" || exit 1
GOOD=(--base-url "$URL" --model mock --ctx-tokens 64 --max-model-len 4096 --prompt-cache-mode unique)
(ulimit -Sn 64 && exec "$RECORD" capacity "${GOOD[@]}" --requests "$N" --concurrency "$N" --tape "$T/run.tape") >"$T/out" 2>&1 &
pid=$!
pids+=("$pid")
while kill -0 "$pid" 2>/dev/null; do
    peak=$(sed -n 's/^VmHWM:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null) && [ -n "$peak" ] && rss=$peak
    sleep 0.1
done
wait "$pid"
ok "$N streams at a time are recorded, though fewer files may be open at first" || cat "$T/out"
note "figure: recorder, greatest RSS with $N streams: $rss"
"$PYTHON" tests/check_streams.py "$T/run.tape" "$N" 1000 2>"$T/err"
ok "each was answered; no connection was opened before its time" || cat "$T/err"

refused() { # WHAT WORDS ULIMIT-ARGS ...
    local what=$1 words=$2
    shift 2
    (ulimit "$@" && exec "$RECORD" capacity "${GOOD[@]}" --concurrency 1000 --tape "$T/no.tape") >"$T/out" 2>&1
    [ $? -eq 2 ] && grep -q -- "$words" "$T/out" && [ "$(wc -l <"$T/out")" -eq 1 ] && [ ! -e "$T/no.tape" ]
    ok "$what is refused, with the remedy" || cat "$T/out"
}
refused "more streams than files may be open" "needs 1064 open files, 512 are allowed (ulimit -n 1064" -n 512
mock_stop
finish
