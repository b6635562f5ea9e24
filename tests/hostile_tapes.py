"""usage: hostile_tapes.py FOLDER   makes tapes in it that want to hurt whoever opens them, and FOLDER/LIST: a line each,
the name and how many requests it announces.

Every CRC, hash, salt and the chain hold: what is hostile is what the lengths claim and what the records say. The small
ones are stored without compression by a frame written here; the large ones are small as files."""
import functools
import os
import struct
import subprocess
import sys

sys.path.insert(0, "tests")
import bad_tapes as bt
import tape_frames as tf

MS = bt.MS
EDGES = (0, 2**31, 2**32 - 1, 2**63, 2**64 - 1)
FAR = (2**63, 2**64 - 1)
READ_BYTES = 65536
BLOCK_READS = 15
# Escape, CSI, a title, the clipboard (OSC 52), C1 as UTF-8 and as bytes, bell, line ends, a path, turned writing, DEL.
EVIL = bt.EVIL + "\x1b]52;c;cm0gLXJm\x07\x1b[6n\x1bP+q\x1b\\\x9d0;x\x9c\a\r\x7f\u202a\u2066\u200f\u061c\u2028../../../../etc/passwd"
LONG_EVIL = EVIL * 200


def rotated(v, n):
    return (v << n | v >> 64 - n) & tf.NONE


P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def lane(h, v):
    return rotated(h + v * P2 & tf.NONE, 31) * P1 & tf.NONE


