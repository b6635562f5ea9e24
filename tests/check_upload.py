"""usage: check_upload.py run.tape mock.log READ_DELAY_MS — upload_ms of large prompts."""
import sys

sys.path.insert(0, "tests")
import tapes

tape = tapes.Tape(sys.argv[1])
delay_ns = int(sys.argv[3]) * 1_000_000
posts, _ = tapes.mock_log(sys.argv[2])
served = {p["marker"]: p for p in posts}
for trace in tapes.result(sys.argv[1])["trace"]["requests"]:
    request = tape.requests[trace["request_index"]]
    post = served[request.plan["marker"]]
    last = tape.base + request.send["last_ns"]
    assert request.plan["context_tokens"] == 300000 and request.send["sent_bytes"] > 900000
    assert trace["upload_ms"] == (request.send["last_ns"] - request.start["time_ns"]) / 1e6
    # the server left the body alone until then, and it is more than the sockets hold
    assert last >= post["head_ns"] + delay_ns, (last - post["head_ns"]) / 1e6
    assert request.send["last_ns"] <= request.reads[0]["time_ns"]
    after = tape.base + request.start["time_ns"] + round(trace["first_reasoning_ms"] * 1e6)
    assert trace["ttfo_after_upload_ms"] == (after - last) / 1e6
    print(f"# figure: {request.send['sent_bytes']} bytes, upload_ms {trace['upload_ms']:.3f},",
          f"ttfo_after_upload_ms {trace['ttfo_after_upload_ms']:.3f}")
