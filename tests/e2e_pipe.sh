#!/usr/bin/env bash
# Whoever reads the output may go away: every command then ends as `yes | head` does, without a word.
. "$(dirname "$0")/lib.sh"

tape=fixtures/good/failures.tape
while read -r line; do
    # shellcheck disable=SC2086
    (sleep 0.2; "$ANALYZE" ${line//TAPE/$tape} 2>"$T/err"; echo $? >"$T/status") | true
    [ "$(cat "$T/status")" -eq 141 ] && [ ! -s "$T/err" ]
    ok "$line | true" || { cat "$T/status" "$T/err"; }
done <<'L'
result TAPE
summary TAPE
verify TAPE
verify TAPE --json
dump TAPE
timeline TAPE --request 1
failures
--help
--version
L
# more than a pipe and a reader's buffer hold: else it may be written before the reader has gone
"$ANALYZE" dump fixtures/good/reasoning.tape 2>"$T/err" | head -n 1 >"$T/out"
[ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s "$T/err" ] && [ "$(wc -l <"$T/out")" -eq 1 ]
ok "dump TAPE | head -n 1: one line" || cat "$T/err" "$T/out"
# A stderr that nobody reads costs no output.
(sleep 0.2; "$ANALYZE" result -v "$tape" -o "$T/result.json"; echo $? >"$T/status") 2>&1 >/dev/null | true
[ "$(cat "$T/status")" -eq 1 ] && cmp -s "$T/result.json" fixtures/good/failures.json
ok "result TAPE -o FILE 2>&1 | true: the file, and the status of its requests" || cat "$T/status"
finish
