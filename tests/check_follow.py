"""usage: check_follow.py record RECORD URL FOLDER TIMES | check mock.log FOLDER | whole RECORD URL FOLDER

record: kills the recorder (-9) at random moments of a run, two followers attached from before it began.
check: compares all that they said with the tape, and the tape with the server's own log.
whole: a run that comes to its end, followed by a process and on a terminal."""
import base64
import collections
import json
import fcntl
import os
import pty
import random
import re
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, "tests")
import tapes

REQUESTS = 300
GROWING = ("planned", "started", "done", "failed", "reads", "read_bytes", "events", "tape_bytes", "wall_clock_ms",
           "ttft_samples", "warmups_done")


def follower(tape, name, *flags):
    """A process and where its stdout and stderr go."""
    with open(f"{tape}.{name}", "wb") as out, open(f"{tape}.{name}.err", "wb") as err:
        return subprocess.Popen([tapes.ANALYZE, "follow", "--wait", "--interval", "0.1", *flags, tape],
                                stdout=out, stderr=err, stdin=subprocess.DEVNULL)


def recorder(program, url, tape, requests, seed):
    return subprocess.Popen(
        [program, "capacity", "--base-url", url, "--model", "mock", "--max-model-len", "32768", "--requests",
         str(requests), "--concurrency", "6", "--ctx-tokens", "256", "--prompt-cache-mode", "unique",
         "--request-canaries", "--response-words", "4", "--seed", str(seed), "--tape", tape, "-q"],
        stderr=subprocess.DEVNULL)


def wait_for_header(tape):
    """Killed before that, a recorder leaves no tape."""
    for _ in range(2000):
        if os.path.exists(tape) and os.path.getsize(tape) >= 80:
            return
        time.sleep(0.005)
    raise AssertionError(f"{tape} did not begin")


