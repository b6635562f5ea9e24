"""usage: check_streams.py RUN.tape N RATE - every one of N requests has its answer, and no connection was opened
earlier than RATE a second after the first 64 allow."""
import sys

from tapes import Tape

tape, n, rate = Tape(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
starts = sorted(r.start["time_ns"] for r in tape.requests.values())
assert len(starts) == n, len(starts)
for k in range(64, n):
    assert starts[k] - starts[0] >= (k - 63) * (1_000_000_000 // rate), k
for r in tape.requests.values():
    assert r.done["reason"] == "complete" and b"[DONE]" in r.body(), r.done
in_flight = sorted([(r.start["time_ns"], 1) for r in tape.requests.values()] +
                   [(r.done["time_ns"], -1) for r in tape.requests.values()])
most = now = 0
for _, step in in_flight:
    now += step
    most = max(most, now)
print(f"# figure: {n} requests, at most {most} at a time, over {(starts[-1] - starts[0]) / 1e9:.1f} s of starts")
