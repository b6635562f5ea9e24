"""What the end-to-end tests want to know of a tape, its result and the mock's log.
Everything here comes from `dump`, `result` and the log alone."""
import base64
import collections
import json
import os
import struct
import subprocess

ANALYZE = os.environ["BUILD"] + "/tokentape-analyze"


def analyze(*args, ok=(0,)):
    r = subprocess.run([ANALYZE, *args], capture_output=True, timeout=120)
    assert r.returncode in ok, (args, r.returncode, r.stderr[-300:])
    return r.stdout


def base_ns(path):
    """CLOCK_MONOTONIC that the times of the tape count from: FILE header, offset 60."""
    with open(path, "rb") as f:
        return struct.unpack_from("<Q", f.read(80), 60)[0]


class Request:
    """Records of one request, as dicts; reads in order, one of the others each."""

    def __init__(self):
        self.plan = self.start = self.conn = self.send = self.done = None
        self.heads, self.reads = [], []

    def body(self):
        return b"".join(base64.b64decode(r["bytes"]) for r in self.reads)

    def lag_at(self, time_ns):
        """Lag of the read at that time: None when the kernel did not tell."""
        return next(r["lag_ns"] for r in self.reads if r["time_ns"] == time_ns)


class Tape:
    def __init__(self, path, ok=(0,)):
        self.path, self.base = path, base_ns(path)
        self.records = [json.loads(line) for line in analyze("dump", "-q", path, ok=ok).splitlines()]
        self.requests = collections.defaultdict(Request)
        for r in self.records:
            kind = r["kind"]
            if kind in ("PLAN", "START", "CONN", "SEND", "DONE"):
                setattr(self.requests[r["request"]], kind.lower(), r)
            elif kind in ("HEAD", "READ"):
                getattr(self.requests[r["request"]], kind.lower() + "s").append(r)

    def of(self, kind):
        return [r for r in self.records if r["kind"] == kind]

    def event(self, name):
        return next(r for r in self.of("EVENT") if r["name"] == name)

    def bodies(self):
        """Request bodies by their hash, joined from their pieces."""
        pieces = collections.defaultdict(bytes)
        for r in self.of("BLOB"):
            assert len(pieces[r["sha256"]]) == r["offset_bytes"], r
            pieces[r["sha256"]] += base64.b64decode(r["bytes"])
        return pieces


def result(path, *args, ok=(0, 1)):
    return json.loads(analyze("result", "-q", path, *args, ok=ok))


def mock_log(path):
    """Answered POSTs in order of arrival, and the closed connections."""
    lines = [json.loads(line) for line in open(path)]
    posts = sorted((x for x in lines if x.get("ordinal", -1) >= 0), key=lambda x: x["ordinal"])
    return posts, {x["closed"]: x for x in lines if "closed" in x}
