"""usage: check_whatif.py FOLDER — what `whatif` says of the fixtures is what full results under those policies say:
every number, every request that moves, for each policy, without each of its reasons, and on the complete text."""
import glob
import json
import subprocess
import sys

sys.path.insert(0, "tests")
import tapes

folder = sys.argv[1]
policies = {name: json.load(open(f"analyzer/policies/{name}.json")) for name in ("capacity", "serving-comparison")}
compared = 0


def whatif(*args, want=(0, 1)):
    r = subprocess.run([tapes.ANALYZE, "whatif", "-q", *args], capture_output=True, timeout=120)
    assert r.returncode in want and not r.stderr, (args, r.returncode, r.stderr)
    return r.stdout.decode()


def own_file(name, without=None, capture=None):
    """A policy of one's own that is the built-in one but for what is asked for."""
    policy = json.loads(json.dumps(policies[name]))
    policy["policy"] = "own"
    for effect in ("excludes", "withholds", "warns"):
        policy[effect] = [r for r in policy[effect] if r != without]
    if without == "finish_reason_not_allowed":
        del policy["parameters"]["finish_reasons"]
    if capture:
        policy["parameters"]["capture"] = capture
    path = f"{folder}/own.json"
    json.dump(policy, open(path, "w"))
    return path


def at(document, path):
    for key in path.split("."):
        document = document[key]
    return document


def place(document):
    """Of each request: None for a row, else what its failure says."""
    places = {r["request_index"]: None for r in document["request_timings"]}
    places.update({f["request_index"]: (f["failure_class"], f["error_type"]) for f in document["failures"]})
    return places


def compare(tape, base, arm, full):
    """The arm of a variant against the full result under the same policy; `base`: that of the base."""
    global compared
    assert len(arm["headline"]) > 20 and arm["tape"] == tape
    for number in arm["headline"]:
        assert number["is"] == at(full, number["path"]) and number["was"] == at(base, number["path"]), (tape, number)
        compared += 1
    assert arm["counting"] == len(full["request_timings"]) and arm["requests"] == full["requests"]
    assert sum(arm["excluded"].values()) == len(full["failures"])
    first = [r["reasons"][0] for r in full["trace"]["requests"] if place(full)[r["request_index"]]]
    assert arm["excluded"] == {r: first.count(r) for r in first}, (tape, arm["excluded"])
    was, now = place(base), place(full)
    moved = {}
    for group in arm["moved"]:
        assert group["count"] == len(group["requests"]) and group["requests"] == sorted(group["requests"])
        for i in group["requests"]:
            sides = [(s["failure_class"], s["error_type"]) if s["place"] == "failure" else None
                     for s in (group["was"], group["is"])]
            assert i not in moved and sides == [was[i], now[i]], (tape, i, group)
            moved[i] = sides
    assert {i for i in was if was[i] != now[i]} <= moved.keys(), tape
    assert arm["in"] == sum(1 for s in moved.values() if s[0] and not s[1])
    assert arm["out"] == sum(1 for s in moved.values() if not s[0] and s[1])
    assert arm["otherwise"] == len(moved) - arm["in"] - arm["out"]


def chunks(items, n):
    return [items[i:i + n] for i in range(0, len(items), n)]


tape_paths = sorted(glob.glob("fixtures/good/*.tape"))
for tape in tape_paths:
    results = {name: tapes.result(tape, "--policy", name) for name in policies}
    # one policy alone is a variant of the standard; of two the first is the base
    report = json.loads(whatif(tape, "--policy", "serving-comparison", "--json"))
    assert report["base"]["policy"]["name"] == "capacity" and len(report["variants"]) == 1
    compare(tape, results["capacity"], report["variants"][0]["arms"][0], results["serving-comparison"])
    compare(tape, results["capacity"], report["base"]["arms"][0], results["capacity"])
    report = json.loads(whatif(tape, "--policy", "serving-comparison", "--policy", "capacity", "--json"))
    assert report["base"]["policy"]["name"] == "serving-comparison" and len(report["variants"]) == 1
    compare(tape, results["serving-comparison"], report["variants"][0]["arms"][0], results["capacity"])
    for name in policies:
        base = ["--policy", name, "--policy", name]
        reasons = policies[name]["excludes"] + policies[name]["withholds"]
        for some in chunks(reasons, 15):
            flags = [word for r in some for word in ("--without", r)]
            report = json.loads(whatif(tape, *base, *flags, "--full-capture", "--json"))
            assert len(report["variants"]) == 1 + len(some) + 1
            assert report["variants"][0]["arms"][0]["moved"] == []
            for r, variant in zip(some, report["variants"][1:]):
                assert variant["label"] == f"--without {r}" and variant["policy"]["without"] == [r]
                compare(tape, results[name], variant["arms"][0], tapes.result(tape, "--policy", own_file(name, r)))
        full = tapes.result(tape, "--policy", own_file(name, capture="complete"))
        assert report["variants"][-1]["label"] == "--full-capture"
        compare(tape, results[name], report["variants"][-1]["arms"][0], full)

    for limit in ("5,1", "0,0"):
        flags = ["--strict-timing", "--max-client-error", limit]
        report = json.loads(whatif(tape, *flags, "--json"))
        compare(tape, results["capacity"], report["variants"][0]["arms"][0], tapes.result(tape, *flags))

