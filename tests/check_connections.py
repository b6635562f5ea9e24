"""usage: check_connections.py MODE CONCURRENCY run.tape mock.log — what the mock saw of a run's connections."""
import sys

sys.path.insert(0, "tests")
import tapes

mode, concurrency = sys.argv[1], int(sys.argv[2])
tape = tapes.Tape(sys.argv[3])
posts, closed = tapes.mock_log(sys.argv[4])
measured = [i for i, r in tape.requests.items() if not r.plan["warmup"]]
assert len(posts) == len(tape.requests), "one POST for each request, none twice"
by_marker = {p["marker"]: p for p in posts}
reused = 0
for i in sorted(tape.requests):
    r = tape.requests[i]
    post = by_marker[r.plan["marker"]]
    assert r.conn["reused"] == post["reused"] or mode == "warm", (i, r.conn, post["reused"])
    reused += r.conn["reused"]
connections = {p["connection"] for p in posts}
if mode == "fresh":
    assert reused == 0 and len(connections) == len(posts)
    # the body was whole before: nobody waits for the next one's close
    assert all(c["requests"] <= 1 for c in closed.values())
else:
    assert len(connections) <= concurrency, (len(connections), concurrency)
    assert reused >= len(posts) - concurrency, reused
if mode == "warm":
    first = min(tape.requests[i].start["time_ns"] for i in measured)
    assert all(tape.requests[i].conn["reused"] for i in measured), "connections were opened before the run"
    assert all(p["accept_ns"] < tape.base + first for p in posts)

# closed loop: never more than that in flight, and a slot refills at once
spans = sorted((tape.requests[i].start["time_ns"], tape.requests[i].done["time_ns"]) for i in measured)
for start, _ in spans:
    assert sum(1 for s, e in spans if s <= start < e) <= concurrency
ends = sorted(e for _, e in spans)
refills = [s - e for s, e in zip([s for s, _ in spans][concurrency:], ends)]
assert all(gap >= 0 for gap in refills)
document = tapes.result(sys.argv[3])
assert document["trace"]["connections"]["mode"] == mode and document["completed"] == len(measured)
warmups = len(tape.requests) - len(measured)
assert document["requests"] == len(measured) and len(document["request_timings"]) == len(measured)
if warmups:
    last = max(r.done["time_ns"] for r in tape.requests.values() if r.plan["warmup"])
    assert last <= tape.event("run_start")["time_ns"] <= min(s for s, _ in spans)
print(f"# figure: {mode}: {len(posts)} requests, {len(connections)} connections, {reused} reused;",
      f"slot refilled after {max(refills) / 1e6:.2f} ms at most" if refills else "")
