"""usage: bad_tapes.py FOLDER   makes the tapes of fixtures/bad that are not there: one small tape, spoiled in one way each.

Beside each name stands what it is: the state (None: it cannot be opened or read on), a piece of the line that has to be
said, and the blocks that salvage gives back (None: as many as there are). check_bad_tapes.py asks the analyzer."""
import collections
import json
import os
import struct
import sys
import zlib

sys.path.insert(0, "tests")
import tape_frames as tf

MS = 10**6
OPTIONS = {"base_url": "http://127.0.0.1:8000/v1", "model": "mock", "endpoint": "chat", "requests": 2, "concurrency": 1,
           "context_tokens": 1000, "max_tokens": 64, "margin": 1024, "prompt_cache_mode": "unique", "connections": "fresh",
           "controlled_output_policy": "observe", "prompt_generator": "test", "timeout_s": 900.0, "temperature": 0.0}
EVENT = b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n'
EVIL = "\x1b[2J\x1b]0;x\x07\x9b31m\r\n../../etc/passwd\u202e"

Defect = collections.namedtuple("Defect", "name data state words salvaged head", defaults=(None,))
ALL = [0, 1, 2, 3]


def run(**options):
    return [1, 0, {**OPTIONS, **options}, {"recorder": "0.0.test"}, {}, {}]


def plan(request, fault=None, marker=None):
    return [4, request, 1000, None, 4000, marker, False, None, fault]


def start(request, ms):
    return [5, request, ms * MS]


def read(request, ms, data=EVENT):
    return [9, request, ms * MS, 20000, 1, 0, data]


def done(request, ms, reason="complete", error=None):
    return [10, request, ms * MS, 0, 200, reason, error, 0, 2, [0] * 6, None]


def event(name, ms):
    return [15, ms * MS, name, 17 * 10**17 + ms * MS, None]


def answer(request, ms):
    head = [8, request, (ms + 1) * MS, "HTTP/1.1 200 OK", ["content-type", "text/event-stream"]]
    return [start(request, ms), head, read(request, ms + 2), read(request, ms + 3, b"data: [DONE]\n\n"), done(request, ms + 4)]


def end(ms=30, reason="complete"):
    return [17, ms * MS, reason, 2, 2, 2, 4, 168, 0]


BEGIN = [[0, "see RECORDS.md"], run(), plan(0), plan(1), event("run_start", 1)]
CONTENTS = [BEGIN, answer(0, 2), answer(1, 12) + [event("run_end", 20)], [end()]]
FILE = tf.file_header()
BLOCKS = tf.chain(FILE, CONTENTS)
INDEX = tf.index(FILE, BLOCKS)
OTHER = tf.file_header(tape_id=b"\xa1" * 16)
OTHER_BLOCKS = tf.chain(OTHER, CONTENTS)
WHOLE = FILE + b"".join(BLOCKS) + INDEX
HEAD = tf.hashlib.sha256(BLOCKS[3]).hexdigest() + "\n"


def whole(contents, file=FILE):
    """A tape that holds, with an INDEX, whatever it says."""
    blocks = tf.chain(file, contents)
    return file + b"".join(blocks) + tf.index(file, blocks)


def arranged(*parts, index=INDEX):
    return FILE + b"".join(BLOCKS[p] if isinstance(p, int) else p for p in parts) + index


def instead(block, number=1):
    """The whole tape with one block replaced, the others as they were."""
    return arranged(*[block if n == number else n for n in range(4)])


def flipped(at, bit=1, data=WHOLE):
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1:]


def framed(frame, content=None):
    """Block 1 with this frame in it, CRCs and chain of its own made good."""
    content = tf.pack(CONTENTS[1]) if content is None else content
    previous = tf.hashlib.sha256(BLOCKS[0]).digest()
    return instead(tf.block(FILE, 1, previous, content, len(CONTENTS[1]), *tf.times(CONTENTS[1]), frame=frame))


def recorded(record, times=(2 * MS, 2 * MS)):
    """Block 1 holds this one record; all CRCs and hashes hold."""
    contents = list(CONTENTS)
    contents[1] = ([record], *times)
    return whole(contents)


def with_index(at, value):
    return FILE + b"".join(BLOCKS) + tf.seal_index(INDEX[:at] + value + INDEX[at + len(value):])


