#!/usr/bin/env bash
# Connections fresh, reused and warm; the closed loop; bursts; nothing is ever sent twice.
. "$(dirname "$0")/lib.sh"

run() { # NAME OPTIONS ...
    local name=$1
    shift
    "$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --ctx-tokens 256 --request-canaries \
        --response-words 3 --tape "$T/$name.tape" -q "$@" >"$T/out" 2>&1
}

for mode in fresh reuse warm; do
    mock_start tests/scripts/quick.mock || exit 1
    run $mode --connections $mode --requests 40 --concurrency 5 --prompt-cache-mode unique
    ok "--connections $mode: a run" || cat "$T/out"
    mock_stop
    "$PYTHON" tests/check_connections.py $mode 5 "$T/$mode.tape" "$MOCK_LOG" 2>"$T/err"
    ok "--connections $mode: what the server saw" || cat "$T/err"
done

mock_start tests/scripts/quick.mock || exit 1
run warmup --requests 10 --concurrency 3 --warmup 4 --prompt-cache-mode unique
ok "--warmup 4: a run" || cat "$T/out"
mock_stop
"$PYTHON" tests/check_connections.py fresh 3 "$T/warmup.tape" "$MOCK_LOG" 2>"$T/err"
ok "warm-ups come before the run and are in no statistic" || cat "$T/err"

mock_start tests/scripts/quick.mock || exit 1
run burst --burst 32 --requests 5 --concurrency 2
ok "--burst 32: a run" || cat "$T/out"
mock_stop
"$PYTHON" - "$T/burst.tape" "$MOCK_LOG" 2>"$T/err" <<'P'
import sys
sys.path.insert(0, "tests")
import tapes
tape = tapes.Tape(sys.argv[1])
posts, _ = tapes.mock_log(sys.argv[2])
document = tapes.result(sys.argv[1])
assert len(posts) == len(tape.requests) == document["requests"] == document["concurrency"] == 32
assert document["trace"]["overlap"]["max_in_flight"] == 32
assert document["serve_flags"]["shared_prefix_burst"] is True
starts = [r.start["time_ns"] for r in tape.requests.values()]
assert max(starts) < min(r.done["time_ns"] for r in tape.requests.values())
print(f"# figure: 32 requests started within {(max(starts) - min(starts)) / 1e6:.2f} ms")
P
ok "all of a burst are in flight at once" || cat "$T/err"

mock_start tests/scripts/stale.mock || exit 1
run stale --connections reuse --requests 20 --concurrency 1 --prompt-cache-mode unique
mock_stop
"$PYTHON" - "$T/stale.tape" "$MOCK_LOG" 2>"$T/err" <<'P'
import sys
sys.path.insert(0, "tests")
import tapes
tape = tapes.Tape(sys.argv[1])
posts, _ = tapes.mock_log(sys.argv[2])
assert [p["marker"] for p in posts] == [tape.requests[i].plan["marker"] for i in range(20)], "nothing is sent twice"
assert [tape.requests[i].done["reason"] for i in range(20)] == ["complete", "stale_connection"] * 10
failures = {f["request_index"]: f["error_type"] for f in tapes.result(sys.argv[1])["failures"]}
assert failures == {i: "stale_connection" for i in range(1, 20, 2)}, failures
P
ok "a dead kept connection is named, and nothing is sent again" || cat "$T/err"

mock_start tests/scripts/closing.mock || exit 1
run closing --connections reuse --requests 60 --concurrency 1 --prompt-cache-mode unique
mock_stop
"$PYTHON" - "$T/closing.tape" "$MOCK_LOG" 2>"$T/err" <<'P'
import collections, sys
sys.path.insert(0, "tests")
import tapes
tape = tapes.Tape(sys.argv[1])
posts, _ = tapes.mock_log(sys.argv[2])
reasons = collections.Counter(r.done["reason"] for r in tape.requests.values())
assert len({p["marker"] for p in posts}) == len(posts), "nothing is sent twice"
assert set(reasons) <= {"complete", "stale_connection"}, reasons
assert sum(reasons.values()) == 60 and reasons["complete"] == len(posts), (reasons, len(posts))
print("# figure: connections closed right behind the answer:", dict(reasons))
P
ok "connections that close while they are being reused are stale ones too" || cat "$T/err"
finish
