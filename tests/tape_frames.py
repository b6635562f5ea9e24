"""A second implementation of the tape's frames, written from format/FORMAT.md alone: takes tapes apart and makes
them, right ones and wrong ones. Needs python3-msgpack and the zstd command."""
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


def build(file, contents):
    """A tape without INDEX, its chain whole: contents is a list of (records, least, greatest)."""
    out, before = file, hashlib.sha256(file).digest()
    for n, (records, least, greatest) in enumerate(contents):
        content = b"".join(msgpack.packb(r, use_bin_type=True) if isinstance(r, list) else r for r in records)
        frame = zstd(content)
        header = struct.pack("<IIHHHH", 0x184D2A51, 92, *struct.unpack("<HH", b"TBLK"), 1, 0) + file[28:32]
        header += struct.pack("<QIIIIQQ", n, len(frame), len(content), len(records), 0, least, greatest) + before
        header += struct.pack("<I", crc32c(frame))
        header += struct.pack("<I", crc32c(header))
        before = hashlib.sha256(header + frame).digest()
        out += header + frame
    return out


def records_of(block):
    """The block's records as the bytes they are, so that they can be put back unchanged."""
    unpacker, at, out = msgpack.Unpacker(raw=True, max_buffer_size=1 << 20), 0, []
    unpacker.feed(block.content)
    for _ in block.records:
        unpacker.skip()
        out.append(block.content[at:unpacker.tell()])
        at = unpacker.tell()
    return out
