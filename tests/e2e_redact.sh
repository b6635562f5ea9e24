#!/usr/bin/env bash
# A redacted copy holds no text, verifies, and says of times and verdicts what the original says.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/planted.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests 12 --concurrency 4 --ctx-tokens 3000 \
    --max-tokens 64 --request-canaries --response-words 3 --controlled-output-policy strict --prompt-cache-mode unique \
    --tape "$T/run.tape" -q >"$T/out" 2>&1
[ $? -eq 1 ]
ok "a run with phrases planted everywhere" || cat "$T/out"
mock_stop

for level in timing structure all-but-prompts; do
    "$ANALYZE" redact "$T/run.tape" "$T/$level.tape" --keep $level 2>"$T/said" && "$ANALYZE" verify -q "$T/$level.tape" >"$T/out"
    ok "--keep $level: a copy, complete" || cat "$T/said" "$T/out"
    "$PYTHON" tests/check_redact.py "$T/run.tape" "$T/$level.tape" $level 2>"$T/err"
    ok "--keep $level: no text that should be gone, and every time, length and verdict" || cat "$T/err"
    [ "$(cat "$T/$level.tape.head")" = "$(grep -oE '[0-9a-f]{64}' "$T/said")" ]
    ok "--keep $level: the head it names is the head file's"
    "$ANALYZE" redact -q "$T/run.tape" "$T/again.tape" --keep $level && cmp "$T/$level.tape" "$T/again.tape"
    ok "--keep $level: the same tape gives the same bytes"
    rm -f "$T"/again.tape*
done

# A copy of a copy names the copy; no more is lost of it.
"$ANALYZE" redact -q "$T/structure.tape" "$T/second.tape" --keep timing &&
    [ "$("$ANALYZE" result -q "$T/second.tape" | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["trace"]["tape"]["origin"]["head"])')" = "$(cat "$T/structure.tape.head")" ]
ok "a copy of a copy names the copy it was made from"

# A tape that was cut short: so is the copy.
head -c $(($(stat -c %s "$T/run.tape") * 2 / 3)) "$T/run.tape" >"$T/torn.tape"
"$ANALYZE" redact "$T/torn.tape" "$T/torn-copy.tape" --keep timing 2>"$T/err"
[ $? -eq 3 ] && [ ! -e "$T/torn-copy.tape.head" ] && "$PYTHON" tests/check_redact.py "$T/torn.tape" "$T/torn-copy.tape" timing 2>"$T/err2"
ok "a torn tape gives a torn copy, status 3" || cat "$T/err" "$T/err2"

refused() { # STATUS WORDS ...: the last command's status, one line, and what it has to name
    local status=$? want=$1 word
    shift
    [ $status -eq "$want" ] && [ "$(wc -l <"$T/err")" -eq 1 ] || { cat "$T/err"; return 1; }
    for word in "$@"; do grep -qF -- "$word" "$T/err" || { echo "no '$word':"; cat "$T/err"; return 1; }; done
}

"$ANALYZE" redact "$T/run.tape" "$T/timing.tape" --keep timing 2>"$T/err"
refused 2 timing.tape exists
ok "a copy that exists is refused"
"$ANALYZE" redact "$T/run.tape" "$T/new.tape" 2>"$T/err"
refused 2 --keep
ok "what is to stay has to be said"
"$ANALYZE" redact "$T/run.tape" "$T/new.tape" --keep everything 2>"$T/err"
refused 2 everything timing
ok "an unknown level is refused"
"$ANALYZE" redact "$T/run.tape" "$T/none/new.tape" --keep timing 2>"$T/err"
refused 4 none/new.tape
ok "a folder that is not there is named"
"$PYTHON" - "$T/run.tape" "$T/edited.tape" <<'P'
import sys
sys.path.insert(0, "tests")
data = bytearray(open(sys.argv[1], "rb").read())
open(sys.argv[2], "wb").write(data)
P
echo 00000000000000000000000000000000000000000000000000000000000000aa >"$T/edited.tape.head"
"$ANALYZE" redact "$T/edited.tape" "$T/new.tape" --keep timing 2>"$T/err"
refused 5 edited.tape
ok "a tape that is not what its head says is refused"
[ ! -e "$T/new.tape" ]
ok "nothing is left of what was refused"
finish
