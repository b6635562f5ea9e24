"""usage: sse_tapes.py FOLDER GOOD.tape OUT
Makes OUT.chat.tape and OUT.completions.tape: every stream of FOLDER as the answer to one request, in reads of one,
seven and many bytes, framed in chunks and not. Without recorder or clock: the same bytes at every run (of one zstd).
GOOD.tape lends its FILE header, record table and RUN."""
import glob
import hashlib
import json
import sys

import msgpack

import tape_frames

MS = 1000000
SCHEMA, RUN, PLAN, START, SEND, HEAD, READ, DONE, EVENT, END = 0, 1, 4, 5, 7, 8, 9, 10, 15, 17
CUTS = (1, 7, 4096)  # bytes of a read
COARSE = 4096        # a stream beyond this is cut a hundred times as coarsely
BLOCK = 200 << 10    # decompressed bytes, about


def streams(folder, endpoint):
    for path in sorted(glob.glob(f"{folder}/*.json")):
        notes = json.load(open(path))
        if notes["endpoint"] == endpoint:
            yield open(path[: -len("json")] + "sse", "rb").read(), notes


def chunked(body, size):
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def request(number, body, notes, start):
    """The records of one request, and when it ended."""
    cut = CUTS[number % len(CUTS)] * (100 if len(body) > COARSE else 1)
    framed = chunked(body, 2 * cut + 1) if number % 2 else body
    headers = ["content-type", notes["content_type"]] + (["transfer-encoding", "chunked"] if number % 2 else [])
    yield [START, number, start]
    yield [SEND, number, start + MS, start + MS + 500, 300]
    yield [HEAD, number, start + 20 * MS, "HTTP/1.1 200 OK", headers]
    time, reads = start + 20 * MS, 0
    for at in range(0, len(framed), cut):
        time, reads = time + 137000 + 1000 * (at % 11), reads + 1
        yield [READ, number, time, at % 5000, reads, 0, framed[at:at + cut]]
    whole = notes["clean_end"]
    yield [DONE, number, time + MS, 0 if whole else 18, 200, "complete" if whole else "fault", None, len(framed), reads,
           [0, 100, 100, 200, 20000, (time - start) // 1000], None]


def blocks(records):
    """As tape_frames.build() wants them: records, least and greatest time."""
    times = {RUN: 1, START: 2, SEND: 2, HEAD: 2, READ: 2, DONE: 2, EVENT: 1, END: 1}
    group, size = [], 0
    for record in records + [None]:
        if record is None or size > BLOCK or record[0] == END:
            seen = [r[times[r[0]]] for r in group if r[0] in times] or [2**64 - 1]
            yield group, min(seen), max(seen)
            group, size = [], 0
        if record is not None:
            group.append(record)
            size += len(msgpack.packb(record, use_bin_type=True))


def tape(lender, folder, endpoint):
    schema, run = (msgpack.unpackb(r, raw=False, strict_map_key=False)
                   for r in tape_frames.records_of(lender.blocks[0])[:2])
    wanted = list(streams(folder, endpoint))
    run[2].update(requests=len(wanted), warmup=0, concurrency=4, endpoint=endpoint)
    digest = hashlib.sha256(b"").digest()
    records = [schema, run]
    records += [[PLAN, n, 64, digest, 300, None, False, None, None] for n in range(len(wanted))]
    records.append([EVENT, 10 * MS, "run_start", 1700000000 * 10**9, None])
    answers = [list(request(n, *w, (11 + 40 * (n // 4)) * MS)) for n, w in enumerate(wanted)]
    last = max(a[-1][2] for a in answers)
    records += [r for a in answers for r in a]
    records.append([EVENT, last + MS, "run_end", 1700000000 * 10**9 + last, None])
    reads = [r for a in answers for r in a if r[0] == READ]
    records.append([END, last + 2 * MS, "complete", len(wanted), len(wanted), len(wanted), len(reads),
                    sum(len(r[6]) for r in reads), 0])
    return tape_frames.build(lender.file, list(blocks(records)))


if __name__ == "__main__":
    good = tape_frames.Frames(open(sys.argv[2], "rb").read())
    for name in ("chat", "completions"):
        with open(f"{sys.argv[3]}.{name}.tape", "wb") as f:
            f.write(tape(good, sys.argv[1], name))