def told(middle, begin=BEGIN, after=()):
    """A tape whose checksums hold and whose records are these."""
    return whole([begin, *([middle] if middle else []), [*after, end()]])


def file_defects():
    first = len(BLOCKS[0]) + 80
    yield Defect("file_magic", flipped(9), None, "not a tape", [])
    yield Defect("file_frame", flipped(0), None, "not a tape", [])
    yield Defect("file_cut", WHOLE[:30], None, "inside its FILE header, at byte 30", [])
    yield Defect("file_one_byte", WHOLE[:1], None, "inside its FILE header, at byte 1", [])
    yield Defect("file_length_huge", WHOLE[:4] + b"\xff" * 4 + WHOLE[8:], None, "4294967303 bytes", [])
    yield Defect("file_length_short", WHOLE[:4] + b"\x0a\0\0\0" + WHOLE[8:], None, "18 bytes", [])
    yield Defect("file_crc", flipped(40), None, "CRC32C of the FILE header differs", [])
    yield Defect("file_version", tf.file_header(major=2) + WHOLE[80:], None, "version 2.0", [])
    yield Defect("file_flag", tf.file_header(incompatible=4) + WHOLE[80:], None, "incompatible flags 0x00000004", [])
    yield Defect("file_of_another", OTHER + WHOLE[80:], "edited", "belongs to another", [])
    yield Defect("file_changed", tf.file_header(base=5) + WHOLE[80:], "edited", "its hash of the FILE header differs", ALL)
    yield Defect("file_alone", FILE, "torn", "no END", [])
    yield Defect("cut_in_header", WHOLE[:first + 34], "torn", "34 bytes into its header", [0])
    yield Defect("cut_in_content", WHOLE[:first + 150], "torn", "50 bytes into its", [0])
    yield Defect("cut_at_block", WHOLE[:first], "torn", "no END", [0])
    yield Defect("cut_in_index", WHOLE[:-60], "torn", "the file ends inside it", ALL)


def header_defects():
    at, b = 80 + len(BLOCKS[0]), BLOCKS[1]
    yield Defect("block_frame", flipped(at), "damaged", "no BLOCK header here", [0, 2, 3])
    yield Defect("block_tag", flipped(at + 9), "damaged", "no BLOCK header here", [0, 2, 3])
    yield Defect("block_header_crc", flipped(at + 50), "damaged", "CRC32C of its header differs", [0, 2, 3])
    yield Defect("block_content_crc", flipped(at + 130), "damaged", "CRC32C differs", [0, 2, 3])
    yield Defect("block_overwritten", instead(bytes(range(97, 123)) * 9), "damaged", "no BLOCK header here", [0, 2, 3])
    yield Defect("block_version", instead(tf.change_header(b, version=2)), None, "block version 2", [0])
    yield Defect("block_flag", instead(tf.change_header(b, flags=1)), None, "block flags 0x00000001", [0])
    yield Defect("block_salt", instead(tf.change_header(b, salt=b"salt")), "edited", "a block of another tape", [0, 2, 3])
    yield Defect("block_sequence", instead(tf.change_header(b, sequence=7)), "edited", "blocks 1 to 6 are missing", [0, 2, 3])
    yield Defect("block_packed_huge", instead(tf.change_header(b, packed=2**32 - 1)), "damaged", "4294967295 compressed", [0, 2, 3])
    short = tf.change_header(b[:-1], packed=len(b) - 101) + b[-1:]
    yield Defect("block_packed_short", instead(short), "damaged", "not exactly one zstd frame", [0, 2, 3])
    yield Defect("block_raw_huge", instead(tf.change_header(b, raw=2**32 - 1)), "damaged", "4294967295 raw", [0, 2, 3])
    yield Defect("block_raw_zero", instead(tf.change_header(b, raw=0)), "damaged", "0 raw", [0, 2, 3])
    raw = len(tf.pack(CONTENTS[1]))
    yield Defect("block_raw_other", instead(tf.change_header(b, raw=raw + 1)), "damaged", "does not claim", [0, 2, 3])
    yield Defect("block_records_zero", instead(tf.change_header(b, records=0)), "damaged", "0 records", [0, 2, 3])
    yield Defect("block_records_more", instead(tf.change_header(b, records=6)), "edited", "it holds 5 records, its header says 6", [0, 2, 3])
    yield Defect("block_records_fewer", instead(tf.change_header(b, records=4)), "edited", "it holds 5 records, its header says 4", [0, 2, 3])
    yield Defect("block_least_time", instead(tf.change_header(b, least=1)), "edited", "times of its records", [0, 2, 3])
    yield Defect("block_greatest_time", instead(tf.change_header(b, greatest=tf.NONE - 1)), "edited", "times of its records", [0, 2, 3])
    yield Defect("block_previous", instead(tf.change_header(b, previous=b"p" * 32)), "edited", "its hash of block 0 differs", ALL)
    later = tf.block(FILE, 1, tf.hashlib.sha256(BLOCKS[0]).digest(), tf.pack(answer(0, 3)), 5, 3 * MS, 7 * MS)
    yield Defect("block_changed", instead(later), "edited", "its hash of block 1 differs", ALL)


