"""usage: check_redact.py run.tape copy.tape LEVEL — what stays in a redacted copy, and what does not."""
import base64
import json
import subprocess
import sys

sys.path.insert(0, "tests")
import tapes

original, copy, level = sys.argv[1:]
records = subprocess.run(["zstd", "-dcq", copy], check=True, capture_output=True).stdout
before, after = tapes.Tape(original, ok=(0, 3)), tapes.Tape(copy, ok=(0, 3))

# texts
prompts = [json.loads(body)["messages"][0]["content"].encode() for body in before.bodies().values()]
assert prompts or before.records[-1]["kind"] != "END"
for prompt in prompts:
    for at in range(0, len(prompt) - 24, 8):
        assert prompt[at:at + 24] not in records, prompt[at:at + 24]
if level != "all-but-prompts":
    for phrase in (b"zebra", b"planted", b"lanted", b"z\\u0065bra", b"112,108,97"):
        assert phrase not in records.replace(b"planted-zebra", b""), phrase
    assert (b"planted-zebra" in records) == (level == "structure")  # ids of the server's
else:
    assert records.count(b"zebra") >= 10

# everything else: record by record
origin = after.of("ORIGIN")
head = json.loads(tapes.analyze("verify", "--json", "-q", original, ok=(0, 3)))["head"]
assert len(origin) == 1 and origin[0]["head_sha256"] == head, origin
texts = {"READ": ["bytes"], "BLOB": ["bytes"], "HEAD": ["headers"], "DONE": ["error"], "SAMPLE": ["bytes", "error"]}
mine = [r for r in after.records if r["kind"] != "ORIGIN"]
theirs = [r for r in before.records if r["kind"] != "BLOB" or r["offset_bytes"] == 0]
assert len(mine) == len(theirs)
for a, b in zip(theirs, mine):
    for key in a:
        if key in ("block", "record") or key in texts.get(a["kind"], []):
            if key == "bytes" and a["kind"] == "READ":
                assert len(base64.b64decode(a[key])) == len(base64.b64decode(b[key]))
            continue
        if key == "status_line" and level == "timing":  # the number is a verdict's, the reason is the server's text
            assert a[key].split(" ")[:2] == b[key].split(" ")[:2] and len(a[key]) == len(b[key]), (a, b)
            continue
        assert a[key] == b[key], (a, b)

# and so the result
a, b = tapes.result(original, ok=(0, 1, 3)), tapes.result(copy, ok=(0, 1, 3))
for document in (a, b):
    for key in ("blocks", "bytes", "head", "id", "origin"):
        del document["trace"]["tape"][key]
assert a == b, [k for k in a if a[k] != b[k]]
print(f"# figure: {level}: {len(mine)} records, {sum(len(p) for p in prompts)} bytes of prompts gone")
