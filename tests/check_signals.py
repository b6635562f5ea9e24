"""usage: check_signals.py RECORD URL FOLDER CASE — signals and blocked terminals."""
import collections
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, "tests")
import tapes

record, url, folder, case = sys.argv[1:5]
tape = os.path.join(folder, case + ".tape")


def start(requests, stderr=subprocess.PIPE, extra=()):
    command = [record, "capacity", "--base-url", url, "--model", "mock", "--max-model-len", "32768", "--requests",
               str(requests), "--concurrency", "4", "--ctx-tokens", "256", "--prompt-cache-mode", "unique",
               "--request-canaries", "--response-words", "4", "--tape", tape, *extra]
    return subprocess.Popen(command, stderr=stderr, stdout=subprocess.DEVNULL, start_new_session=True)


def wait_until_recording():
    deadline = time.time() + 10
    while time.time() < deadline:
        if os.path.exists(tape) and os.path.getsize(tape) > 3000:
            return
        time.sleep(0.02)
    raise AssertionError("no tape grew")


def verdict(ok):
    return json.loads(tapes.analyze("verify", "--json", "-q", tape, ok=ok))


def interrupted(number):
    child = start(400)
    wait_until_recording()
    time.sleep(0.4)
    state = verdict((3,))
    assert state["state"] == "writing", state
    child.send_signal(number)
    began = time.time()
    assert child.wait(10) == 130, child.returncode
    assert time.time() - began < 3, "what is in flight is given up, not waited for"
    state = verdict((0,))
    assert (state["state"], state["end_reason"]) == ("complete", "interrupted"), state
    document = tapes.result(tape, ok=(1,))
    kinds = [f["error_type"] for f in document["failures"]]
    assert set(kinds) == {"cancelled", "not_sent"} and 1 <= kinds.count("cancelled") <= 4, set(kinds)
    assert document["completed"] > 0 and document["completed"] + document["failed"] == 400
    assert document["performance_eligible"] is False
    events = tapes.Tape(tape).of("EVENT")
    names = [e["name"] for e in events]
    assert names.index("signal") < names.index("run_end"), names
    assert number.name in next(e for e in events if e["name"] == "signal")["detail"]
    words = child.stderr.read().decode()
    print("# figure:", number.name, "kept", document["completed"], "cancelled", kinds.count("cancelled"), "not sent",
          kinds.count("not_sent"))
    assert tape in words, words


def twice():
    child = start(400)
    wait_until_recording()
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    child.send_signal(signal.SIGTERM)
    assert child.wait(5) == 130, child.returncode
    assert verdict((0, 3))["state"] in ("complete", "torn")
    document = tapes.result(tape, ok=(1, 3))
    assert document["completed"] + document["failed"] == 400


def hangup():
    child = start(30)
    wait_until_recording()
    for _ in range(5):
        child.send_signal(signal.SIGHUP)
        time.sleep(0.05)
    assert child.wait(30) == 0, child.returncode
    assert tapes.result(tape)["completed"] == 30


def stopped_terminal():
    """Nobody reads the terminal, and its output is stopped: the run ends all the same, and in time."""
    master, slave = pty.openpty()
    termios.tcflow(slave, termios.TCOOFF)
    began = time.time()
    child = start(40, stderr=slave, extra=("-v",))
    os.close(slave)
    assert child.wait(30) == 0, child.returncode
    assert tapes.result(tape)["completed"] == 40
    os.close(master)
    print(f"# figure: {time.time() - began:.1f} s beside a stopped terminal")


def full_pipe():
    """stderr is a pipe that is full and that nobody reads."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    child = start(40, stderr=writer, extra=("-v",))
    os.close(writer)
    assert child.wait(30) == 0, child.returncode
    os.close(reader)
    assert tapes.result(tape)["completed"] == 40


def gone_terminal():
    """The terminal closes in mid-run, as when a session ends."""
    master, slave = pty.openpty()
    child = start(60, stderr=slave)
    os.close(slave)
    wait_until_recording()
    os.close(master)
    child.send_signal(signal.SIGHUP)
    assert child.wait(30) == 0, child.returncode
    assert tapes.result(tape)["completed"] == 60


def progress():
    """On a terminal one line is drawn over and over; what it says is what happened."""
    master, slave = pty.openpty()
    child = start(60, stderr=slave)
    os.close(slave)
    text = b""
    try:
        while True:
            text += os.read(master, 65536)
    except OSError:
        pass  # the terminal closed with its last writer
    assert child.wait(30) == 0
    lines = text.decode().replace("\x1b[K", "").split("\r")
    drawn = [x for x in lines if "in flight" in x]
    assert len(drawn) > 2 and any("60/60" in x for x in drawn), lines
    for word in ("done", "failed", "in flight", "elapsed", "left"):
        assert any(word in x for x in drawn), word
    print("# figure:", len(drawn), "times drawn, the last but one:", drawn[-2].strip())


def moments():
    """SIGINT, SIGTERM and SIGQUIT from the first moment on to the analysis at the end: no tape, or one that is closed."""
    seen = collections.Counter()
    for k in range(24):
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)[k % 3]
        child = start(24, stderr=subprocess.DEVNULL)
        time.sleep(0.02 * k)
        child.send_signal(number)
        status = child.wait(20)
        if os.path.exists(tape):
            state = verdict((0,))
            assert state["state"] == "complete", (k, state)
            assert status in ((130,) if state["end_reason"] == "interrupted" else (0, 130)), (k, status, state)
            seen["closed, " + state["end_reason"]] += 1
            os.unlink(tape)
            os.unlink(tape + ".head")
        else:
            assert status in (-number, 130) and not os.path.exists(tape + ".head"), (k, status)
            seen["nothing left behind"] += 1
    assert seen["closed, interrupted"] > 0, seen
    print("# figure:", dict(seen))


def harmless():
    """Signals that mean nothing to a recording."""
    child = start(60)
    wait_until_recording()
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGWINCH, signal.SIGCHLD, signal.SIGURG, signal.SIGTTOU, signal.SIGCONT):
        child.send_signal(number)
        time.sleep(0.01)
    assert child.wait(30) == 0, child.returncode
    assert tapes.result(tape)["completed"] == 60


def stopped():
    """Stopped for longer than --timeout, with more streams in flight than a turn handles: what came meanwhile is read
    before anything counts as idle."""
    command = [record, "capacity", "--base-url", url, "--model", "slow", "--max-model-len", "32768", "--requests", "320",
               "--concurrency", "320", "--ctx-tokens", "64", "--prompt-cache-mode", "unique", "--timeout", "1.5", "--tape", tape]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    wait_until_recording()
    time.sleep(0.6)
    child.send_signal(signal.SIGSTOP)
    time.sleep(2.2)
    child.send_signal(signal.SIGCONT)
    words = child.communicate(timeout=60)[1].decode()
    document = tapes.result(tape, ok=(0, 1))
    kinds = collections.Counter(f["error_type"] for f in document["failures"])
    assert document["completed"] == 320, kinds
    assert any(e["name"] == "signal" and e["detail"] == "SIGCONT" for e in tapes.Tape(tape).of("EVENT"))
    assert "stopped and continued" in words, words


{"moments": moments, "harmless": harmless, "stopped": stopped, "sigquit": lambda: interrupted(signal.SIGQUIT),
 "sigint": lambda: interrupted(signal.SIGINT), "sigterm": lambda: interrupted(signal.SIGTERM), "twice": twice,
 "hangup": hangup, "stopped_terminal": stopped_terminal, "full_pipe": full_pipe, "gone_terminal": gone_terminal,
 "progress": progress}[case]()