def zstd_defects():
    frame, content = BLOCKS[1][100:], tf.pack(CONTENTS[1])
    bomb = b"\x28\xb5\x2f\xfd\xa4" + struct.pack("<I", 2**30) + b"\x03\x00\x01a" + bytes(4)
    yield Defect("zstd_checksum", framed(frame[:-1] + bytes([frame[-1] ^ 1])), "damaged", "zstd: ", [0, 2, 3])
    yield Defect("zstd_no_checksum", framed(tf.zstd(content, "--no-check")), "damaged", "without checksum", [0, 2, 3])
    yield Defect("zstd_no_size", framed(tf.zstd(content, "--no-content-size")), "damaged", "does not claim", [0, 2, 3])
    stored = struct.pack("<I", len(content) << 3 | 1)[:3] + content
    wide = b"\x28\xb5\x2f\xfd\x84" + bytes([17 << 3]) + struct.pack("<I", len(content)) + stored + bytes(4)
    yield Defect("zstd_window", framed(wide), "damaged", "window above 2^20", [0, 2, 3])
    yield Defect("zstd_dictionary", framed(frame[:4] + bytes([frame[4] | 1]) + frame[5:]), "damaged", "dictionary", [0, 2, 3])
    yield Defect("zstd_garbage", framed(bytes(range(7, 207))), "damaged", "not a zstd frame", [0, 2, 3])
    yield Defect("zstd_gzip", framed(b"\x1f\x8b\x08" + bytes(7) + zlib.compress(content)), "damaged", "not a zstd frame", [0, 2, 3])
    yield Defect("zstd_skippable", framed(b"\x50\x2a\x4d\x18" + struct.pack("<I", 40) + bytes(40)), "damaged", "not a zstd frame", [0, 2, 3])
    yield Defect("zstd_cut", framed(frame[:-9]), "damaged", "not exactly one zstd frame", [0, 2, 3])
    yield Defect("zstd_two", framed(frame + frame), "damaged", "not exactly one zstd frame", [0, 2, 3])
    yield Defect("zstd_bomb", framed(bomb, bytes(2**20)), "damaged", "does not claim", [0, 2, 3])


