#!/usr/bin/env bash
# Servers that drip, wait, never end or close anywhere: the right name each, the run ends, the others are unhurt.
. "$(dirname "$0")/lib.sh"

# run NAME STATUS [FLAGS]: to its end, long before which anything that hangs would have been noticed
run() {
    local name=$1 want=$2 status
    shift 2
    timeout 100 "$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --ctx-tokens 256 --request-canaries \
        --prompt-cache-mode unique --timeout 1 --done-grace 0.3 --tape "$T/$name.tape" -q "$@" >"$T/out" 2>"$T/err"
    status=$?
    [ "$want" = any ] && [ $status -le 1 ] || [ "$status" = "$want" ] || { note "exit $status"; return 1; }
}

mock_start tests/scripts/hang.mock || exit 1
run hang 1 --requests 24 --concurrency 8 --response-words 3 --controlled-output-policy strict
ok "a run against servers that leave one waiting ends" || cat "$T/err"
"$PYTHON" - "$T/hang.tape" "$MOCK_LOG" 2>"$T/err" <<'P'
import sys
sys.path.insert(0, "tests")
import check_failures, tapes
want = dict(check_failures.wanted("tests/scripts/hang.mock"))
tape, document = tapes.Tape(sys.argv[1]), tapes.result(sys.argv[1])
failures = {f["request_index"]: f for f in document["failures"]}
rows = {r["request_index"]: r for r in document["request_timings"]}
for i in range(24):
    name = want.get(i, "good")
    got = failures[i]["error_type"] if i in failures else "good"
    assert got == name.partition(".")[0], (i, name, got)
    assert (i in rows) == (got == "good")
    reason = tape.requests[i].done["reason"]
    grace = name in ("good.never_ends", "good.drips_behind_done")
    assert reason == ("done_grace" if grace else "complete" if got == "good" else "timeout"), (i, name, reason)
    if i in want:
        print(f"# figure: {name:50s} {reason:10s} {tape.requests[i].done['time_ns'] / 1e9:6.2f} s",
              failures.get(i, {}).get("error_message", ""))
    elif rows[i]["content_chunks"] != 4:
        raise AssertionError((i, rows[i]))
P
ok "each is called what it is; those in flight meanwhile are whole" || tail -n 2 "$T/err"
mock_stop

"$PYTHON" tests/check_cut.py script >"$T/cut.mock"
mock_start "$T/cut.mock" || exit 1
run cut 1 --requests "$(($(grep -c '^answer .*indexes' "$T/cut.mock") * 2))" --concurrency 8 --max-tokens 16
ok "answers closed behind each of their bytes" || cat "$T/err"
"$PYTHON" tests/check_cut.py check "$T/cut.tape" "$MOCK_LOG" 2>"$T/err"
ok "right name and bytes at each byte, over three framings" || tail -n 2 "$T/err" | cut -c1-1200
mock_stop

for script in stale closing; do
    mock_start tests/scripts/$script.mock || exit 1
    run $script any --requests 40 --concurrency 4 --connections reuse
    "$PYTHON" - "$T/$script.tape" "$MOCK_LOG" 2>>"$T/err" <<'P'
import collections, sys
sys.path.insert(0, "tests")
import tapes
tape, document = tapes.Tape(sys.argv[1]), tapes.result(sys.argv[1])
posts, _ = tapes.mock_log(sys.argv[2])
kinds = collections.Counter(f["error_type"] for f in document["failures"])
assert set(kinds) <= {"stale_connection", "no_response"}, kinds  # the latter: a fresh one met the closer
for f in document["failures"]:
    reused = tape.requests[f["request_index"]].conn
    assert f["error_type"] != "stale_connection" or reused is None or reused["reused"], f
assert len({p["marker"] for p in posts}) == len(posts), "nothing is sent twice"
assert document["completed"] + len(document["failures"]) == 40 and document["completed"] > 0
print("# figure: reused connections:", document["completed"], "good,", dict(kinds))
P
    ok "$script: a kept connection that is closed right before its next request" || tail -n 2 "$T/err"
    mock_stop
done
finish
