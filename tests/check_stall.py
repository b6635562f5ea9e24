"""usage: check_stall.py plain.tape stalled.tape STALL_S said — a disk that took nothing for a while, against one that did.

Reads that had waited for the disk would have lags of seconds."""
import base64
import json
import sys

sys.path.insert(0, "tests")
import tapes


def lags_ms(tape):
    """p50, p99 and the greatest of the reads' lags."""
    lags = sorted(r["lag_ns"] for r in tape.of("READ") if r["lag_ns"] is not None)
    assert len(lags) > 1000, len(lags)
    return [lags[int(p * (len(lags) - 1))] / 1e6 for p in (0.5, 0.99, 1)]


plain, stalled, stall_s = tapes.Tape(sys.argv[1]), tapes.Tape(sys.argv[2]), float(sys.argv[3])
before, after = lags_ms(plain), lags_ms(stalled)
hosts = stalled.of("HOST")
gap, since = max((b["time_ns"] - a["time_ns"], a["time_ns"]) for a, b in zip(hosts, hosts[1:]))
assert gap > stall_s * 0.9e9, "the writer was not held"
during = [r for r in stalled.of("READ") if since < r["time_ns"] < since + gap]
end = stalled.of("END")[0]
assert end["lost_reads"] == 0 and not stalled.of("LOST") and end["reads"] == len(stalled.of("READ"))
assert end["reason"] == "complete" and end["done"] == end["planned"]
waited = max(h["ring_high_water_bytes"] for h in hosts)
assert waited > sum(len(base64.b64decode(r["bytes"])) for r in during), (waited, len(during))
room = next(r for r in stalled.records if r["kind"] == "RUN")["options"]["ring_bytes"]
assert waited < room, (waited, room)
assert any(e["name"] == "note" and "the disk took nothing for" in (e["detail"] or "") for e in stalled.of("EVENT"))
assert "the disk has taken nothing for 2 s: what comes in waits in memory" in open(sys.argv[4]).read()
assert after[1] < 500, (before, after)
gaps = sorted(during, key=lambda r: r["time_ns"])
assert max(b["time_ns"] - a["time_ns"] for a, b in zip(gaps, gaps[1:])) < 1e9, "reads went on all the while"
state = json.loads(tapes.analyze("verify", "--json", "-q", sys.argv[2]))
assert state["state"] == "complete", state
print(f"# figure: lag p50, p99, most: {', '.join(f'{x:.3f}' for x in before)} ms; with a stall of {stall_s:g} s "
      f"{', '.join(f'{x:.3f}' for x in after)} ms; {len(during)} reads meanwhile, ring high water "
      f"{waited / 2**20:.1f} of {room / 2**20:.0f} MiB")