def record_defects():
    def bad(name, record, words, times=(2 * MS, 2 * MS)):
        return Defect(name, recorded(record, times), "edited", words, [0, 2, 3])

    yield bad("record_garbage", b"\xc1\xc1\xc1", "not an array")
    yield bad("record_map", b"\x81\x05\x01", "not an array")
    yield bad("record_empty", b"\x90", "not an array")
    yield bad("record_kind_text", ["START", 0, 2 * MS], "not an array")
    yield bad("record_kind_negative", [-1, 0, 2 * MS], "not an array")
    yield bad("record_cut", tf.pack([start(0, 2)])[:-1], "START: field 2 ends early")
    yield bad("record_missing_field", [5, 0], "START: has 1 fields, needs 2")
    yield bad("record_wrong_type", [5, 0, "2"], "START: field 2")
    yield bad("record_negative_time", [5, 0, -2], "START: field 2")
    yield bad("record_nil", [5, 0, None], "START: field 2")
    yield bad("record_greatest_number", [5, 0, tf.NONE], "START: field 2 passes its limit")
    yield bad("record_request_number", [5, 2**20, 2 * MS], "START: field 1 passes its limit")
    yield bad("record_float_time", [5, 0, 2.0 * MS], "START: field 2")
    yield bad("record_text_long", plan(0, marker="m" * 65537), "PLAN: field 5 passes its limit", (tf.NONE, tf.NONE))
    yield bad("record_bytes_long", read(0, 2, bytes(65537)), "READ: field 6 passes its limit")
    yield bad("record_text_as_bytes", done(0, 2, reason=b"complete"), "DONE: field 5")
    yield bad("record_bytes_as_text", read(0, 2, "data: x"), "READ: field 6")
    yield bad("record_extension", b"\x93\x05\x00\xd4\x01\x02", "START: field 2")
    yield bad("record_array_bomb", b"\xdd\xff\xff\xff\xff\x05", "ends early")
    yield bad("record_map_bomb", b"\x96\x01\x00\xdf\xff\xff\xff\xff", "RUN: field 2 ends early", (0, 0))
    yield bad("record_text_bomb", b"\x93\x00\xdb\xff\xff\xff\xffx", "SCHEMA: field 1 ends early", (tf.NONE, tf.NONE))
    yield bad("record_nested", [5, 0, 2 * MS, [[[[1]]]]], "START: field 3 nests too deeply")
    yield bad("record_nested_new_kind", [200, [[[[1]]]]], "nests too deeply", (tf.NONE, tf.NONE))
    yield bad("record_huge", [200, bytes(524288)], "passes its limit", (tf.NONE, tf.NONE))
    yield bad("record_map_keys", [1, 0, {1: 2}, {}, {}, {}], "RUN: field 2", (0, 0))
    yield bad("record_map_nested", [1, 0, {"a": [1]}, {}, {}, {}], "RUN: field 2", (0, 0))
    yield bad("record_map_entries", [1, 0, {str(n): 0 for n in range(1025)}, {}, {}, {}], "RUN: field 2 passes its limit", (0, 0))
    yield bad("record_headers_odd", [8, 0, 2 * MS, "HTTP/1.1 200 OK", ["content-type"]], "HEAD: field 4")
    yield bad("record_headers_number", [8, 0, 2 * MS, "HTTP/1.1 200 OK", ["content-length", 5]], "HEAD: field 4")
    yield bad("record_hash_short", [3, bytes(31), 4000, 0, b""], "BLOB: field 1", (tf.NONE, tf.NONE))
    yield bad("record_timers_short", [*done(0, 2)[:9], [0] * 5, None], "DONE: field 9")
    yield bad("record_lost_list", [12, 2 * MS, 1, 1, "ring_full", ["0"]], "LOST: field 5")
    yield Defect("record_unknown_kind", recorded([99, 1], (tf.NONE, tf.NONE)), None, "record of kind 99 is not known here", [0])
    yield Defect("record_behind_end", whole([*CONTENTS[:3], [end(), [200]]]), "edited", "a record stands behind END", [0, 1, 2])


