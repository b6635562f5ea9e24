"""usage: check_trouble.py URL FOLDER CASE — the recorder on a disk that fails, fills, stalls or is taken away.

Calls are made to fail by tests/fault_io.c. Whatever happens: exit status 4, a line that says what and names the file, a
tape that holds every block whose write succeeded and calls itself complete only when everything is on it."""
import collections
import concurrent.futures
import errno
import itertools
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, "tests")
import tapes

REQUESTS = 12
BUILD = os.environ["BUILD"]
url, folder = sys.argv[1:3]
EVERYTHING = "TOKENTAPE_TROUBLE" in os.environ
Call = collections.namedtuple("Call", "call file k result errno wanted")


class Run:
    """One run of the recorder, over by the time it is made."""

    def __init__(self, name, fault=None, no_fallocate=False, where=None, extra=(), prefix=()):
        self.fault, self.tape, log = fault, f"{where or folder}/{name}.tape", f"{folder}/{name}.log"
        for path in (self.tape, self.tape + ".head", log):
            if os.path.exists(path):
                os.unlink(path)
        environment = dict(os.environ, LD_PRELOAD=BUILD + "/tests/fault_io.so", FAULT_IO_LOG=log)
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        environment.update({"FAULT_IO": fault} if fault else {}, **({"FAULT_IO_NO_FALLOCATE": "1"} if no_fallocate else {}))
        done = subprocess.run(
            [*prefix, BUILD + "/tokentape-record", "capacity", "--base-url", url, "--model", "mock", "--max-model-len", "32768",
             "--requests", str(REQUESTS), "--concurrency", "3", "--ctx-tokens", "64", "--prompt-cache-mode", "unique",
             "--request-canaries", "--tape", self.tape, "-q", *extra], env=environment, capture_output=True, text=True, timeout=60)
        self.status, self.said = done.returncode, done.stderr
        with open(log) as lines:
            self.calls = [Call(c, f, int(k), int(r), int(e), int(w)) for c, f, k, r, e, w in map(str.split, lines)]

    def reached(self, call, file, k):
        return any((c.call, c.file, c.k) == (call, file, k) for c in self.calls)

    def edge(self):
        """Where the last frame that was written whole ends: a frame is a write, perhaps continued."""
        edge = part = 0
        for c in self.calls:
            if (c.call, c.file) == ("write", "tape"):
                part = part + c.result if c.result >= 0 else 0
                if c.result == c.wanted:
                    edge, part = edge + part, 0
        return edge

    def check(self, words=None):
        """What has to hold of every run; what became of it, in a word."""
        assert self.status in (0, 1, 4), self
        said = self.said.strip().splitlines()
        if self.status == 4:
            assert 1 <= len(said) <= 3 and all(len(line) < 1200 for line in said), said
            assert words is None or sum(words in line for line in said) == 1, said
        if not os.path.exists(self.tape):
            assert self.status == 4 and not os.path.exists(self.tape + ".head"), self
            return "refused"
        head = os.path.exists(self.tape + ".head")
        state = json.loads(tapes.analyze("verify", "--json", "-q", self.tape, ok=(0, 3)))
        assert state["flaw"] is None or state["state"] == "torn", state
        edge = self.edge()
        assert edge - state["accepted_bytes"] in (0, 92 + 40 * state["blocks"]), (edge, state)
        assert state["file_bytes"] == edge or (self.fault or "").startswith("ftruncate"), (edge, state)
        document = tapes.result(self.tape, ok=(0, 1, 3))
        assert document["completed"] + document["failed"] == REQUESTS
        if state["state"] == "torn":
            assert self.status == 4 and not head and not document["performance_eligible"]
            return "torn"
        assert state["state"] == "complete", state
        if state["end_reason"] != "complete":
            assert self.status == 4 and not document["performance_eligible"], state
            return "closed, " + state["end_reason"]
        assert state["requests_done"] == REQUESTS, (state, "it says that nothing is missing")
        assert self.status == 4 or head, "everything is well, but there is no head file"
        return "whole"

    def __repr__(self):
        return f"{self.fault}: status {self.status}, {self.said!r}"


def each(call, file, action, words, may_pass=False, **more):
    """Makes the n-th call fail, for every n that a run comes to."""
    seen = collections.Counter()
    for n in itertools.count():
        run = Run(f"{call}-{file}-{action}", f"{call} {file} {n} {action}", **more)
        if not run.reached(call, file, n):
            break
        assert may_pass or run.status == 4, run
        seen[run.check(words if run.status == 4 else None)] += 1
        if call == "fdatasync" and not may_pass:
            assert not any(c.call == call and c.file == file and c.k > n for c in run.calls), "a failed sync was tried again"
    assert seen, "the call was never made"
    return f"{call} {file} {action}: " + ", ".join(f"{k} {v}" for k, v in sorted(seen.items()))


