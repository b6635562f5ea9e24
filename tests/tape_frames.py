"""A second implementation of the tape's frames, written from format/FORMAT.md alone: takes tapes apart and makes
them, right ones and wrong ones. Needs python3-msgpack and the zstd command."""
import functools
import hashlib
import struct
import subprocess
import tempfile

import msgpack

TABLE = []
for _i in range(256):
    _c = _i
    for _ in range(8):
        _c = _c >> 1 ^ (0x82F63B78 if _c & 1 else 0)
    TABLE.append(_c)


def crc32c(data):
    c = 0xFFFFFFFF
    for b in data:
        c = c >> 8 ^ TABLE[(c ^ b) & 255]
    return c ^ 0xFFFFFFFF


@functools.lru_cache(256)
def zstd(data, *flags):
    """By way of a file: only then the frame says how large its content is."""
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        return subprocess.run(["zstd", "-qc", *flags, f.name], stdout=-1, check=True).stdout


class Block:
    """One block: header fields, frame and records as lists."""

    def __init__(self, header, frame, at):
        self.at, self.end = at, at + len(header) + len(frame)
        self.header, self.frame = header, frame
        self.content = zstd(frame, "-d")
        unpacker = msgpack.Unpacker(raw=True, max_buffer_size=1 << 20)
        unpacker.feed(self.content)
        self.records = list(unpacker)
        self.least, self.greatest = struct.unpack_from("<QQ", header, 44)


class Frames:
    """FILE, blocks and what follows; checks nothing but lengths."""

    def __init__(self, data):
        size = struct.unpack_from("<I", data, 4)[0] + 8
        self.file, self.blocks, at = data[:size], [], size
        while data[at:at + 4] == b"\x51\x2a\x4d\x18":
            packed = struct.unpack_from("<I", data, at + 28)[0]
            self.blocks.append(Block(data[at:at + 100], data[at + 100:at + 100 + packed], at))
            at = self.blocks[-1].end
        self.index = data[at:]

    def head(self):
        h = hashlib.sha256(self.file).digest()
        for b in self.blocks:
            h = hashlib.sha256(b.header + b.frame).digest()
        return h.hex()


def check(data):
    """Everything that stands in a whole tape, against FORMAT.md. Returns the frames."""
    t = Frames(data)
    assert t.file[8:16] == b"\x89TAPE\r\n\x1a" and struct.unpack_from("<HHII", t.file, 16) in ((1, 0, 0, 0), (1, 1, 0, 0))
    assert crc32c(t.file[:76]) == struct.unpack_from("<I", t.file, 76)[0] and len(t.file) == 80
    before = hashlib.sha256(t.file).digest()
    for n, b in enumerate(t.blocks):
        tag, version, zero, salt, number, packed, raw, records, flags = struct.unpack_from("<4sHH4sQIIII", b.header, 8)
        assert (tag, version, zero, salt, number, flags) == (b"TBLK", 1, 0, t.file[28:32], n, 0), n
        assert (packed, raw, records) == (len(b.frame), len(b.content), len(b.records)), n
        assert b.header[60:92] == before and struct.unpack_from("<II", b.header, 92) == (crc32c(b.frame), crc32c(b.header[:96])), n
        before = hashlib.sha256(b.header + b.frame).digest()
    assert [r[0] for b in t.blocks for r in b.records].count(17) == 1 == len(t.blocks[-1].records)
    i = t.index
    assert i[:4] == b"\x52\x2a\x4d\x18" and i[8:16] == b"TIDX\x01\x00\x28\x00" and i[-8:] == b"TAPEIDX\n"
    assert struct.unpack_from("<QQ", i, 24) == (len(t.blocks), sum(len(b.records) for b in t.blocks)) and i[40:72] == before
    assert struct.unpack_from("<IQ", i, len(i) - 20) == (crc32c(i[:-20] + i[-16:]), len(data) - len(i))
    for n, b in enumerate(t.blocks):
        assert struct.unpack_from("<QQQIII", i, 72 + 40 * n) == (b.at, b.least, b.greatest, len(b.records), len(b.frame), len(b.content))
    return t


