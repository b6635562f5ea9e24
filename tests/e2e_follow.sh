#!/usr/bin/env bash
# A recording that is followed from another process: never a wrong number, never an error, whatever becomes of it.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/quick.mock || exit 1
whole="a whole run: the last numbers are the result's, and a terminal is drawn on within its width"
if has_terminals; then
    timeout 120 "$PYTHON" tests/check_follow.py whole "$RECORD" "$URL" "$T" 2>"$T/err"
    ok "$whole" || tail -n 5 "$T/err"
else
    skip "$whole" "no terminals to be had here"
fi
mock_stop

kills=${TOKENTAPE_FOLLOW_KILLS:-8}
mock_start tests/scripts/quick.mock --log-writes 100 || exit 1
timeout $((60 + 6 * kills)) "$PYTHON" tests/check_follow.py record "$RECORD" "$URL" "$T" "$kills" 2>"$T/err"
ok "$kills recorders killed with two followers attached: each follower ends by saying that the tape is torn" || cat "$T/err"
mock_stop
timeout $((60 + 6 * kills)) "$PYTHON" tests/check_follow.py check "$MOCK_LOG" "$T" 2>"$T/err"
ok "every number they gave is that of the tape as it was then; no tape lacks what was 1 s old" || tail -n 3 "$T/err"
finish