def story_defects():
    """Every checksum holds, and no recorder writes this: `verify` has nothing to say, `result` refuses."""
    def story(name, words, *args, **kw):
        return Defect("story_" + name, told(*args, **kw), "complete", words, None)

    one = answer(0, 2)
    yield story("no_run", "it stands before RUN", None, BEGIN[2:])
    yield story("nothing", "it stands before RUN", None, BEGIN[:1])
    yield story("run_twice", "a second RUN", None, [*BEGIN, run()])
    yield story("no_requests", "the run has no requests", None, [run(requests=0)])
    yield story("no_concurrency", "the run has no concurrency", None, [run(concurrency=0)])
    yield story("too_many_requests", "65537 requests", None, [run(requests=65537)])
    yield story("option_type", "option requests has a value of the wrong type", None, [run(requests="2")])
    yield story("seed", "context seed is not an integer", None, [run(context_seed="1e9")])
    yield story("nul_in_text", "the option model: a text field holds a NUL byte", None, [run(model="a\0b")])
    yield story("past_the_plan", "request 2 lies past the plan", [start(2, 3)])
    yield story("no_plan", "request 1 has no PLAN", answer(1, 12), BEGIN[:3])
    yield story("plan_twice", "a second PLAN of request 1", None, [*BEGIN, plan(1)])
    yield story("plan_warmup", "no warm-up by its number", None, [*BEGIN[:2], [*plan(0)[:6], True, None, None]])
    yield story("no_marker", "has no usable marker", None, [run(request_canaries=True), plan(0)])
    yield story("started_unbuilt", "could not be built, yet started", [start(0, 2)], [run(), plan(0, fault="too small")])
    yield story("no_start", "request 0 has no START", one[1:])
    yield story("start_twice", "a second START of request 0", [one[0], *one])
    yield story("done_twice", "had its DONE already", [*one, done(0, 9)])
    yield story("read_behind_done", "had its DONE already", [*one, read(0, 9)])
    yield story("times_backwards", "times of request 0 run backwards", [*one[:3], read(0, 3), done(0, 9)])
    yield story("run_start_twice", "a second run_start", one, [*BEGIN, event("run_start", 1)])
    yield story("run_end_twice", "a second run_end", [*one, event("run_end", 20), event("run_end", 21)])
    yield story("run_end_first", "run_end before run_start", None, [*BEGIN[:4], event("run_start", 9), event("run_end", 3)])
    yield story("start_first", "a START before run_start", one, [*BEGIN[:4], event("run_start", 5)])
    yield story("far_time", "146 years", [start(0, 2**62 // MS + 1)])
    yield story("far_realtime", "past the year 2116", None, [*BEGIN[:4], [15, MS, "run_start", 2**63, None]])
    yield story("lost_past_the_plan", "it names a request past the plan", [[12, 2 * MS, 1, 1, "ring_full", [7]]])
    yield Defect("story_base", whole(CONTENTS, tf.file_header(realtime=2**63)), "complete", "past the year 2116", None)


def end_defects():
    yield Defect("index_crc", flipped(len(WHOLE) - 25), "damaged", "CRC32C or end mark differs", ALL)
    yield Defect("index_end_mark", flipped(len(WHOLE) - 1), "damaged", "CRC32C or end mark differs", ALL)
    yield Defect("index_tag", flipped(len(WHOLE) - len(INDEX) + 8), "damaged", "is no part of a tape", ALL)
    yield Defect("index_count", with_index(24, struct.pack("<Q", 5)), "edited", "contradict the blocks", ALL)
    yield Defect("index_records", with_index(32, struct.pack("<Q", 2**64 - 1)), "edited", "contradict the blocks", ALL)
    yield Defect("index_head", with_index(40, b"h"), "edited", "contradict the blocks", ALL)
    yield Defect("index_offset", with_index(72, struct.pack("<Q", 2**63)), "edited", "its entries contradict", ALL)
    yield Defect("index_times", with_index(80, b"\x01"), "edited", "its entries contradict", ALL)
    yield Defect("index_salt", with_index(16, b"salt"), "edited", "contradict the blocks", ALL)
    yield Defect("index_place", with_index(len(INDEX) - 16, struct.pack("<Q", 80)), "edited", "another place", ALL)
    yield Defect("index_huge", with_index(4, b"\xff" * 4), "damaged", "its length cannot be", ALL)
    yield Defect("index_short", with_index(4, struct.pack("<I", 8)), "damaged", "its length cannot be", ALL)
    yield Defect("index_longer", with_index(4, struct.pack("<I", 5000)), "damaged", "the file ends inside it", ALL)
    yield Defect("index_twice", WHOLE + INDEX, "damaged", "is no part of a tape", ALL)
    yield Defect("end_missing", arranged(0, 1, 2, index=b""), "torn", "no END", [0, 1, 2])
    yield Defect("end_taken_out", arranged(0, 1, 2), "edited", "END is missing before it", [0, 1, 2])
    yield Defect("end_twice", arranged(0, 1, 2, 3, 3), "edited", "block 3 stands there", ALL)
    yield Defect("block_behind_end", arranged(0, 1, 2, 3, tf.change_header(BLOCKS[1], sequence=4)), "edited", "block 4 stands there", ALL)
    yield Defect("bytes_behind_index", WHOLE + b"and more\n", "damaged", "is no part of a tape", ALL)
    yield Defect("bytes_behind_end", arranged(0, 1, 2, 3, index=b"x" * 300), "damaged", "is no part of a tape", ALL)
    yield Defect("newline_behind_index", WHOLE + b"\n", "damaged", "is no part of a tape", ALL)
    yield Defect("zeros_at_block", arranged(0, 1, index=bytes(2000)), "torn", "nothing but zeros", [0, 1])
    yield Defect("zeros_in_block", arranged(0, 1, BLOCKS[2][:120], index=bytes(2000)), "torn", "nothing but zeros", [0, 1])
    yield Defect("zeros_in_index", arranged(0, 1, 2, 3, index=INDEX[:90] + bytes(2000)), "torn", "ends in zeros", ALL)
    yield Defect("zeros_in_the_middle", arranged(0, bytes(len(BLOCKS[1])), 2, 3), "damaged", "no BLOCK header here", [0, 2, 3])


def order_defects():
    foreign = tf.change_header(OTHER_BLOCKS[1], salt=FILE[28:32])
    yield Defect("block_missing", arranged(0, 2, 3), "edited", "it is missing: block 2 stands here", [0, 2, 3])
    yield Defect("blocks_missing", arranged(0, 3), "edited", "blocks 1 to 2 are missing: block 3 stands here", [0, 3])
    yield Defect("first_block_missing", arranged(1, 2, 3), "edited", "it is missing: block 1 stands here", [1, 2, 3])
    yield Defect("blocks_swapped", arranged(0, 2, 1, 3), "edited", "order was changed", [0, 1, 3])
    yield Defect("block_twice", arranged(0, 1, 1, 2, 3), "edited", "block 1 stands here once more", ALL)
    yield Defect("block_of_another", instead(OTHER_BLOCKS[1]), "edited", "a block of another tape", [0, 2, 3])
    yield Defect("block_of_another_salted", instead(foreign), "edited", "its hash of block 0 differs", ALL)
    yield Defect("tape_twice", WHOLE + WHOLE, "edited", "two were joined", ALL)
    yield Defect("tape_behind_torn", arranged(0, 1, index=OTHER + b"".join(OTHER_BLOCKS)), "edited", "two were joined", [0, 1])
    anew = tf.chain(FILE, [CONTENTS[0], *CONTENTS[2:]])
    yield Defect("chained_anew", FILE + b"".join(anew) + INDEX, "edited", "contradict the blocks", [0, 1, 2])
    yield Defect("chained_anew_head", FILE + b"".join(anew) + tf.index(FILE, anew), "edited", "not the published one", None, HEAD)


def head_defects():
    yield Defect("head_not_reached", arranged(0, 1, index=b""), "cut", "the published head is not reached", [0, 1], HEAD)
    yield Defect("head_of_another", WHOLE, "edited", "its head is not the published one", None, "0" * 64 + "\n")
    yield Defect("head_passed", WHOLE, "edited", "blocks stand behind the published head", None, tf.hashlib.sha256(BLOCKS[1]).hexdigest() + "\n")
    yield Defect("head_no_hash", WHOLE, "damaged", "the head file beside the tape holds no hash", None, "not a hash\n")
    yield Defect("head_short", WHOLE, "damaged", "the head file beside the tape holds no hash", None, HEAD[:63])
    yield Defect("head_long", WHOLE, "damaged", "the head file beside the tape holds no hash", None, HEAD[:64] * 60)


def foreign_defects():
    for name, data in (("empty", b""), ("json", json.dumps({"schema": "anvil-serving.benchmark/v1"}).encode() + b"\n"),
                       ("gzip", b"\x1f\x8b\x08" + bytes(7) + zlib.compress(WHOLE)), ("zstd", tf.zstd(WHOLE)), ("text", b"head\n"),
                       ("zeros", bytes(512)), ("skippable", b"\x50\x2a\x4d\x18\x08\0\0\0somebody" + tf.zstd(WHOLE))):
        yield Defect("foreign_" + name, data, None, "not a tape", [])


def text_defects():
    """Texts that would drive a terminal or lead to another file: never printed as they are."""
    evil = [BEGIN[:1] + [run(model=EVIL, engine=EVIL, connections=EVIL), plan(0, fault=EVIL), plan(1)], *CONTENTS[2:3]]
    yield Defect("text_end_reason", whole([*CONTENTS[:3], [end(reason=EVIL)]]), "complete", "", None)
    yield Defect("text_options", whole([*evil, [end()]]), "complete", "", None)
    yield Defect("text_done", whole([BEGIN, [*answer(0, 2)[:-1], done(0, 6, EVIL, EVIL)], *CONTENTS[2:]]), "complete", "", None)


def defects():
    for kind in (file_defects, header_defects, zstd_defects, record_defects, story_defects, end_defects, order_defects,
                 head_defects, foreign_defects, text_defects):
        yield from kind()


if __name__ == "__main__":
    for d in defects():
        path = os.path.join(sys.argv[1], d.name + ".tape")
        if not os.path.exists(path):
            with open(path, "wb") as f:
                f.write(d.data)
        if d.head is not None:
            with open(path + ".head", "w") as f:
                f.write(d.head)
