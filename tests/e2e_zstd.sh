#!/usr/bin/env bash
# A tape is a concatenation of zstd frames: zstd alone gives the records, and a reader
# that shares no code with ours counts the same ones.
. "$(dirname "$0")/lib.sh"

mock_start tests/scripts/seed.mock || exit 1
"$RECORD" capacity --base-url "$URL" --model mock --max-model-len 327680 --requests 6 --concurrency 3 --ctx-tokens 2048 \
    --request-canaries --prompt-cache-mode unique --tape "$T/run.tape" -q >"$T/out" 2>&1
ok "a run is recorded" || cat "$T/out"
zstd -q -t "$T/run.tape" 2>"$T/err"
ok "zstd tests every frame" || cat "$T/err"
zstd -dc "$T/run.tape" | "$PYTHON" tests/count_records.py >"$T/independent"
ok "an independent reader takes every record" || cat "$T/independent"
"$ANALYZE" dump "$T/run.tape" >"$T/dump"
ok "dump" || head -c 400 "$T/dump"
"$PYTHON" - "$T/dump" "$T/independent" <<'P'
import collections, json, sys, base64
counts, read_bytes = collections.Counter(), 0
for line in open(sys.argv[1]):
    r = json.loads(line)
    counts[r["kind"]] += 1
    if r["kind"] == "READ":
        read_bytes += len(base64.b64decode(r["bytes"]))
other = json.load(open(sys.argv[2]))
assert dict(counts) == other["records"], (counts, other["records"])
assert read_bytes == other["read_bytes"], (read_bytes, other["read_bytes"])
print("# figure:", sum(counts.values()), "records,", counts["READ"], "reads,", read_bytes, "bytes, counted alike")
P
ok "dump and the independent reader count the same records and bytes"
head -c $(($(stat -c %s "$T/run.tape") * 2 / 3)) "$T/run.tape" >"$T/cut.tape"
zstd -dcq "$T/cut.tape" 2>/dev/null >"$T/prefix"
zstd -dcq "$T/run.tape" >"$T/whole"
[ -s "$T/prefix" ] && cmp -n "$(stat -c %s "$T/prefix")" "$T/prefix" "$T/whole"
ok "a cut tape still gives what stood before the cut"
finish
