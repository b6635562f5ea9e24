"""usage: check_spoiled.py run.tape FOLDER — the run's tape, cut and spoiled in every way that a disk, a kill or a hand
can, and what the analyzer makes of it."""
import collections
import json
import os
import random
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, "tests")
import tape_frames
import tapes

tape_path, folder = sys.argv[1:3]
whole = open(tape_path, "rb").read()
frames = tape_frames.check(whole)
published = open(tape_path + ".head").read()
assert published == frames.head() + "\n"
full = tapes.result(tape_path)
rows = {r["request_index"]: r for r in full["request_timings"]}
seed = int(os.environ.get("SPOIL_SEED", random.randrange(1 << 32)))
rng = random.Random(seed)
seen = collections.Counter()


def run(command, path, *flags):
    r = subprocess.run([tapes.ANALYZE, command, path, *flags], capture_output=True, timeout=60)
    assert r.returncode in (0, 1, 3, 5), (command, r.returncode, r.stderr)
    assert len(r.stderr.splitlines()) <= 1, r.stderr
    return r.returncode, r.stdout, r.stderr.decode()


def look(data, what, head=False, flags=()):
    """State, status of verify, and the result with its status."""
    path = os.path.join(folder, "spoiled.tape")
    open(path, "wb").write(data)
    if head:
        shutil.copy(tape_path + ".head", path + ".head")
    elif os.path.exists(path + ".head"):
        os.remove(path + ".head")
    status, text, words = run("verify", path, "--json", *flags)
    state = json.loads(text)["state"] if text else None
    result_status, document, words = run("result", path, *flags)
    if result_status == 5:
        assert not document and words.startswith("tokentape-analyze: ") and path in words, (what, words)
    document = json.loads(document) if document else None
    seen[what, state, status, result_status] += 1
    return state, status, result_status, document


def consistent(document, finished, what):
    """Each planned index once; the rows are the whole tape's own, of those requests at least."""
    mine = {r["request_index"]: r for r in document["request_timings"]}
    failures = {f["request_index"]: f for f in document["failures"]}
    assert sorted([*mine, *failures]) == list(range(full["requests"])) and not mine.keys() & failures.keys(), what
    assert mine.keys() == finished & rows.keys(), (what, mine.keys() ^ finished)
    assert all(mine[i] == rows[i] for i in mine), what
    assert document["performance_eligible"] is False and document["metrics"]["throughput_tok_s"] is None, what
    return failures


def done_in(blocks):
    return {r[1] for b in blocks for r in b.records if r[0] == 10}


