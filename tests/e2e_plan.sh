#!/usr/bin/env bash
# The frozen campaign's command lines are accepted as they stand; seeds and prompts are what they have to be.
. "$(dirname "$0")/lib.sh"

"$PYTHON" - "$RECORD" "$T" <<'P'
import json, os, subprocess, sys
record, folder = sys.argv[1:]
plan = json.load(open("fixtures/campaign-plan.json"))
bad = 0
for cell in plan["matrix"]:
    argv = cell["argv"][cell["argv"].index("--base-url"):]
    r = subprocess.run([record, "capacity", *argv, "--dry-run"], cwd=folder, capture_output=True, text=True, timeout=60)
    if r.returncode != 0 or not r.stdout or r.stderr:
        bad += 1
        print("#", cell["id"], r.returncode, r.stderr[:200])
print("# figure:", len(plan["matrix"]), "argument lists,", bad, "refused; files left:", os.listdir(folder))
sys.exit(1 if bad or len(plan["matrix"]) != 48 or os.listdir(folder) else 0)
P
ok "all 48 argument lists of the campaign plan pass --dry-run and leave no file"

mock_start tests/scripts/plain.mock --max-model-len 327680 || exit 1
# record NAME SEED OPTIONS ...: one run, its bodies as JSON lines
record() {
    local name=$1 seed=$2
    shift 2
    "$RECORD" capacity --base-url "$URL" --model mock --max-model-len 327680 --max-tokens 64 --concurrency 4 \
        --prompt-cache-mode unique --seed "$seed" --tape "$T/$name.tape" -q "$@" >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
    "$ANALYZE" dump "$T/$name.tape" >"$T/$name.dump"
}
record a 7 --requests 6 --ctx-tokens 1024 && record b 7 --requests 6 --ctx-tokens 1024 &&
    record c 8 --requests 6 --ctx-tokens 1024
ok "three runs"
"$PYTHON" - "$T" <<'P'
import base64, json, os, sys
def prompts(name):
    bodies = {}
    for line in open(os.path.join(sys.argv[1], name + ".dump")):
        r = json.loads(line)
        if r["kind"] == "BLOB":
            bodies[r["sha256"]] = bodies.get(r["sha256"], b"") + base64.b64decode(r["bytes"])
    return sorted(json.loads(b)["messages"][0]["content"] for b in bodies.values()), sorted(bodies)
(a, ha), (b, hb), (c, hc) = prompts("a"), prompts("b"), prompts("c")
assert len(a) == len(c) == 6 and ha == hb and a == b, "the same seed does not give the same bodies"
assert not set(ha) & set(hc)
assert all(len(p) == 1024 * 3 for p in a + c), [len(p) for p in a + c]
worst = 0
for p in a:
    for q in c:
        n = os.path.commonprefix([p, q])
        worst = max(worst, len(n))
        assert "\n" not in n, "the whole header line is shared: " + n
for i, p in enumerate(a):
    for q in a[:i]:
        assert "\n" not in os.path.commonprefix([p, q])
print("# figure: longest shared prefix between seeds:", worst, "chars of the header line")
P
ok "the same seed gives the same bodies; other seeds share no prefix beyond the header's fixed words"

record d 42 --requests 64
ok "64 sampled contexts are recorded"
"$PYTHON" - "$T" <<'P'
import json, os, random, sys
# the documented distribution, drawn by CPython itself
bounds = [(0.218, 16000), (0.602, 32768), (0.906, 65536), (0.995, 131072), (1.0, 262144)]
rng = random.Random(42)
want = [min(next(c for b, c in bounds if u <= b), 327680 - 64 - 1024) for u in (rng.random() for _ in range(64))]
got = {}
for line in open(os.path.join(sys.argv[1], "d.dump")):
    r = json.loads(line)
    if r["kind"] == "PLAN":
        got[r["request"]] = r["context_tokens"]
assert [got[i] for i in range(64)] == want, (got, want)
print("# figure: 64 contexts of seed 42 as CPython draws them:", {c: want.count(c) for c in sorted(set(want))})
P
ok "they are the draws of CPython's random.Random(42) through the bounds"
finish