def xxh64(data):
    """The checksum at the end of a zstd frame is its lower half."""
    h, at = P5, 0
    if len(data) >= 32:
        lanes = [(P1 + P2) & tf.NONE, P2, 0, -P1 & tf.NONE]
        while at + 32 <= len(data):
            lanes = [lane(h, v) for h, v in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotated(v, n) for v, n in zip(lanes, (1, 7, 12, 18))) & tf.NONE
        for v in lanes:
            h = (h ^ lane(0, v)) * P1 + P4 & tf.NONE
    h = h + len(data) & tf.NONE
    while at + 8 <= len(data):
        h = rotated(h ^ lane(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4 & tf.NONE
        at += 8
    if at + 4 <= len(data):
        h = rotated(h ^ struct.unpack_from("<I", data, at)[0] * P1 & tf.NONE, 23) * P2 + P3 & tf.NONE
        at += 4
    for b in data[at:]:
        h = rotated(h ^ b * P5 & tf.NONE, 11) * P1 & tf.NONE
    h = (h ^ h >> 33) * P2 & tf.NONE
    h = (h ^ h >> 29) * P3 & tf.NONE
    return h ^ h >> 32


def frame_of(blocks, content_bytes, checksum, head=None):
    """A zstd frame of these blocks, (type, size, bytes) each: 0 stored, 1 one byte repeated."""
    out = [b"\x28\xb5\x2f\xfd" + (b"\xa4" + struct.pack("<I", content_bytes) if head is None else head)]
    for n, (kind, size, data) in enumerate(blocks):
        last = n == len(blocks) - 1
        out.append(struct.pack("<I", size << 3 | kind << 1 | last)[:3] + data)
    return b"".join(out) + struct.pack("<I", checksum & 0xFFFFFFFF)


@functools.lru_cache(64)
def stored(content):
    pieces = [content[at:at + 131072] for at in range(0, len(content), 131072)] or [b""]
    return frame_of([(0, len(p), p) for p in pieces], len(content), xxh64(content))


class Maker:
    """A tape, block by block, each sealed and chained."""

    def __init__(self, file=bt.FILE):
        self.file, self.blocks, self.before = file, [], tf.hashlib.sha256(file).digest()

    def add(self, records, least=None, greatest=None, content=None, count=None, frame=None, change=None):
        content = tf.pack(records) if content is None else content
        seen = tf.times(records) if least is None else (least, greatest)
        if frame is None:
            frame = stored(content) if len(content) < 8192 else tf.zstd(content, "-1")
        self.blocks.append(tf.block(self.file, len(self.blocks), self.before, content, len(records) if count is None else count,
                                    *seen, frame=frame))
        if change:
            self.blocks[-1] = tf.change_header(self.blocks[-1], **change)
        self.before = tf.hashlib.sha256(self.blocks[-1]).digest()
        return self

    def add_all(self, records):
        """In as many blocks as they need."""
        some, content = [], bytearray()
        for r in records:
            packed = tf.pack([r])
            if len(content) + len(packed) > 2**20:
                self.add(some, *tf.times(some), content=bytes(content))
                some, content = [], bytearray()
            some.append(r)
            content += packed
        return self.add(some, *tf.times(some), content=bytes(content)) if some else self

    def done(self, index=True):
        return self.file + b"".join(self.blocks) + (tf.index(self.file, self.blocks) if index else b"")


def told(*contents, end=bt.end()):
    m = Maker()
    for records in contents:
        m.add_all(records)
    return m.add([end]).done()


# ---- frames that claim what they do not hold, and small ones that hold much ----

def frame_tapes():
    def of(name, frame, raw=2**20):
        m = Maker().add(bt.BEGIN)
        m.add([], tf.NONE, tf.NONE, content=b"", count=1, frame=frame, change={"raw": raw})
        return name, m.add([bt.end()]).done(), 2

    gib = zeros_frame(2**30)
    single = b"\x28\xb5\x2f\xfd\xa4"
    yield of("bomb_1_gib", gib)
    yield of("bomb_1_gib_said", gib, raw=2**30)
    for claimed in EDGES[:3]:
        yield of(f"bomb_1_gib_claims_{claimed}", single + struct.pack("<I", claimed) + gib[6 if gib[4] & 0x20 == 0 else 9:], raw=claimed)
    yield of("frame_claims_more", frame_of([(0, 10, bytes(10))], 2**20, xxh64(bytes(10))))
    yield of("frame_claims_less", frame_of([(1, 131072, b"\0")] * 8, 16, xxh64(bytes(2**20))), raw=16)
    yield of("frame_claims_2_64", b"\x28\xb5\x2f\xfd\xe4" + b"\xff" * 8 + b"\x01\0\0" + bytes(4))
    for exponent in (11, 17, 21, 31):
        head = b"\x84" + bytes([exponent << 3]) + struct.pack("<I", 2**20)
        yield of(f"window_2_{exponent + 10}", frame_of([(1, 131072, b"\0")] * 8, 2**20, xxh64(bytes(2**20)), head))
    small = tf.pack([[200, bytes(2**18)]])
    yield of("frame_of_bytes", frame_of([(0, 1, small[n:n + 1]) for n in range(len(small))], len(small), xxh64(small)), raw=len(small))
    nothing = [(0, 0, b"")] * 300000
    yield of("frame_of_nothing", frame_of([*nothing, (0, 3, b"\x91\xcc\xc8")], 3, xxh64(b"\x91\xcc\xc8")), raw=3)
    yield of("frame_block_huge", frame_of([(0, 2**21 - 1, b"x" * 100)], 2**20, 0))
    yield of("frame_block_reserved", frame_of([(3, 9, bytes(9))], 2**20, 0))
    yield of("frame_sequences_bomb", b"\x28\xb5\x2f\xfd\xa4" + struct.pack("<I", 2**20) + b"\xff\xff\xff" * 999)
    yield of("frame_old", b"\x27\xb5\x2f\xfd" + bytes(200))


def zeros_frame(n):
    """What the zstd command makes of so many zeros: the smallest bomb there is."""
    zeros = os.path.join(sys.argv[1], "zeros")
    with open(zeros, "wb") as f:
        f.truncate(n)
    packed = subprocess.run(["zstd", "-qc", zeros], stdout=-1, check=True).stdout
    os.unlink(zeros)
    return packed


# ---- lengths and offsets of the headers ----

def header_tapes():
    for at, form in ((4, "I"), (16, "H"), (18, "H"), (20, "I"), (24, "I"), (60, "Q"), (68, "Q")):
        for value in EDGES:
            if value < 2**(8 * struct.calcsize(form)):
                head = bt.FILE[:at] + struct.pack("<" + form, value) + bt.FILE[at + struct.calcsize(form):76]
                file = head + struct.pack("<I", tf.crc32c(head))
                m = Maker(file)
                for content in bt.CONTENTS:
                    m.add(content)
                yield f"file_{at}_{value}", m.done(), 2
    sizes = dict(length=32, version=16, zero=16, sequence=64, packed=32, raw=32, records=32, flags=32, least=64, greatest=64)
    for field, bits in sizes.items():
        for value in EDGES:
            if value < 2**bits:
                m = Maker()
                for n, content in enumerate(bt.CONTENTS):
                    m.add(content, change={field: value} if n == 1 else None)
                yield f"block_{field}_{value}", m.done(), 2
    index_fields = {4: "I", 12: "H", 14: "H", 20: "I", 24: "Q", 32: "Q", 72: "Q", 80: "Q", 88: "Q", 96: "I", 100: "I", 104: "I", 108: "I",
                    len(bt.INDEX) - 16: "Q"}
    for at, form in index_fields.items():
        for value in EDGES:
            if value < 2**(8 * struct.calcsize(form)):
                yield f"index_{at}_{value}", bt.with_index(at, struct.pack("<" + form, value)), 2


# ---- every field of every record ----

BOMBS = {"array": b"\xdd\xff\xff\xff\xff", "map": b"\xdf\xff\xff\xff\xff", "str": b"\xdb\xff\xff\xff\xff", "bin": b"\xc6\xff\xff\xff\xff",
         "ext": b"\xc9\xff\xff\xff\xff\x05", "array16": b"\xdc\xff\xff", "nest": b"\x91" * 1000 + b"\xc0", "map_nest": b"\x81\xa1a" * 1000 + b"\xc0",
         "never": b"\xc1", "ext_small": b"\xd4\x01\x02", "negative": b"\xd3" + b"\xff" * 8, "float": b"\xcb\x7f\xf8" + bytes(6),
         "nil": b"\xc0", "true": b"\xc3"}
RECORDS = {
    "SCHEMA": [0, "text"], "RUN": bt.run(), "CLOCK": [2, 2 * MS, 1, 17 * 10**17, 1, 1], "BLOB": [3, bytes(32), 4000, 0, b"x" * 10],
    "PLAN": [4, 1, 1000, bytes(32), 4000, "m", False, 5, "fault"], "START": [5, 0, 2 * MS], "CONN": [6, 0, 2 * MS, 1, 999, False, "TLSv1.3", "1.1"],
    "SEND": [7, 0, 2 * MS, 3 * MS, 100, 5], "HEAD": [8, 0, 3 * MS, "HTTP/1.1 200 OK", ["content-type", "text/event-stream", "server", "s"]],
    "READ": [9, 0, 4 * MS, 20000, 1, 0, bt.EVENT, 7], "DONE": [10, 0, 6 * MS, 0, 200, "complete", "error", 69, 1, [1] * 6, [1] * 6, 9],
    "REDACT": [11, 0, "body", 0, 1, "plain"], "LOST": [12, 5 * MS, 1, 10, "ring_full", [0]], "HOST": [13, 5 * MS, *[1] * 9],
    "TURN": [14, 5 * MS, 6 * MS], "EVENT": [15, 5 * MS, "note", 17 * 10**17, "detail"], "SAMPLE": [16, "models", 1 * MS, 2 * MS, 200, b"{}", "error"],
    "END": bt.end(), "ORIGIN": [18, bytes(32), "rules"],
}
STORY = ["SCHEMA", "RUN", "ORIGIN", "PLAN0", "PLAN", "RUN_START", "CLOCK", "BLOB", "SAMPLE", "START", "CONN", "SEND", "HEAD", "READ", "LOST",
         "HOST", "TURN", "EVENT", "REDACT", "DONE", "RUN_END", "END"]


def story(**change):
    """A tape with one record of each kind, those named by `change` being others."""
    others = {"PLAN0": bt.plan(0), "RUN_START": bt.event("run_start", 1), "RUN_END": bt.event("run_end", 20)}
    records = {**RECORDS, **others, **change}
    m = Maker().add([records[name] for name in STORY if name not in ("LOST", "END") or (name == "LOST" and "LOST" in change)])
    return m.add([records["END"]]).done(), 2


def changed(kind, at, value):
    record = list(RECORDS[kind])
    record[at] = value
    return record


def record_tapes():
    for kind, record in RECORDS.items():
        for at in range(1, len(record)):
            m = Maker().add(bt.BEGIN)  # each bomb in a block of its own: salvage meets them all
            for bomb in BOMBS.values():
                head, tail = tf.pack([record[:at]])[1:], tf.pack([record[at + 1:]])[1:]
                m.add([], 2 * MS, 2 * MS, content=bytes([0x90 + len(record)]) + head + bomb + tail, count=1)
            yield f"bombs_{kind}_{at}", m.add([bt.end()]).done(), 2
            if isinstance(record[at], int) and not isinstance(record[at], bool):
                for value in FAR:
                    yield f"number_{kind}_{at}_{value}", *story(**{kind: changed(kind, at, value)})
            elif isinstance(record[at], str):
                yield f"evil_{kind}_{at}", *story(**{kind: changed(kind, at, LONG_EVIL[:16000])})
    for part in ([1, 2**63], [2**64 - 2] * 6, [0] * 6):
        yield f"timers_{part[0]}_{len(part)}", *story(DONE=changed("DONE", 9, part))
        yield f"tcp_{part[0]}_{len(part)}", *story(DONE=changed("DONE", 10, part))
    texts = ["base_url", "model", "endpoint", "engine", "gpu", "tier", "manifest", "source_recipe", "clock_domain_id", "context_seed",
             "configuration_fingerprint", "prompt_cache_mode", "controlled_output_policy", "thinking_mode", "reasoning_effort",
             "prompt_generator", "connections", "cpus", "keep_bodies", "query"]
    for key in ("endpoint", "context_seed", "prompt_cache_mode", "connections"):
        yield f"option_evil_{key}", *story(RUN=bt.run(**{key: EVIL}))
    yield "option_nul", *story(RUN=bt.run(model="a\0b"))
    yield "end_nul", *story(END=bt.end(reason="a\0b"))
    yield "options_evil", *story(RUN=bt.run(**{key: EVIL for key in texts if key != "context_seed"}))
    yield "option_seed_long", *story(RUN=bt.run(context_seed="9" * 60000))
    for key in ("warmup", "concurrency", "burst", "context_tokens", "max_context_tokens", "max_tokens", "margin", "response_words",
                "shared_prefix_tokens"):
        for value in FAR[1:]:
            yield f"option_{key}_{value}", *story(RUN=bt.run(**{key: value}))
    for key in ("temperature", "top_p", "timeout_s", "chars_per_token", "temperature_requested"):
        for value in (float("nan"), float("inf"), -1e308):
            yield f"option_{key}_{value}", *story(RUN=bt.run(**{key: value}))
    for at, name in ((3, "versions"), (4, "host"), (5, "features")):
        m = bt.run()
        m[at] = {EVIL: EVIL, "recorder": EVIL, "libcurl": EVIL, "ofd_lock": EVIL}
        yield f"evil_{name}", *story(RUN=m)
    yield "evil_headers", *story(HEAD=changed("HEAD", 4, ["content-type", EVIL, EVIL, EVIL, "x-request-id", EVIL, "retry-after", EVIL]))
    for request in (2, 2**20 - 1):
        yield f"far_request_{request}", *story(START=[5, request, 2 * MS])


# ---- counts ----

def count_tapes():
    for n in (65535, 65536, 65537, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1):
        run = bt.run(requests=n, concurrency=n, warmup=10000 if n == 65536 else 0)
        yield f"requests_{n}", *story(RUN=run)[:1], (n if n <= 65536 else 2) + 10000 * (n == 65536)
    for n in (10001, 2**32, 2**64 - 1):
        yield f"warmups_{n}", *story(RUN=bt.run(warmup=n))
    for at in range(3, 9):
        yield f"end_all_{at}", *story(END=[17, 30 * MS, "complete", *[2**64 - 1] * (at - 2), *[0] * (8 - at)])
    lost = [12, 5 * MS, 2**64 - 1, 2**64 - 1, "ring_full", [0] * 500000]
    yield "lost_many", told(bt.BEGIN, [bt.start(0, 2)], [lost], [lost]), 2
    m = Maker().add(bt.BEGIN)
    for _ in range(8):  # 2.8 million records of a kind that nobody knows
        m.add([], tf.NONE, tf.NONE, content=b"\x91\xcc\xc8" * 349525, count=349525)
    yield "records_unknown", m.add([bt.end()]).done(), 2
    m = Maker().add([bt.BEGIN[0], bt.run(requests=65536, warmup=10000, request_canaries=True, response_words=4)])
    m.add_all([4, n, 1000, None, 4000, "m" * 180 + str(n), n >= 65536, None, None] for n in range(75536))
    yield "plans_with_markers", m.add([bt.end()]).done(), 75536
    m = Maker().add([bt.BEGIN[0], bt.run(requests=65536, warmup=10000)])
    m.add_all([4, n, 1000, None, 4000, None, n >= 65536, None, None] for n in range(75536))
    m.add([bt.event("run_start", 1)])
    m.add_all(r for n in range(75536) for r in ([5, n, 2 * MS], [9, n, 3 * MS, 1, 1, 0, bt.EVENT], [10, n, 4 * MS, 2**64 - 1, 2**64 - 1, EVIL, EVIL, 0, 1, [0] * 6, None]))
    yield "requests_all_evil", m.add([bt.end()]).done(), 75536
    m = Maker().add_all([bt.BEGIN[0], bt.run(requests=8000), *(bt.plan(n) for n in range(8000)), bt.event("run_start", 1)])
    m.add_all([5, n, 2 * MS] for n in range(8000))
    m.add_all([9, n, 3 * MS, 1, 1, 0, b"data: " + b"x" * 20000] for n in range(8000))
    yield "streams_unended", m.add([bt.end()]).done(), 8000
    for name, middle in (("half", b"data: x"), ("long", b"data: " + b"x" * 60000 + b"\n\n")):
        n = 75536 if name == "half" else 3000
        m = Maker().add([bt.BEGIN[0], bt.run(requests=n - 10000 * (n > 65536), warmup=10000 * (n > 65536), request_canaries=True, response_words=16)])
        m.add_all([4, r, 1000, None, 4000, f"m{r}", r >= 65536, None, None] for r in range(n))
        m.add([bt.event("run_start", 1)])
        m.add_all(record for r in range(n) for record in ([5, r, 2 * MS], [9, r, 3 * MS, 1, 1, 0, middle]))
        yield "streams_" + name, m.add([bt.end()]).done(), n
    m = Maker().add([bt.BEGIN[0], bt.run(requests=65536)]).add_all([4, r, 1000, None, 4000, None, False, None, None] for r in range(65536))
    m.add([bt.event("run_start", 1)])
    m.add_all(record for r in range(65536) for record in
              ([5, r, 2 * MS], [8, r, 3 * MS, *head()[3:]], [9, r, 4 * MS, 1, 1, 0, bt.EVENT + b"data: [DONE]\n\n"],
               [10, r, 5 * MS + r, 0, 200, "complete", None, 0, 1, [0] * 6, None]))
    yield "requests_all_good", m.add([bt.event("run_end", 20), bt.end()]).done(), 65536
    yield "blobs", told(bt.BEGIN, [[3, bytes(32), 2**64 - 1, 2**64 - 1 - n, b"x" * 65536] for n in range(15)]), 2
    yield "turns", told(bt.BEGIN, [[14, 2 * MS, 3 * MS]] * 150000), 2
    yield "events", told(bt.BEGIN, [[15, 2 * MS, EVIL, 2**64 - 1, EVIL]] * 4000), 2
    yield "hosts", told(bt.BEGIN, [[13, 2 * MS, *[2**64 - 2] * 9]] * 20000), 2


# ---- bodies ----

def head(*headers, status="HTTP/1.1 200 OK"):
    return [8, 0, 3 * MS, status, ["content-type", "text/event-stream", *headers]]


def body(unit, times=1, before=b"", after=b"", head_record=None, run=None):
    """A tape whose first request was answered by unit * times."""
    m = Maker().add([bt.BEGIN[0], run or bt.run(), *bt.BEGIN[2:], bt.start(0, 2), head_record or head()])
    data = before + unit * (times if times * len(unit) <= 2**23 else 2**23 // len(unit)) + after
    reads = [[9, 0, 4 * MS, 1, 1, 0, data[at:at + READ_BYTES]] for at in range(0, len(data), READ_BYTES)]
    m.add_all(reads)
    if times * len(unit) > 2**23:  # the rest is the same block again and again
        assert READ_BYTES % len(unit) == 0
        again = [[9, 0, 4 * MS, 1, 1, 0, unit * (READ_BYTES // len(unit))]] * BLOCK_READS
        for _ in range((times * len(unit) - 2**23) // (READ_BYTES * BLOCK_READS)):
            m.add(again)
    m.add([[10, 0, 9 * MS, 0, 200, "complete", None, 0, 1, [0] * 6, None], bt.event("run_end", 20)])
    return m.add([bt.end()]).done(), 2


def delta(text):
    return b'data: {"choices":[{"delta":{"content":"' + text + b'"}}]}\n\n'


def body_tapes():
    def of(name, *args, **kw):
        return "body_" + name, *body(*args, **kw)

    million = 2**20
    canaries = bt.run(request_canaries=True, response_words=16, controlled_output_policy="strict")
    chunked = head("transfer-encoding", "chunked")
    yield of("zeros", bytes(1024), 256 * 1024)
    yield of("one_event", b"x" * 1024, 100 * 1024, before=b"data: ")
    yield of("one_line_of_json", b"x" * 1024, 100 * 1024, before=b'data: {"choices":[{"delta":{"content":"')
    yield of("one_event_many_lines", b"data: xx", million, before=b"data: x\n", head_record=head())
    yield of("lines_of_one_event", b"data: x\n", million)
    yield of("content_length_1_gib", b"data: x", head_record=head("content-length", str(2**30)))
    for n in (2**31, 2**32, 2**63, 2**64 - 1, 2**64, 10**40):
        yield of(f"content_length_{n}", bt.EVENT, head_record=head("content-length", str(n)))
    yield of("content_length_negative", bt.EVENT, head_record=head("content-length", "-1"))
    yield of("events", b"data:\n\n\n", million)
    yield of("events_done", b"data: [DONE]\n\n\n\n", million // 4)
    yield of("events_role", b'data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n', 30000)
    yield of("comments", b":\n\n\n", million)
    yield of("newlines", b"\r\n\r", million)
    yield of("fields", b"id: 1\nevent: x\nretry: 9999999999999999999\n", 50000)
    yield of("field_long", b"x" * 1024, 4096, before=b"event: ")
    yield of("finish_reasons", b"".join(b'data: {"choices":[{"delta":{},"finish_reason":"r%d"}]}\n\n' % n for n in range(40000)))
    yield of("finish_reason_long", b'data: {"choices":[{"delta":{},"finish_reason":"' + b"\\u001b" * 9000 + b'"}]}\n\n', 60)
    yield of("finish_reason_evil", b'data: {"choices":[{"delta":{},"finish_reason":"' + EVIL.replace("\r\n", "").encode() + b'"}]}\n\n')
    yield of("finish_reason_escaped", b'data: {"choices":[{"delta":{},"finish_reason":"\\u001b]52;c;\\u0007\\u009b\\u202e\\u0000"}]}\n\n')
    yield of("error_evil", b'data: {"error":{"type":"\\u001b[2J\\u202e","code":"../../x","message":"' + b"\\u001b" * 9000 + b'"}}\n\n')
    yield of("deep_json", b"[" * million)
    yield of("deep_json_event", b'data: ' + b'{"a":' * 100000 + b"1" + b"}" * 100000 + b"\n\n", 4)
    yield of("deep_json_choices", b'data: {"choices":' + b"[" * 511 + b"]" * 511 + b"}\n\n", 900)
    yield of("keys", b'data: {' + b",".join(b'"%d":0' % n for n in range(100000)) + b"}\n\n")
    yield of("key_twice", b'data: {' + b",".join([b'"choices":[{"delta":{"content":"a"}}]'] * 20000) + b"}\n\n")
    yield of("choices", b'data: {"choices":[' + b",".join([b'{"index":9999999999,"delta":{"content":"a"}}'] * 20000) + b"]}\n\n")
    yield of("tool_calls", b'data: {"choices":[{"delta":{"tool_calls":[' + b",".join([b'{"index":1,"id":"x"}'] * 20000) + b"]}}]}\n\n")
    yield of("number_long", b"data: " + b"9" * 300000 + b"\n\ndata: 1e" + b"9" * 300000 + b"\n\n")
    yield of("string_escapes", delta(b"\\ud83d\\ude00" * 20000), 4)
    yield of("string_half_pairs", delta(b"\\ud83d" * 20000))
    yield of("bad_utf8", delta(b"\xf0\x9f\xff\xc0\x80\xed\xa0\x80" * 9000))
    yield of("content", delta(b"word " * 1000), 1000, run=canaries)
    yield of("markers", delta(b"MARK-0123456789 code 7 " * 500), 60, run=canaries)
    yield of("usage", b'data: {"choices":[],"usage":{"prompt_tokens":18446744073709551615,"completion_tokens":1e308,"total_tokens":-1,'
             b'"completion_tokens_details":{"reasoning_tokens":18446744073709551616}}}\n\n', 20000)
    for size in (b"FFFFFFFFFFFFFFFF", b"FFFFFFFFFFFFFFFFF", b"7FFFFFFFFFFFFFFF", b"40000000", b"0" * 5000 + b"5", b"-1", b""):
        yield of("chunk_size_" + size[:20].decode() + str(len(size)), size + b"\r\n" + bt.EVENT + b"\r\n", head_record=chunked)
    yield of("chunk_extension", b"x" * 1024, 64 * 1024, before=b"5;", head_record=chunked)
    yield of("chunk_extensions", b"1;" + b"e" * 4000 + b"\r\nx\r\n", 1000, head_record=chunked)
    yield of("chunks_of_a_byte", b"1\r\n:\r\n1\r\n\n\r\n", million // 4, head_record=chunked)
    yield of("trailers", b"x-evil: 1\r\n", million // 2, before=b"0\r\n", head_record=chunked)
    yield of("trailer_long", b"x" * 1024, 4096, before=b"0\r\nx: ", head_record=chunked)
    yield of("headers", bt.EVENT, head_record=head(*[part for n in range(1000) for part in (f"x-request-id-{n}", EVIL[:10])]))
    yield of("status_evil", bt.EVENT, head_record=head(status="HTTP/1.1 200 " + EVIL))
    for status in ("HTTP/1.1 " + "9" * 400, "", "HTTP/1.1 -200 OK", "HTTP/1.1 100 Continue", "HTTP/1.1 200"):
        yield of(f"status_{len(status)}", bt.EVENT, head_record=head(status=status))
    yield of("retry_after", bt.EVENT, head_record=head("retry-after", "9" * 300))
    yield of("gzip_bomb", bytes(1024), 1024, head_record=head("content-encoding", "gzip"))
    m = Maker().add([*bt.BEGIN, bt.start(0, 2)])
    m.add_all([8, 0, 3 * MS, "HTTP/1.1 103 Early Hints", ["server", "s" * 3000]] for _ in range(2000))
    yield "body_heads", m.add([bt.end()]).done(), 2
    m = Maker().add([*bt.BEGIN, bt.start(0, 2), head()])
    m.add([[9, 0, 4 * MS, 1, 1, 1, b""]] * 50000)
    m.add([[9, 0, 4 * MS + n, -2**63, 2**64 - 1, 2**64 - 1, b"d"] for n in range(30000)])
    yield "body_reads_of_nothing", m.add([bt.end()]).done(), 2


def tapes():
    yield "harmless", bt.WHOLE, 2
    for some in (frame_tapes, header_tapes, record_tapes, count_tapes, body_tapes):
        yield from some()


if __name__ == "__main__":
    with open(os.path.join(sys.argv[1], "LIST"), "w") as names:
        for name, data, requests in tapes():
            with open(os.path.join(sys.argv[1], name + ".tape"), "wb") as f:
                f.write(data)
            print(name, requests, file=names)
