"""Calibrations from the outside.
tape CAL.tape FIGURES.json   - the figures follow from the tape: each event carries the time of its own send
around RUN.tape N RATE       - one calibration before the run and one after it, at its concurrency, masking or not"""
import json
import math
import re
import sys

from tapes import Tape, analyze, result


def errors_of(tape):
    """Recorded time of the read that ended each event, minus the stamp in it."""
    errors = []
    for r in tape.requests.values():
        body, ends = r.body(), []
        at = 0
        for read in sorted(r.reads, key=lambda x: x["time_ns"]):
            at += len(read["bytes"]) * 3 // 4 - read["bytes"].count("=")
            ends.append((at, read["time_ns"]))
        for m in re.finditer(rb'data: \{"id":"chatcmpl-null".*?"content":"(\d{19}) .*?\n\n\r\n', body, re.S):
            time_ns = next(t for end, t in ends if end >= m.end())
            errors.append(tape.base + time_ns - int(m.group(1)))
    return sorted(errors)


def check_tape(path, figures):
    tape, said = Tape(path), json.load(open(figures))["calibration"]
    errors = errors_of(tape)
    assert said == json.loads(tape.event("calibration")["detail"]), "the tape says something else"
    assert len(errors) == said["events"] == said["events_planned"], len(errors)
    assert said["events"] == round(said["rate"] * said["duration_s"]) * said["streams"] and said["lost_reads"] == 0
    assert errors[0] > 0 and said["early"] == 0
    for name, part in (("p50_ns", 0.5), ("p90_ns", 0.9), ("p99_ns", 0.99), ("p99_9_ns", 0.999), ("max_ns", 1)):
        rank = math.ceil(round(len(errors) * part, 6))
        assert said[name] == errors[rank - 1], (name, said[name], errors[rank - 1])
    for name, limit in (("over_1ms", 1_000_000), ("over_5ms", 5_000_000)):
        assert said[name] == sum(e > limit for e in errors), name
    assert said["reads"] == sum(len(r.reads) for r in tape.requests.values())
    assert 0 < said["recorder_cpu_ns"] < 4 * said["span_ns"] and 0.1 < said["endpoint_pace"] <= 1
    print(f"# figure: {said['streams']} streams x {said['rate']} events/s: p50 {said['p50_ns'] / 1e6:.3f}, "
          f"p99 {said['p99_ns'] / 1e6:.3f}, max {said['max_ns'] / 1e6:.3f} ms, "
          f"{said['recorder_cpu_ns'] / said['events'] / 1e3:.1f} us CPU an event")


def check_around(path, streams, rate):
    tape = Tape(path, ok=(0, 1))
    details = [(r["time_ns"], json.loads(r["detail"])) for r in tape.of("EVENT") if r["name"] == "calibration"]
    assert [d["when"] for _, d in details] == ["before", "after"], details
    starts = [r.start["time_ns"] for r in tape.requests.values()]
    ends = [r.done["time_ns"] for r in tape.requests.values()]
    assert details[0][0] < min(starts) and details[1][0] > max(ends), "not around the run"
    for _, d in details:
        assert d["streams"] == streams and d["rate"] == rate and d["duration_s"] == 2 and d["masking"] is True, d
        assert d["events"] == d["events_planned"] == streams * rate * 2 and d["failed_requests"] == 0, d
        assert 0 < d["p50_ns"] <= d["p90_ns"] <= d["p99_ns"] <= d["p99_9_ns"] <= d["max_ns"], d
    told = result(path)["trace"]["timing"]["calibration"]
    assert told == {"alone": None, "damaged": 0, **{d.pop("when"): d for _, d in details}}, told
    summary = analyze("summary", path, ok=(0, 1)).decode()
    for when in ("before", "after"):
        assert f"calibrated {when}: {streams} streams x {rate} events/s, error p50 " in summary, summary


if sys.argv[1] == "tape":
    check_tape(*sys.argv[2:])
else:
    check_around(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