def matrix():
    """Some errors for each call; TOKENTAPE_TROUBLE=all: all that matter."""
    full = [errno.ENOSPC, errno.EDQUOT, errno.EFBIG]
    bad = [errno.EIO, errno.EROFS, errno.ESTALE]
    some = full[:1] + bad[:1]
    writes = full + bad if EVERYTHING else some
    plan = [("write", "tape", n, False) for n in writes] + [("write", "tape", f"s{n}", False) for n in (writes if EVERYTHING else full[:1])]
    for call, file in (("fdatasync", "tape"), ("write", "head"), ("fdatasync", "head"), ("open", "tape"), ("open", "head")):
        plan += [(call, file, n, False) for n in (full + bad if EVERYTHING else bad[:1])]
    plan += [("open", "head", n, False) for n in (errno.EEXIST, errno.ENOENT, errno.EMFILE, errno.EACCES)]
    plan += [("close", "tape", errno.EIO, False), ("close", "head", errno.EIO, False), ("fsync", "folder", errno.EIO, False)]
    plan += [("fallocate", "tape", n, True) for n in some + [errno.EOPNOTSUPP, errno.EINTR]]
    plan += [("ftruncate", "tape", errno.EIO, True), ("open", "folder", errno.EACCES, True)]
    plan += [("write", "tape", errno.EINTR, True), ("fdatasync", "tape", errno.EINTR, True)]

    def one(item):
        call, file, action, may_pass = item
        words = None if may_pass else os.strerror(int(str(action).lstrip("s")))
        return each(call, file, action, words, may_pass)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for line in pool.map(one, plan):
            print("# figure:", line)


def truncating():
    """A short write that cannot be cut off again: nothing may follow it."""
    run = Run("cut", f"write tape 3 s{errno.ENOSPC}")
    assert run.check(os.strerror(errno.ENOSPC)) == "closed, enospc", run


def slow():
    """Every call takes its time: it costs time, nothing else."""
    for call in ("write", "fdatasync"):
        run = Run("slow-" + call, f"{call} tape 0+ d40")
        assert run.check() == "whole" and run.status in (0, 1), run


def filled(pages, where, no_fallocate):
    """A disk with so many pages left."""
    filler = where + "/filler"
    with open(filler, "wb") as f:
        free = os.statvfs(where)
        left = (free.f_bavail - pages) * free.f_frsize
        assert left >= 0
        f.write(b"x" * left)
    try:
        run = Run("filled", no_fallocate=no_fallocate, where=where)
        outcome = run.check()
        if run.status == 4:
            assert os.strerror(errno.ENOSPC) + " (free some space" in run.said, run
        return outcome, run.edge()
    finally:
        os.unlink(filler)
        for path in (run.tape, run.tape + ".head"):
            if os.path.exists(path):
                os.unlink(path)


def disk():
    """FOLDER/small is a file system of 1 MiB."""
    where = folder + "/small"
    for no_fallocate in (False, True):
        seen = {}
        for pages in [0, 1, 2, 3, 5, 17, 19, 30, 60, 90, 180]:
            outcome, edge = filled(pages, where, no_fallocate)
            seen.setdefault(outcome, []).append(pages)
            assert outcome != "torn" or no_fallocate, "with space reserved ahead, END always gets in"
        assert "refused" in seen and "whole" in seen and "closed, enospc" in seen, seen
        print("# figure:", "without" if no_fallocate else "with", "fallocate, 4 KiB pages left:", seen)


def meddle(name, requests, act, wait_s=0.5):
    """Records, and does something to the tape meanwhile: the exit status, what was said, seconds."""
    where = f"{folder}/{name}"
    os.mkdir(where)
    tape = where + "/t.tape"
    child = subprocess.Popen(
        [BUILD + "/tokentape-record", "capacity", "--base-url", url, "--model", "mock", "--max-model-len", "32768", "--requests",
         str(requests), "--concurrency", "3", "--ctx-tokens", "64", "--prompt-cache-mode", "unique", "--tape", tape, "-q"],
        stderr=subprocess.PIPE, text=True, cwd=folder)
    deadline = time.monotonic() + 10
    while not (os.path.exists(tape) and os.path.getsize(tape) > 3000) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(wait_s)
    act(tape)
    _, said = child.communicate(timeout=60)
    return child.returncode, said, tape


def expect_tape(path, requests, **more):
    state = json.loads(tapes.analyze("verify", "--json", "-q", path, ok=(0, 3)))
    assert state["state"] == "complete" and state["head_source"] == "file", state
    document = tapes.result(path, ok=(0, 1, 3))
    assert document["completed"] + document["failed"] == requests and document["completed"] > 0
    for key, value in more.items():
        assert state[key] == value, (key, state)
    return document


def moved():
    def move(tape):
        os.mkdir(folder + "/elsewhere")
        os.rename(tape, folder + "/elsewhere/other.tape")
    status, said, tape = meddle("moved", 300, move, 0.2)
    assert status == 4 and "was moved while it was being written: it is now " in said and "other.tape" in said, said
    assert not os.path.exists(tape) and not os.path.exists(tape + ".head")
    document = expect_tape(folder + "/elsewhere/other.tape", 300, end_reason="complete")
    assert document["completed"] == 300, "a moved tape costs nothing"


def deleted():
    status, said, tape = meddle("deleted", 3000, os.unlink)
    assert status == 4 and "was deleted while it was being written: it was written again as " + tape in said, said
    document = expect_tape(tape, 3000, end_reason="write_error")
    print("# figure:", document["completed"], "of 3000 were recorded when it was noticed, and are there")


def folder_removed():
    status, said, tape = meddle("removed", 3000, lambda t: shutil.rmtree(os.path.dirname(t)))
    assert status == 4 and "written again as t.tape.rescued" in said, said
    expect_tape(folder + "/t.tape.rescued", 3000, end_reason="write_error")


def emptied():
    status, said, tape = meddle("emptied", 3000, lambda t: os.truncate(t, 4000))
    assert status == 4 and "was changed by another program" in said, said


globals()[sys.argv[3]]()