def cuts():
    """Torn at any place: what stood before is read as it was, what stood behind is named."""
    places = set(range(0, 80, 7))
    for b in frames.blocks:
        places |= {b.at, b.at + 1, b.at + 60, b.at + 99, b.at + 100, b.at + 101, (b.at + b.end) // 2, b.end - 1}
    places |= {len(whole) - len(frames.index) // 2, len(whole) - 1}
    for place in sorted(places):
        sound = [b for b in frames.blocks if b.end <= place]
        for head in (False, True):
            state, status, result_status, document = look(whole[:place], "cut", head)
            if place < 80:
                assert (state, status, result_status) == (None, 5, 5), place
                continue
            ended = len(sound) == len(frames.blocks)
            assert status == 3 and state == ("cut" if head and not ended else "torn"), (place, head, state, status)
            if not sound:
                assert result_status == 5, place  # no RUN: nothing says what the run was
                continue
            assert result_status == 3, (place, result_status)
            if not ended:
                failures = consistent(document, done_in(sound), place)
                begun = {r[1] for b in sound for r in b.records if r[0] == 5}
                for i, f in failures.items():
                    assert f["error_type"] == ("not_recorded" if i in begun else "not_sent"), (place, i in begun, f)
    state, status, result_status, document = look(whole[:-len(frames.index)], "without INDEX", True)
    assert (state, status, result_status) == ("complete", 0, 0) and document["request_timings"] == full["request_timings"]
    state, status, result_status, document = look(whole[:frames.blocks[-2].end] + bytes(5000), "zeros", False)
    assert (state, status, result_status) == ("torn", 3, 3)


def flips():
    """One bit, anywhere: never a tape that holds."""
    for _ in range(120):
        place = rng.randrange(len(whole))
        data = bytearray(whole)
        data[place] ^= 1 << rng.randrange(8)
        sound = [b for b in frames.blocks if b.end <= place]
        state, status, result_status, document = look(bytes(data), "one bit")
        assert status == 5 and state in (None, "damaged", "edited"), (seed, place, state, status)
        assert result_status == (3 if sound else 5), (seed, place, result_status)
        if sound and len(sound) < len(frames.blocks):
            consistent(document, done_in(sound), (seed, place))


def salvage():
    """Behind a hole reading goes on, and nobody takes what fell into it for whole."""
    k = len(frames.blocks) // 2
    hole = frames.blocks[k]
    data = bytearray(whole)
    data[(hole.at + hole.end) // 2] ^= 255
    state, status, result_status, document = look(bytes(data), "salvage", flags=("--mode", "salvage"))
    assert result_status == 3, result_status
    touched = {r[1] for r in hole.records if r[0] in (5, 6, 7, 8, 9, 10)}
    failures = consistent(document, done_in(b for b in frames.blocks if b is not hole) - touched, "salvage")
    assert {f["error_type"] for f in failures.values()} <= {"not_recorded", "lost_records"}, failures
    assert len(document["request_timings"]) > len(done_in(frames.blocks[:k])), "nothing behind the hole was read"
    assert run("result", os.path.join(folder, "spoiled.tape"), "--mode", "strict")[0] == 5


def later(records):
    """The same records, the first READ of them a microsecond later."""
    out = list(records)
    for i, packed in enumerate(out):
        record = tape_frames.msgpack.unpackb(packed, raw=False)
        if record[0] == 9:
            record[2] += 1000
            out[i] = tape_frames.msgpack.packb(record, use_bin_type=True)
            return out
    raise AssertionError("no READ here")


def edits():
    """A hand that repairs every checksum: the chain shows it, or the head that was published."""
    contents = [(tape_frames.records_of(b), b.least, b.greatest) for b in frames.blocks]
    again = tape_frames.build(frames.file, contents)
    state, status, result_status, document = look(again, "made anew")
    assert (state, status, result_status) == ("complete", 0, 0), "a tape this script makes is a tape"
    assert document["request_timings"] == full["request_timings"] and document["metrics"] == full["metrics"]
    k = next(n for n, b in enumerate(frames.blocks) if any(r[0] == 9 for r in b.records))
    edited = list(contents)
    edited[k] = (later(contents[k][0]), contents[k][1], contents[k][2] + 1000)
    repaired = tape_frames.build(frames.file, edited)
    for name, head in (("file", True), ("given", False)):
        flags = () if head else ("--head", published.strip())
        path = os.path.join(folder, "spoiled.tape")
        look(repaired, "edited, chain repaired", head)
        status, text, words = run("verify", path, "--json", *flags)
        assert status == 5 and json.loads(text)["state"] == "edited", (name, status, text)
    one = tape_frames.Frames(repaired).blocks[k]  # that block alone, in the old tape
    spliced = whole[:frames.blocks[k].at] + one.header + one.frame + whole[frames.blocks[k].end:]
    state, status, result_status, _ = look(spliced, "edited, one block")
    assert (state, status) == ("edited", 5), (state, status)
    a, b = frames.blocks[1], frames.blocks[2]
    swapped = whole[:a.at] + b.header + b.frame + a.header + a.frame + whole[b.end:]
    assert look(swapped, "two blocks swapped")[:2] == ("edited", 5)
    dropped = whole[:a.at] + whole[a.end:]
    assert look(dropped, "a block taken out")[:2] == ("edited", 5)
    assert look(whole + whole, "twice")[1] == 5


def strangers():
    """Kinds that are not known yet, records with more fields, and a tape with no request at all."""
    contents = [(tape_frames.records_of(b), b.least, b.greatest) for b in frames.blocks]
    pack = tape_frames.msgpack.packb
    wider = [pack([*tape_frames.msgpack.unpackb(r, raw=True), "more", {"x": [1]}], use_bin_type=True) if r[1] == 5 else r
             for r in contents[1][0]]
    newer = [contents[0], ([*wider, pack([200, "of the future", [1, 2]])], *contents[1][1:]), *contents[2:]]
    state, status, result_status, document = look(tape_frames.build(frames.file, newer), "a newer writer")
    assert (state, status, result_status) == ("complete", 0, 0) and document["request_timings"] == full["request_timings"]
    older = [contents[0], ([*contents[1][0], pack([99, "misread me"])], *contents[1][1:]), *contents[2:]]
    status, text, words = run("verify", write(tape_frames.build(frames.file, older)))
    assert status == 5 and "99" in text.decode() + words, (status, text, words)
    start = [r for r in contents[0][0] if r[1] in (0, 1)]  # SCHEMA and RUN
    end = struct.unpack_from("<Q", frames.blocks[-1].header, 44)[0]
    nothing = tape_frames.build(frames.file, [(start, *times_of(start)), ([[17, end, "complete", 0, 0, 0, 0, 0, 0]], end, end)])
    state, status, result_status, document = look(nothing, "no request")
    assert (state, status, result_status) == ("complete", 0, 1), (state, status, result_status)
    assert {f["error_type"] for f in consistent(document, set(), "no request").values()} == {"not_sent"}
    assert run("summary", os.path.join(folder, "spoiled.tape"))[0] == 1
    assert run("timeline", os.path.join(folder, "spoiled.tape"), "--request", "0")[0] in (1, 5)


def times_of(records):
    times = [tape_frames.msgpack.unpackb(r, raw=True)[1] for r in records if r[1] == 1]
    return (min(times), max(times)) if times else (2**64 - 1, 2**64 - 1)


def write(data):
    path = os.path.join(folder, "spoiled.tape")
    open(path, "wb").write(data)
    return path


assert len(frames.blocks) >= 5, len(frames.blocks)
for part in (cuts, flips, salvage, edits, strangers):
    part()
print("# figure:", len(frames.blocks), "blocks,", len(rows), "rows, seed", seed)
for (what, *rest), n in sorted(seen.items(), key=str):
    print("# figure:", n, "x", what, *rest)
