#!/usr/bin/env bash
# Signals end a run cleanly, hang-ups and blocked terminals do not end or delay it.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/quick.mock || exit 1
has_terminals
terminals=$?
while read -r name what; do
    if [ $terminals -ne 0 ] && [[ $name =~ ^(stopped_terminal|gone_terminal|progress)$ ]]; then
        skip "$what" "no terminals to be had here"
        continue
    fi
    timeout 60 "$PYTHON" tests/check_signals.py "$RECORD" "$URL" "$T" "$name" 2>"$T/err"
    ok "$what" || cat "$T/err"
done <<'L'
sigint SIGINT: in flight cancelled, the rest not sent, END interrupted, exit 130; until then the tape is "writing"
sigterm SIGTERM the same
sigquit SIGQUIT the same
moments a signal at any moment: no tape, or one that is closed
harmless signals that mean nothing to a recording change nothing
twice a second signal leaves at once, the tape is readable
hangup SIGHUP changes nothing
stopped_terminal a stopped terminal does not stop a run
full_pipe a full pipe does not stop a run
gone_terminal a terminal that goes away does not stop a run
progress progress on a terminal is one line drawn over
L
mock_stop

cat >"$T/slow.mock" <<'S'
answer slow
  head 200 content-type=text/event-stream chunked
  repeat 30 every 100ms
    event {"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}
  end
  event {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
  done
  finish
S
mock_start "$T/slow.mock" || exit 1
timeout 60 "$PYTHON" tests/check_signals.py "$RECORD" "$URL" "$T" stopped 2>"$T/err"
ok "a recorder that was stopped and goes on ends no request for it" || cat "$T/err"
finish