NONE = 2**64 - 1
TIME_AT = {1: 1, 2: 1, 5: 2, 6: 2, 7: 2, 8: 2, 9: 2, 10: 2, 12: 1, 13: 1, 14: 1, 15: 1, 16: 2, 17: 1}
HEADER = struct.Struct("<II4sHH4sQIIIIQQ32s")
FIELDS = "magic length tag version zero salt sequence packed raw records flags least greatest previous".split()


def pack(records):
    """Records as lists, or as the bytes they are."""
    return b"".join(r if isinstance(r, bytes) else msgpack.packb(r, use_bin_type=True) for r in records)


def times(records):
    seen = [r[TIME_AT[r[0]]] for r in records if isinstance(r, list) and r[0] in TIME_AT]
    return (min(seen), max(seen)) if seen else (NONE, NONE)


def file_header(tape_id=b"\xa0" * 16, major=1, minor=0, compatible=0, incompatible=0, base=10**9, realtime=17 * 10**17):
    h = struct.pack("<II", 0x184D2A50, 72) + b"\x89TAPE\r\n\x1a" + struct.pack("<HHII", major, minor, compatible, incompatible)
    h += tape_id + b"\xb0" * 16 + struct.pack("<QQ", base, realtime)
    return h + struct.pack("<I", crc32c(h))


def sealed(header, frame):
    """CRCs that hold, whatever the header says."""
    header += struct.pack("<I", crc32c(frame))
    return header + struct.pack("<I", crc32c(header)) + frame


def block(file, sequence, previous, content, records, least, greatest, frame=None, **change):
    """A block with its header; `change` names fields that say something else."""
    frame = zstd(content) if frame is None else frame
    fields = dict(magic=0x184D2A51, length=92, tag=b"TBLK", version=1, zero=0, salt=file[28:32], sequence=sequence, flags=0,
                  packed=len(frame), raw=len(content), records=records, least=least, greatest=greatest, previous=previous)
    fields.update(change)
    return sealed(HEADER.pack(*(fields[name] for name in FIELDS)), frame)


def change_header(block_bytes, **change):
    """The block with fields changed, its CRCs made good, the chain left as it is."""
    fields = dict(zip(FIELDS, HEADER.unpack_from(block_bytes)))
    fields.update(change)
    return sealed(HEADER.pack(*(fields[name] for name in FIELDS)), block_bytes[100:])


def chain(file, contents):
    """The blocks of a tape, each sealed and chained: contents is a list of (records, least, greatest), or of records."""
    out, before = [], hashlib.sha256(file).digest()
    for n, content in enumerate(contents):
        records, least, greatest = content if isinstance(content, tuple) else (content, *times(content))
        out.append(block(file, n, before, pack(records), len(records), least, greatest))
        before = hashlib.sha256(out[-1]).digest()
    return out


def build(file, contents):
    """A tape without INDEX, its chain whole."""
    return file + b"".join(chain(file, contents))


def seal_index(index_bytes):
    return index_bytes[:-20] + struct.pack("<I", crc32c(index_bytes[:-20] + index_bytes[-16:])) + index_bytes[-16:]


def index(file, blocks):
    """The INDEX that belongs behind these blocks."""
    at, entries, records = len(file), b"", 0
    for b in blocks:
        f = dict(zip(FIELDS, HEADER.unpack_from(b)))
        entries += struct.pack("<QQQIIII", at, f["least"], f["greatest"], f["records"], f["packed"], f["raw"], f["flags"])
        at, records = at + len(b), records + f["records"]
    head = struct.pack("<II4sHH4sI", 0x184D2A52, 84 + 40 * len(blocks), b"TIDX", 1, 40, file[28:32], 0)
    head += struct.pack("<QQ", len(blocks), records) + hashlib.sha256(blocks[-1] if blocks else file).digest()
    return seal_index(head + entries + bytes(4) + struct.pack("<Q", at) + b"TAPEIDX\n")


def records_of(block):
    """The block's records as the bytes they are, so that they can be put back unchanged."""
    unpacker, at, out = msgpack.Unpacker(raw=True, max_buffer_size=1 << 20), 0, []
    unpacker.feed(block.content)
    for _ in block.records:
        unpacker.skip()
        out.append(block.content[at:unpacker.tell()])
        at = unpacker.tell()
    return out
