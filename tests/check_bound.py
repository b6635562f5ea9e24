"""usage: check_bound.py run.tape mock.log [stops [starts|flood|at_rest [ONE_WAY_MS [LATE]]]]: is the error of each time, by the mock's own stamps, within the bound that
the result gives of it? `stops`: lines "stopped continued", when the recorder was kept from running. Then client_limited has
to be on the requests that were hit, and on no others; in a flood reading what is there takes its time, too (stops may be "").
Over a path a byte takes so long, and the path itself may have been late (far_path.py). at_rest: how much of the errors of a
recorder that was not stopped was beyond the bounds, in ms, is printed: that much the path takes, as a proxy on it does."""
import bisect
import sys

sys.path.insert(0, "tests")
import tapes

SLACK_NS = 500_000
UNNOTED_NS = 6_000_000  # two looks of a request under 0.8 s of age, each a turn that was not late enough to be noted
LIMIT_NS, LIMIT_SHARE = 5_000_000, 0.01
WHAT = {"ttfo": "reasoning", "ttft": "content", "e2e": "done"}
TIME = {"ttfo": "first_reasoning_ms", "ttft": "first_content_ms", "e2e": "end_ms"}


class Pauses:
    """When the recorder did not run: as the script knows it, and the late turns that it noted itself."""

    def __init__(self, tape, path):
        stops = [tuple(map(int, line.split())) for line in open(path)] if path else []
        turns = [(tape.base + t["before_ns"], tape.base + t["after_ns"]) for t in tape.of("TURN")]
        self.stops = sorted(stops)
        self.all = sorted(stops + turns)

    @staticmethod
    def over(pauses, low, high):
        """Those that [low, high] has a part in."""
        end = bisect.bisect_right(pauses, (high, float("inf")))
        return [p for p in pauses[:end] if p[1] >= low]


class Path:
    """What the way takes, and the times at which it was late itself, merged."""

    def __init__(self, one_way_ms=0, path=None):
        self.takes, self.late = int(float(one_way_ms) * 1e6), []
        self.forgets = 4 * self.takes + 40_000_000 if self.takes else 0  # for so long a sender may be held after a stop
        for due, done in sorted(tuple(map(int, line.split())) for line in open(path)) if path else []:
            if self.late and due <= self.late[-1][1]:
                self.late[-1][1] = max(self.late[-1][1], done)
            else:
                self.late.append([due, done])

    def share(self, low, high):
        """Of [low, high], which saw a byte from its send to its read."""
        late = sum(min(high, done) - max(low, due) for due, done in self.late if due < high and done > low)
        return min(high - low, self.takes + late)


def first_write(post, label):
    return next(w for w in post["writes"] if w[2] == label)


def look_at(trace, request, post, base, path):
    """Per time: recorded interval, bound, true error after the send and before it, when its bytes were sent and read."""
    start = base + request.start["time_ns"]
    seen = {}
    for what, label in WHAT.items():
        stamp, _, _, written = first_write(post, label)
        interval = round(trace[TIME[what]] * 1e6)
        bound = round(trace[f"client_error_{what}_ms"] * 1e6)
        assert stamp <= start + interval, ("read before it was sent", what, stamp, start, interval)
        seen[what] = {"interval": interval, "bound": bound, "sent": stamp, "read": start + interval,
                      "late": start + interval - stamp - path.share(stamp, start + interval), "slow": written - stamp}
    return start, seen


def check_start(pauses, start, sent, own_start):
    """One that began before a stop and was sent behind it owes the stop to the recorder, whatever it waited for besides."""
    for stopped, continued in pauses.stops:
        if start < stopped and sent > continued:
            assert own_start >= continued - stopped - SLACK_NS, (own_start, continued - stopped)
            return True
    return False


def main(tape_path, log, stops_path=None, wanted="times", *way):
    tape, document, path = tapes.Tape(tape_path, ok=(0, 1)), tapes.result(tape_path), Path(*way)
    served = {p["marker"]: p for p in tapes.mock_log(log)[0]}
    pauses = Pauses(tape, stops_path)
    rows = events = beyond = limited = hit_for_sure = at_start = most = 0
    worst = {what: 0 for what in WHAT}
    bounds = {what: [] for what in WHAT}
    for trace in document["trace"]["requests"]:
        request = tape.requests[trace["request_index"]]
        post = served[request.plan["marker"]]
        start, seen = look_at(trace, request, post, tape.base, path)
        own_start = round(trace["client_error_start_ms"] * 1e6)
        rows += 1
        events += sum(1 for w in post["writes"] if w[2] != "head")
        # what the mock was late itself, between its stamp and the end of its write, is not the client's
        beyond += any(s["late"] - s["slow"] > s["bound"] + SLACK_NS for s in seen.values())
        at_start += check_start(pauses, start, tape.base + request.send["last_ns"], own_start)
        for what, s in seen.items():
            assert 0 <= s["bound"] <= s["interval"], (what, s)
            worst[what] = max(worst[what], s["late"])
            bounds[what].append(s["bound"])
        marked = "client_limited" in trace["reasons"]
        limited += marked
        past = [s for s in seen.values() if s["bound"] > max(LIMIT_NS, s["interval"] * LIMIT_SHARE)]
        assert marked == bool(past), (trace["request_index"], seen)
        # hit: its bytes came while the recorder did not run, and waited for longer than is allowed
        for s in seen.values():
            allowed = max(LIMIT_NS, s["interval"] * LIMIT_SHARE)
            came = s["sent"] + path.takes
            for stopped, continued in Pauses.over(pauses.stops, came, came):
                # (a stop takes hold a moment after it was asked for: what was read in that moment was not hit)
                if continued - came > allowed + SLACK_NS and s["read"] >= continued:
                    hit_for_sure += 1
                    assert marked, ("hit, and not marked", trace["request_index"], s, (stopped, continued))
        if marked and wanted not in ("flood", "at_rest"):
            touched = Pauses.over(pauses.all, start, start + own_start + SLACK_NS)
            for s in past:
                touched += Pauses.over(pauses.all, s["read"] - s["bound"] - path.forgets, s["read"])
            waits = max(s["bound"] for s in past) - own_start
            assert touched or waits <= UNNOTED_NS, ("marked, and no pause of the recorder had a part in it",
                                                    trace["request_index"], own_start, seen)
        most = max(most, max(s["late"] - s["slow"] - s["bound"] for s in seen.values()))
    if wanted == "at_rest":
        print(f"{max(0, most) / 1e6:.3f}")
        return
    share = 1 - beyond / rows
    print(f"# figure: {rows} requests, {events} events: {100 * share:.2f} % within the bound + 0.5 ms; "
          f"{limited} client_limited; hit by a stop: {hit_for_sure} times, {at_start} starts")
    for what in WHAT:
        b = sorted(bounds[what])
        print(f"# figure: {what} error at most {worst[what] / 1e6:.3f} ms, bounds p50 {b[len(b) // 2] / 1e6:.3f}, "
              f"p99 {b[len(b) * 99 // 100] / 1e6:.3f}, max {b[-1] / 1e6:.3f} ms")
    assert share >= 0.999, f"{beyond} of {rows} requests have an error beyond their bound"
    told = document["trace"]["timing"]["client_limited"]
    assert told == {"limit_ms": 5.0, "limit_percent": 1.0, "requests": limited, "strict": False}, told
    if stops_path and not (at_start if wanted == "starts" else hit_for_sure):
        print("no stop hit anything: this shows nothing", file=sys.stderr)
        sys.exit(3)


main(*sys.argv[1:])