def record(program, url, folder, times):
    seed = int(os.environ.get("KILL_SEED", time.time_ns()))
    rng, kills = random.Random(seed), []
    for k in range(times):
        tape = f"{folder}/kill{k}.tape"
        followers = [follower(tape, "json", "--json"), follower(tape, "text")]
        child = recorder(program, url, tape, REQUESTS, 1000 + k)
        wait_for_header(tape)
        time.sleep(rng.choice((rng.uniform(0, 0.1), rng.uniform(0.1, 1.7), rng.uniform(0.1, 1.7))))
        kills.append(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
        child.send_signal(signal.SIGKILL)
        try:
            assert child.wait(10) == -signal.SIGKILL, "the run ended before it was killed"
            ends = [f.wait(30) for f in followers]
        finally:
            for f in followers:
                f.kill()
        assert ends == [3, 3], (k, seed, ends, open(f"{tape}.json.err").read(), open(f"{tape}.text.err").read())
    with open(f"{folder}/kills.json", "w") as f:
        json.dump({"seed": seed, "kills": kills}, f)


def check_order(lines):
    """States in their order, numbers that agree with each other and never go back."""
    states = [x["state"] for x in lines]
    order = sorted(states, key=["waiting", "writing", "torn"].index)
    assert states == order and states.count("torn") == 1, states
    for x in lines:
        assert x["started"] == x["in_flight"] + x["done"] and x["in_flight"] <= 6, x
        assert x["failed"] <= x["done"] <= x["started"] <= x["planned"] <= REQUESTS, x
        assert x["ttft_samples"] == x["done"] - x["failed"], x
        assert (x["ttft_p50_ms"] is None) == (x["ttft_samples"] == 0), x
        if x["ttft_samples"]:
            assert x["time_to_first_output_p50_ms"] <= x["ttft_p50_ms"] <= x["ttft_p95_ms"], x
    for a, b in zip(lines, lines[1:]):
        assert all(a[key] <= b[key] for key in GROWING), (a, b)


def same_as_result(line, tape):
    """One line of the follower against the result of the tape that it saw."""
    document = tapes.result(tape, ok=(0, 3))
    trace, metrics = document["trace"]["tape"], document["metrics"]
    judged = [f for f in document["failures"] if f["error_type"] not in ("not_recorded", "not_sent")]
    assert line["failed"] == len(judged) and line["ttft_samples"] == len(document["request_timings"]), line
    assert line["reads"] == trace["reads"] and line["events"] == trace["events"], (line, trace)
    for key in ("time_to_first_output_p50_ms", "time_to_first_output_p95_ms", "ttft_p50_ms", "ttft_p95_ms"):
        assert line[key] == metrics[key], (key, line[key], metrics[key])
    if line["started"]:
        assert line["wall_clock_ms"] == document["wall_clock_ms"], (line, document["wall_clock_ms"])


def tape_as_of(line, tape):
    """The tape when it had the blocks that the line tells of."""
    cut = f"{tape}.cut"
    with open(tape, "rb") as whole, open(cut, "wb") as f:
        f.write(whole.read(line["tape_bytes"]))
    return cut


def oldest_lost(tape, kill_ns, posts):
    """Age at the kill of the oldest byte that the server had sent and the tape lacks."""
    oldest = 0
    for post in posts:
        have, total = len(tape.requests[int(post["marker"][-5:])].body()), 0
        for before_ns, n, label, behind_ns in post["writes"]:
            total += n if label != "head" else 0
            if total > have and label != "head":
                oldest = max(oldest, kill_ns - behind_ns)
                break
    return oldest


def check_tape(tape, kill_ns, posts, seen):
    lines = [json.loads(line) for line in open(f"{tape}.json")]
    text = open(f"{tape}.text").read().splitlines()
    check_order(lines)
    for name in ("json", "text"):
        err = open(f"{tape}.{name}.err").read().splitlines()
        assert len(err) == 1 and " is torn: " in err[0], err
    assert " torn · " in text[-1] and all(" writing · " in x or " waiting · " in x for x in text[:-1]), text
    assert lines[-1]["tape_bytes"] == json.loads(tapes.analyze("verify", "--json", "-q", tape, ok=(3,)))["accepted_bytes"]
    for line in {x["tape_bytes"]: x for x in lines if x["planned"] == REQUESTS}.values():
        same_as_result(line, tape_as_of(line, tape))
        seen["states of a tape"] += 1
    seen["lines"] += len(lines) + len(text)
    seen["answers that ended well"] += lines[-1]["ttft_samples"]
    return oldest_lost(tapes.Tape(tape, ok=(3,)), kill_ns, posts)


def check(log, folder):
    with open(f"{folder}/kills.json") as f:
        run = json.load(f)
    posts, _ = tapes.mock_log(log)
    by_seed = collections.defaultdict(list)
    for post in (p for p in posts if p["marker"]):  # without one: killed before its body was sent
        by_seed[int(post["marker"].split("_")[2])].append(post)
    seen, ages = collections.Counter(), []
    for k, kill_ns in enumerate(run["kills"]):
        ages.append(check_tape(f"{folder}/kill{k}.tape", kill_ns, by_seed[1000 + k], seen) / 1e6)
        assert ages[-1] < 1000, (k, run["seed"], ages[-1])
    ages.sort()
    assert seen["states of a tape"] > len(ages) and seen["answers that ended well"] > 0, seen
    print("# figure:", len(ages), "kills, seed", run["seed"], dict(seen),
          f"the oldest byte that a tape lacks: p50 {ages[len(ages) // 2]:.0f} ms, max {ages[-1]:.0f} ms before the kill")


def on_terminal(tape, rows, columns):
    """What a terminal gets from a follower, and the follower's status."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.environ["TERM"] = "xterm"
        os.execv(tapes.ANALYZE, [tapes.ANALYZE, "follow", "--wait", "--interval", "0.2", tape])
    shown = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:  # the other side is closed
            piece = b""
        if not piece:
            os.close(fd)
            return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        shown += piece


def check_screen(shown, columns):
    """Seven lines, each within the width, drawn over each other, and nothing else."""
    screens = re.split("\x1b\\[7A", shown)
    assert len(screens) > 2, shown
    for screen in screens:
        lines = screen.split("\x1b[K\r\n")
        assert len(lines) == 8 and lines[7] == "" and all(len(x) <= columns for x in lines), (columns, lines)
        assert not re.search("[\x00-\x1f]", "".join(lines)), lines
    assert screens[-1].startswith("complete · ") and "done 120" in screens[-1], screens[-1]


def whole(program, url, folder):
    tape = f"{folder}/whole.tape"
    seen = follower(tape, "json", "--json")
    child = recorder(program, url, tape, 120, 7)
    shown, status = on_terminal(tape, 24, 60)
    assert (child.wait(30), seen.wait(30), status) == (0, 0, 0), (status, open(f"{tape}.json.err").read())
    check_screen(shown, 60)
    last = [json.loads(line) for line in open(f"{tape}.json")][-1]
    assert last["state"] == "complete" and last["done"] == 120 and last["failed"] == 0, last
    same_as_result(last, tape)


if sys.argv[1] == "record":
    record(*sys.argv[2:5], int(sys.argv[5]))
elif sys.argv[1] == "check":
    check(*sys.argv[2:])
else:
    whole(*sys.argv[2:])
