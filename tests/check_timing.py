"""usage: check_timing.py run.tape mock.log — rows and trace against the mock's stamps."""
import base64
import json
import sys

sys.path.insert(0, "tests")
import tapes

SLACK_NS = 500_000
tape = tapes.Tape(sys.argv[1])
document = tapes.result(sys.argv[1])
posts, _ = tapes.mock_log(sys.argv[2])
served = {p["marker"]: p for p in posts}
rows = {r["request_index"]: r for r in document["request_timings"]}
traces = {r["request_index"]: r for r in document["trace"]["requests"]}
run_start = tape.event("run_start")["time_ns"]
run_end = tape.event("run_end")["time_ns"]
worst = {}
without_lag = merged = 0


def newest_in(request, at_ns, post):
    """The last write that the read of that time brought a byte of, and whether it brought others too."""
    ends, total = [], 0
    for write in post["writes"]:
        total += write[1] if write[2] != "head" else 0
        ends.append(total)
    before = sum(len(base64.b64decode(r["bytes"])) for r in request.reads if r["time_ns"] < at_ns)
    behind = before + sum(len(base64.b64decode(r["bytes"])) for r in request.reads if r["time_ns"] == at_ns)
    brought = [w for w, start, end in zip(post["writes"], [0, *ends], ends) if start < behind and end > before]
    return brought[-1], len(brought) > 1


def between(what, request, at_ns, post, label):
    """at_ns, of the tape, against the first write that carried the label. Of writes that the kernel merged before
    they were read it tells the time of one, perhaps the last: then the newest of them sets the upper bound."""
    global without_lag, merged
    stamp, _, _, written = next(w for w in post["writes"] if w[2] == label)
    newest, several = newest_in(request, at_ns, post)
    lag = request.lag_at(at_ns)
    if lag is None:
        without_lag += 1
        lag = max(r["lag_ns"] or 0 for r in tape.of("READ"))
    merged += several
    seen = tape.base + at_ns
    assert stamp <= seen <= (newest[3] if several else written) + max(lag, 0) + SLACK_NS, (what, stamp, written, seen, lag)
    worst[what] = max(worst.get(what, 0), seen - stamp)


def check_row(i, request, row, post):
    start = request.start["time_ns"]
    for what, key, label in (("TTFO", "time_to_first_output_ms", "reasoning"), ("TTFT", "ttft_ms", "content"),
                             ("E2E", "e2e_ms", "done")):
        at = start + round(row[key] * 1e6)
        assert row[key] == (at - start) / 1e6, (what, row[key])
        between(what, request, at, post, label)
    assert row["reasoning_chunks"] == 90 and row["content_chunks"] == 25, row
    assert row["output_tokens"] == post["outputs"] == 115
    assert row["prompt_tokens"] == post["body_bytes"] // 3
    assert post["body_bytes"] == request.plan["body_bytes"] == request.send["sent_bytes"]
    assert row["request_canary"] == {"capture_complete": True, "foreign_marker_count": 0, "marker": post["marker"],
                                     "marker_at_start": True, "observed_marker_count": 1, "passed": True}, row["request_canary"]
    assert row["controlled_output"] == {"capture_complete": True, "exact_adherence": True, "observed_code_words": 16,
                                        "observed_extra_words": 0, "passed": True, "policy": "strict",
                                        "requested_words": 16}, row["controlled_output"]
    trace = traces[i]
    assert trace["start_offset_ms"] == (start - run_start) / 1e6
    assert trace["upload_ms"] == (request.send["last_ns"] - start) / 1e6
    # START is before the mock saw anything, and the body was given away before any of the answer was read
    assert tape.base + start <= post["first_byte_ns"]
    assert start <= request.send["first_ns"] <= request.send["last_ns"] <= request.reads[0]["time_ns"]


def check_bytes(request, post):
    """What stands on the tape is what the mock wrote, chunk framing included, and nothing else."""
    head = next(w[1] for w in post["writes"] if w[2] == "head")
    assert len(request.body()) == post["written_bytes"] - head == request.done["body_bytes"]
    stamps = [int(part[:19]) for part in request.body().decode().split('"mock_ns":"')[1:]]
    assert len(stamps) == 1 + 90 + 25 + 2 and stamps == sorted(stamps)
    written = [w[0] for w in post["writes"] if w[2] not in ("head", "done")][: len(stamps)]
    assert stamps == written, "the stamps inside the events are those of the log"


def check_overlap():
    """Half-open intervals from START to DONE, recomputed by brute force over all edges."""
    spans = {i: (r.start["time_ns"], r.done["time_ns"]) for i, r in tape.requests.items()}
    edges = sorted({run_start, run_end, *(t for s in spans.values() for t in s)})
    area = full = most = 0
    for a, b in zip(edges, edges[1:]):
        if a < run_start or b > run_end:
            continue
        n = sum(1 for s, e in spans.values() if s <= a and b <= e)
        area, full, most = area + n * (b - a), full + (b - a) * (n >= 4), max(most, n)
    overlap = document["trace"]["overlap"]
    wall = run_end - run_start
    assert overlap["mean_in_flight"] == area / wall and overlap["max_in_flight"] == most == 4, (overlap, area / wall)
    assert overlap["full_concurrency_share"] == full / wall
    first = {i: spans[i][0] + round(rows[i]["time_to_first_output_ms"] * 1e6) for i in rows}
    for i, (start, _) in spans.items():
        in_flight = sum(1 for s, e in spans.values() if s <= start < e)
        assert traces[i]["in_flight_at_start"] == in_flight, (i, traces[i], in_flight)
        low, high = first[i], start + round(rows[i]["e2e_ms"] * 1e6)
        cuts = sorted({low, high, *(min(max(t, low), high) for j in spans for t in (spans[j][0], first[j]))})
        shared = sum(b - a for a, b in zip(cuts, cuts[1:])
                     if any(j != i and spans[j][0] <= a and b <= first[j] for j in spans))
        assert abs(traces[i]["overlap_prefill_share"] - shared / (high - low)) < 1e-12, (i, shared / (high - low))
    print(f"# figure: overlap mean {overlap['mean_in_flight']:.4f}, full {overlap['full_concurrency_share']:.4f}")


assert sorted(rows) == list(range(24)) and not document["failures"]
assert len(posts) == 24, "one request is one measurement: nothing is sent twice"
for index in sorted(rows):
    mine = tape.requests[index]
    check_row(index, mine, rows[index], served[mine.plan["marker"]])
    check_bytes(mine, served[mine.plan["marker"]])
check_overlap()
totals = document["metrics"]
assert totals["output_tokens"] == 24 * 115 and totals["reasoning_chunks"] == 24 * 90
wall_ms = document["wall_clock_ms"]
assert wall_ms == (run_end - run_start) / 1e6
assert totals["throughput_tok_s"] == 24 * 115 / (wall_ms / 1000)
print("# figure: read minus stamp at most", {k: f"{v / 1e6:.3f} ms" for k, v in worst.items()},
      f"{merged} of 72 in reads of several writes, {without_lag} reads without a kernel time")
