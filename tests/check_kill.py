"""usage: check_kill.py RECORD URL mock.log FOLDER TIMES — kill -9 at random moments of a run."""
import collections
import json
import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, "tests")
import tapes

record, url, log_path, folder, times = sys.argv[1:6]
seed = int(os.environ.get("KILL_SEED", time.time_ns()))
rng = random.Random(seed)
REQUESTS = 300
kept = collections.Counter()
oldest_lost_ns = 0


def run_and_kill(path, delay_s, seed_of_run):
    """Runs the recorder for a while; returns the kernel's time just before the kill."""
    command = [record, "capacity", "--base-url", url, "--model", "mock", "--max-model-len", "32768", "--requests",
               str(REQUESTS), "--concurrency", "6", "--ctx-tokens", "256", "--prompt-cache-mode", "unique",
               "--request-canaries", "--response-words", "4", "--seed", str(seed_of_run), "--tape", path, "-q"]
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    time.sleep(delay_s)
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    child.send_signal(signal.SIGKILL)
    assert child.wait(10) == -signal.SIGKILL, "the run ended before it was killed"
    return now


def check(path, kill_ns, seed_of_run):
    global oldest_lost_ns
    state = json.loads(tapes.analyze("verify", "--json", "-q", path, ok=(3,)))
    assert state["state"] == "torn" and not os.path.exists(path + ".head"), state
    document = tapes.result(path, ok=(3,))
    rows = {r["request_index"] for r in document["request_timings"]}
    failures = {f["request_index"]: f for f in document["failures"]}
    assert sorted([*rows, *failures]) == list(range(REQUESTS)), "each planned index stands once"
    assert not rows & set(failures)
    for f in failures.values():
        assert (f["failure_class"], f["error_type"]) in (("runner_error", "not_recorded"), ("runner_error", "not_sent")), f
    assert document["performance_eligible"] is False and document["requests"] == REQUESTS
    posts, _ = tapes.mock_log(log_path)
    mine = [p for p in posts if p["marker"].startswith(f"ANVIL_REQ_{seed_of_run}_") and p["end"] == "answered"]
    for post in mine:
        index = int(post["marker"][-5:])
        if post["last_write_ns"] < kill_ns - 1_000_000_000:
            assert index in rows, (index, (kill_ns - post["last_write_ns"]) / 1e9, failures.get(index))
            kept["finished more than 1 s before"] += 1
        else:
            kept["later, kept" if index in rows else "later, lost"] += 1
            if index not in rows:
                oldest_lost_ns = max(oldest_lost_ns, kill_ns - post["last_write_ns"])
    subprocess.run(f"zstd -dcq {path} >/dev/null", shell=True, check=True, timeout=30)
    kept["rows"] += len(rows)


for k in range(int(times)):
    tape = os.path.join(folder, f"kill{k}.tape")
    delay = rng.uniform(0.15, 2.6)
    check(tape, run_and_kill(tape, delay, 1000 + k), 1000 + k)
assert kept["finished more than 1 s before"] > 0, "no run was long enough to show anything"
print("# figure:", times, "kills, seed", seed, dict(kept), f"the oldest lost one {oldest_lost_ns / 1e6:.0f} ms old")
