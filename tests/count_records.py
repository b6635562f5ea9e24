#!/usr/bin/env python3
"""A second reader of tapes, written from format/RECORDS.md alone: counts records.
usage: zstd -dc run.tape | count_records.py"""
import collections
import json
import sys

import msgpack

NAMES = {0: "SCHEMA", 1: "RUN", 2: "CLOCK", 3: "BLOB", 4: "PLAN", 5: "START", 6: "CONN", 7: "SEND", 8: "HEAD",
         9: "READ", 10: "DONE", 11: "REDACT", 12: "LOST", 13: "HOST", 14: "TURN", 15: "EVENT", 16: "SAMPLE",
         17: "END", 18: "ORIGIN", 128: "SIGN"}


def records(stream):
    """Every record of the concatenated frames, as a list."""
    unpacker = msgpack.Unpacker(stream, raw=False, unicode_errors="surrogateescape", max_buffer_size=0)
    for record in unpacker:
        if not isinstance(record, list) or not record or not isinstance(record[0], int):
            sys.exit(f"not a record: {record!r:.80}")
        yield record


def main():
    counts = collections.Counter()
    read_bytes = 0
    for record in records(sys.stdin.buffer):
        counts[NAMES.get(record[0], f"KIND{record[0]}")] += 1
        if record[0] == 9:
            read_bytes += len(record[6])
    print(json.dumps({"records": dict(sorted(counts.items())), "total": sum(counts.values()),
                      "read_bytes": read_bytes}, sort_keys=True))


main()