# arms: a rule that takes more from one than from another, and what a policy asks of all of them
pair = ["fixtures/good/failures.tape", "fixtures/good/reasoning.tape"]
report = json.loads(whatif(*pair, "--policy", "serving-comparison", "--json"))
uneven = {u["reason"]: u["taken"] for u in report["base"]["uneven"]}
assert uneven["canary_failed"] == [1, 0] and uneven["http_status"] == [4, 0], uneven
assert report["base"]["between_arms"] is None
between = report["variants"][0]["between_arms"]
assert (between["reason"], between["effect"]) == ("measurement_protocol_differs", "withholds"), between
text = whatif(*pair, "--policy", "serving-comparison")
assert "warning: measurement_protocol_differs: " in text and "canary_failed: 1 of 20 (5.0 %), 0 of 8 (0.0 %)" in text, text
report = json.loads(whatif(pair[0], pair[0], "--policy", "serving-comparison", "--json"))
assert report["base"]["uneven"] == [] and report["variants"][0]["between_arms"] is None

# a status as that of `result` under the base: the worst of the arms
subprocess.run([tapes.ANALYZE, "whatif", "-q", "fixtures/good/plain.tape", "--full-capture"], check=True, capture_output=True)
whatif(*pair, "--full-capture", want=(1,))
whole = open(pair[1], "rb").read()
torn = f"{folder}/torn.tape"
open(torn, "wb").write(whole[:len(whole) // 2])
whatif(torn, pair[0], "--full-capture", want=(3,))
for command in (["whatif", "--full-capture"], ["explain", "--run"]):  # each of the tapes is told of, in one line
    r = subprocess.run([tapes.ANALYZE, *command, torn, pair[0], torn], capture_output=True, timeout=60)
    notes = r.stderr.decode().splitlines()
    assert r.returncode == 3 and len(notes) == 2 and all(f"{torn} is torn" in n for n in notes), (command, r.stderr)

# refused: named, with what is near or where to look
for args, status, part in ((["--without", "canry_failed"], 2, "near it: canary_failed"),
                           (["--without", "zzzzzzzzzzzz"], 2, "tokentape-analyze reasons"),
                           (["--without", "no_row"], 2, "no_row"),
                           (["--without", "marker_not_first"], 2, "capacity does not name"),
                           (["--policy", "sever-comparison"], 2, "serving-comparison"),
                           (["--policy", f"{folder}/nosuch.json"], 5, "nosuch.json"),
                           (["--policy", "fixtures/good/plain.json"], 2, "plain.json"),
                           ([], 2, "--full-capture"),
                           (["--full-capture", f"{folder}/gone.tape"], 5, "gone.tape"),
                           (["--full-capture", "fixtures/good/plain.json"], 5, "plain.json"),
                           (["--without", "canary_failed"] * 16, 2, "15"),
                           (["--full-capture"] + [pair[0]] * 16, 2, "16 at the most")):
    r = subprocess.run([tapes.ANALYZE, "whatif", pair[0], *args], capture_output=True, timeout=60)
    assert r.returncode == status and not r.stdout and part in r.stderr.decode(), (args, r.returncode, r.stderr)
    assert len(r.stderr.splitlines()) == 1, r.stderr
print(f"# figure: {compared} numbers compared with those of full results")
