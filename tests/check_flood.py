"""usage: check_flood.py script BYTES RATE              the mock's script: one answer of about that size, bytes a second
       check_flood.py peak COMMAND ...              runs it; its greatest memory in kB (VmHWM) on the last line
       check_flood.py check run.tape mock.log       was all of it taken?"""
import json
import subprocess
import sys
import time

EVENT_TEXT = " tok" * 250
BATCH = 64  # events of a write: about 70 KB


def event(text, kind="content"):
    return json.dumps({"choices": [{"index": 0, "delta": {kind: text}}], "t": "${stamp}"}, separators=(",", ":"))


FLOOD = event(EVENT_TEXT, "reasoning_content")  # reasoning: content beyond the capture would fail the canary


def script(size, rate):
    one = len(FLOOD) + 15
    batches = max(1, size // (one * BATCH))
    pause_us = max(1, one * BATCH * 1000000 // rate)
    print("answer flood indexes 0\n  head 200 content-type=text/event-stream chunked")
    print(f"  repeat {batches} every {pause_us}us\n    join\n    repeat {BATCH}\n      event {FLOOD}")
    print(f"    end\n    edge\n  end\n  event {event('${marker}')}")
    tail = '  event {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n  done\n  finish'
    print(f"{tail}\nanswer good\n  head 200 content-type=text/event-stream chunked\n  event {event('${marker}')}")
    print(f"  repeat 19 every 10ms\n    event {event(' word')}\n  end\n{tail}")


def peak(command):
    """Polled: the kernel keeps the high water mark, so only the last moment can be missed."""
    child, most = subprocess.Popen(command), 0
    while child.poll() is None:
        try:
            for line in open(f"/proc/{child.pid}/status"):
                if line.startswith("VmHWM"):
                    most = max(most, int(line.split()[1]))
        except OSError:
            pass
        time.sleep(0.005)
    print(most)
    return child.returncode


def check(tape_path, log):
    """Without `dump`, whose output would be larger than the answer."""
    sys.path.insert(0, "tests")
    import tapes
    document = tapes.result(tape_path)
    rows = {r["request_index"]: r for r in document["request_timings"]}
    assert sorted(rows) == list(range(document["requests"])), document["failures"]
    posts = {int(p["marker"][-5:]): p for p in tapes.mock_log(log)[0]}
    verify = json.loads(tapes.analyze("verify", "--json", "-q", tape_path))
    assert verify["state"] == "complete", verify
    assert document["trace"]["tape"]["lost_reads"] == 0
    assert rows[0]["reasoning_chunks"] + 1 == posts[0]["outputs"] > 1000, (rows[0], posts[0]["outputs"])
    for i in range(1, document["requests"]):
        assert rows[i]["content_chunks"] == 20, rows[i]
    print(f"# figure: {posts[0]['written_bytes'] / 2**20:.0f} MiB in {rows[0]['reasoning_chunks']} events through one request,",
          f"{document['trace']['tape']['reads']} reads, a tape of {document['trace']['tape']['bytes'] / 2**20:.1f} MiB;",
          f"{document['requests'] - 1} others meanwhile")


if __name__ == "__main__":
    if sys.argv[1] == "script":
        script(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1] == "peak":
        sys.exit(peak(sys.argv[2:]))
    else:
        check(*sys.argv[2:])
