#!/usr/bin/env bash
# Each way to fail that the mock can play, named right in the result, with its bytes on the tape.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/failures.mock || exit 1
mock_start tests/scripts/failures.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests 20 --concurrency 5 --ctx-tokens 256 \
    --max-tokens 64 --prompt-cache-mode unique --request-canaries --response-words 3 --controlled-output-policy strict \
    --timeout 1 --done-grace 0.3 --tape "$T/run.tape" >"$T/out" 2>"$T/err"
[ $? -eq 1 ]
ok "some failed: exit 1" || cat "$T/err"
mock_stop
"$ANALYZE" result "$T/run.tape" -q >"$T/run.json"
[ $? -eq 1 ]
ok "and so says the analyzer"
"$PYTHON" - "$T/run.json" "$T/run.tape" "$MOCK_LOG" 2>"$T/err" <<'P'
import json, sys
sys.path.insert(0, "tests")
import tapes
# request index -> what it must be called: class, type, response received
want = {1: ("request_error", "http_status", False), 2: ("request_error", "http_status", False),
        3: ("request_error", "http_status", False), 4: ("request_error", "http_status", False),
        5: ("request_error", "connection_reset", True), 6: ("request_error", "truncated_body", True),
        7: ("stream_validation_failed", "in_band_error", True), 8: ("stream_validation_failed", "no_terminal", True),
        9: ("stream_validation_failed", "no_visible_output", True),
        10: ("request_canary_failed", "canary_failed", True),
        11: ("controlled_output_failed", "controlled_output_failed", True),
        12: ("stream_validation_failed", "not_an_event_stream", True),
        13: ("stream_validation_failed", "empty_body", True), 14: ("request_error", "bad_chunk", True),
        15: ("request_error", "no_response", False), 16: ("request_error", "inactivity_timeout", True),
        17: ("request_error", "header_timeout", False)}
document = json.load(open(sys.argv[1]))
tape = tapes.Tape(sys.argv[2])
posts, _ = tapes.mock_log(sys.argv[3])
failures = {f["request_index"]: f for f in document["failures"]}
wrong = [(i, want.get(i), f["failure_class"], f["error_type"], f["response_received"], f["error_message"])
         for i, f in failures.items() if want.get(i) != (f["failure_class"], f["error_type"], f["response_received"])]
assert not wrong, wrong
assert sorted(failures) == sorted(want), sorted(set(failures) ^ set(want))
assert sorted(r["request_index"] for r in document["request_timings"]) == [0, 18, 19]
assert "429" in failures[2]["error_message"] and "7" in failures[2]["error_message"], failures[2]["error_message"]
assert document["responses_received"] == 3 + sum(f["response_received"] for f in failures.values())
assert document["metrics"]["throughput_tok_s"] is None and document["performance_eligible"] is False
# 18 ends its answer but never its body: the grace ends it, and it counts
assert tape.requests[18].done["reason"] == "done_grace", tape.requests[18].done
for post in posts:  # every byte a broken answer brought is kept
    i = int(post["marker"][-5:])
    head = sum(w[1] for w in post["writes"] if w[2] == "head")
    body = tape.requests[i].body()
    if i in (1, 2, 3, 4, 12, 13):
        assert body == {1: b'{"error":{"message":"boom","type":"server_error"}}',
                        4: b"<html>not here</html>", 13: b""}.get(i, body), (i, body)
        assert i == 13 or len(body) > 10
    else:
        assert len(body) == post["written_bytes"] - head, (i, len(body), post)
assert len(posts) == 20, len(posts)
for i in sorted(failures):
    f = failures[i]
    print(f"# figure: {i:2d} {f['failure_class']:25s} {f['error_type']:26s} {f['error_message'][:70]}")
P
ok "class, type and bytes of each" || cat "$T/err"
mock_start tests/scripts/failures.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 32768 --requests 2 --concurrency 1 --ctx-tokens 256 \
    --prompt-cache-mode unique --request-canaries --tape "$T/last.tape" >"$T/out" 2>"$T/err"
grep -qE "HTTP 500" "$T/err"
ok "the recorder's last words name the reason" || cat "$T/err"
finish
