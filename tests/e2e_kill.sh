#!/usr/bin/env bash
# kill -9 of the recorder at random moments: the tape keeps what was finished, and says what it is.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/quick.mock || exit 1
timeout 200 "$PYTHON" tests/check_kill.py "$RECORD" "$URL" "$MOCK_LOG" "$T" "${KILLS:-20}" 2>"$T/err"
ok "${KILLS:-20} killed runs: torn, readable, every index once, nothing lost that was 1 s old" || cat "$T/err"
finish
