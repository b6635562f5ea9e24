"""usage: check_diff.py FOLDER — `tokentape-analyze diff` on the results of the fixtures, edited as other rules, other
versions and forgers would; and on what is no result."""
import copy
import json
import os
import subprocess
import sys

sys.path.insert(0, "tests")
import tapes

folder = sys.argv[1]
good = json.load(open("fixtures/good/failures.json"))
made = 0


def write(document):
    global made
    made += 1
    path = f"{folder}/{made}.json"
    with open(path, "w") as f:
        f.write(document if isinstance(document, str) else json.dumps(document, indent=2, sort_keys=True) + "\n")
    return path


def run(*args):
    r = subprocess.run([tapes.ANALYZE, "diff", *args], capture_output=True, timeout=60)
    assert len(r.stderr.splitlines()) <= 1, r.stderr
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def diff(a, b, *flags, want=1):
    """The JSON of it; the text has to agree with it on what matters."""
    paths = write(a), write(b)
    status, text, words = run(*paths, "--json", *flags)
    assert status == want, (status, words, text[:500])
    report = json.loads(text)
    status, text, words = run(*paths, *flags)
    assert status == want and text.startswith("SAME" if want == 0 else "DIFFER"), text
    unexplained = report["counts"]["unexplained"] + len(report["contradictions"])
    assert (f"{unexplained} explained by no rule" in text) == (unexplained > 0), text
    assert sum(report["counts"].values()) == report["differences"], report["counts"]
    return report, text


def edited(edit, document=good):
    document = copy.deepcopy(document)
    edit(document)
    return document


def row_of(document, index):
    return next(r for r in document["request_timings"] if r["request_index"] == index)


def moved_out(document, index, error_type="no_terminal", failure_class="stream_validation_failed"):
    """A row becomes a failure, and nothing that follows from that is put right."""
    row = row_of(document, index)
    document["request_timings"].remove(row)
    like = next(f for f in document["failures"] if f["error_type"] == "no_terminal")
    document["failures"].append({**like, "request_index": index, "response_timing": row, "error_type": error_type,
                                 "failure_class": failure_class})
    document["failures"].sort(key=lambda f: f["request_index"])
    document["trace"]["requests"][index]["reasons"] = [error_type]
    return row


# the same: whatever the file looks like by value, byte by byte only as it is written
report, text = diff(good, good, want=0)
assert report["one_tape"] and report["head"] == good["trace"]["tape"]["head"] and report["verdict"] == "same"
assert good["trace"]["tape"]["head"] in text

# a time that changed, in a row that stayed: by no rule, and first
report, text = diff(good, edited(lambda d: row_of(d, 0).update(ttft_ms=1.5)))
assert [u["path"] for u in report["unexplained"]] == ["request_timings[0].ttft_ms"] and report["moved"] == []
assert report["unexplained"][0]["request_index"] == 0 and "!       request_timings[0].ttft_ms (request 0): " in text
assert "the same analyzer and the same rules give the same bytes" in text
diff(good, edited(lambda d: row_of(d, 0).update(ttft_ms=1.5)), "--masked", "request_timings[0].ttft_ms", want=0)


def by_another_version(document):
    document["trace"]["analyzer_version"] = "9.0.0"
    moved_out(document, 0)


warned = ", ".join(good["trace"]["requests"][0]["reasons"])
# a request that another version left out: told with its reason, in one line; sums that do not follow are named
report, text = diff(good, edited(by_another_version))
assert [r["path"] for r in report["rules"]] == ["trace.analyzer_version"], report["rules"]
assert report["counts"]["unexplained"] == 0, report["unexplained"]
assert report["moved"] == [{"count": 1, "requests": [0],
                            "was": {"place": "row", "error_type": None, "failure_class": None, "reasons": warned},
                            "is": {"place": "failure", "error_type": "no_terminal",
                                   "failure_class": "stream_validation_failed", "reasons": "no_terminal"}}]
assert f"moved   1 request: row (noted: {warned}) -> no_terminal (stream_validation_failed): 0\n" in text, text
assert "made by tokentape-analyze 9.0.0" in text and "the same bytes" not in text


def with_a_sum(document):
    by_another_version(document)
    document["completed"], document["failed"] = 2, 18
    document["metrics"]["ttft_mean_ms"] *= 2


report, text = diff(good, edited(with_a_sum))
assert {c["invariant"] for c in report["contradictions"]} >= {"metrics.distributions"}, report["contradictions"]
assert all(c["result"] == "b" for c in report["contradictions"])
assert {"completed", "failed", "metrics.ttft_mean_ms"} == {h["path"] for h in report["headline"]}
assert next(h for h in report["headline"] if h["path"] == "metrics.ttft_mean_ms")["change_percent"] == 100.0
assert "  completed            3 -> 2 (-33.3 %)\n" in text, text
assert text.index("!       B contradicts itself") < text.index("moved   ") < text.index("numbers\n")
report, backwards = diff(edited(with_a_sum), good)
assert report["moved"][0]["is"]["place"] == "row" and all(c["result"] == "a" for c in report["contradictions"])

# what only follows is counted, and listed when asked for
def with_population(document):
    with_a_sum(document)
    document["metric_population"]["successful_requests"] = 2


report, text = diff(good, edited(with_population))
assert [d["path"] for d in report["derived"]] == ["metric_population.successful_requests"]
assert "derived 1 more" in text and "derived metric_population" not in text
report, text = diff(good, edited(with_population), "-v")
assert "derived metric_population.successful_requests: 3 -> 2\n" in text, text

# results under two policies differ by nothing but those: no number is without a reason, no sum without its rows
moves = 0
for name in ("failures", "plain", "reasoning"):
    tape = f"fixtures/good/{name}.tape"
    capacity = tapes.result(tape)
    others = [tapes.result(tape, "--policy", "serving-comparison")]
    policy = json.load(open("analyzer/policies/capacity.json"))
    applying = {r for request in capacity["trace"]["requests"] for r in request["reasons"]}
    for out in sorted(applying & {*policy["excludes"]}) + policy["withholds"]:
        own = {**policy, "policy": "own", **{effect: [r for r in policy[effect] if r != out]
                                             for effect in ("excludes", "withholds", "warns")}}
        others.append(tapes.result(tape, "--policy", write(own)))
    others.append(tapes.result(tape, "--strict-timing"))
    others.append(tapes.result(tape, "--max-client-error", "0,0"))
    for other in others:
        report, text = diff(capacity, other)
        assert report["counts"]["unexplained"] == 0 and not report["contradictions"], text
        assert report["counts"]["form"] == 0, text
        assert report["b"]["policy"] in ("own", "serving-comparison", "capacity") and "the same bytes" not in text
        moves += sum(group["count"] for group in report["moved"])
assert moves > 30

# many of one cause: one line, with ranges
report, text = diff(good, edited(lambda d: [moved_out(d, i) for i in (0, 18, 19)]))
assert f"moved   3 requests: row (noted: {warned}) -> no_terminal (stream_validation_failed): 0, 18-19\n" in text, text


# two tapes: said what is the same and what is not
def other(key, value):
    return edited(lambda d: d["trace"]["tape"].update({key: value}))


for document, part in (
        (other("head", "0" * 64), "the id is the same, the other is not (head "),
        (other("id", "0" * 32), "the head is the same, the other is not (id "),
        (other("origin", {"head": "1" * 64, "rules": "x"}), "of a copy"),
        (json.load(open("fixtures/good/plain.json")), "neither id nor head is the same")):
    status, text, words = run(write(good), write(document))
    assert status == 5 and not text and part in words, (status, words)

# no trace on either side: compared, but not called proven
bare = edited(lambda d: d.pop("trace"))
report, text = diff(bare, bare, want=0)
assert not report["one_tape"] and report["head"] is None and "not proven to be one" in text
report, text = diff(good, bare)
assert report["counts"]["form"] == 1 and report["differences"] == 1 and "not proven" in text
status, text, words = run(write(bare), write(edited(
    lambda d: d.update(started_at_unix_ns=d["started_at_unix_ns"] + 1, finished_at_unix_ns=d["finished_at_unix_ns"] + 1),
    bare)))
assert status == 5 and "another run" in words, words

# order and the text of numbers count, unless compared by value
text_of_good = open("fixtures/good/failures.json").read()
unsorted = write(json.dumps(good))
one = write(text_of_good)
reordered = write(json.dumps({k: good[k] for k in reversed(good)}, indent=2))
assert run(one, unsorted)[0] == 0 and run(one, reordered)[0] == 1 and run(reordered, one)[0] == 1
assert run(one, reordered, "--ulp", "0")[0] == 0 and run(reordered, reordered)[0] == 0
rewritten = write(text_of_good.replace("4.0", "4", 1))
assert run(one, rewritten)[0] == 1 and run(one, rewritten, "--ulp", "0")[0] == 0

# what is no result: named, with the reason, and no output
key = text_of_good.index('"completed"')
hostile = {
    "twice": text_of_good[:key] + '"completed": 3, ' + text_of_good[key:],
    "the number": text_of_good.replace('"completed": 3', '"completed": 1e999'),
    "depth": "[" * 600 + "]" * 600,
    "other/v9": text_of_good.replace("anvil-serving.benchmark/v1", "other/v9"),
    "object": "[]",
    "schema": "{}",
}
for part, document in hostile.items():
    bad = write(document)
    for order in ((bad, one), (one, bad)):
        status, text, words = run(*order)
        assert status == 5 and not text and bad in words and "; " in words, (part, status, words)
for word in ("NaN", "Infinity", "-", "tru"):
    status, text, words = run(one, write(text_of_good.replace('"completed": 3', f'"completed": {word}')))
    assert status == 5 and not text, (word, words)
status, text, words = run(one, write(edited(lambda d: d["request_timings"].append(row_of(d, 0)))))
assert status == 5 and "request 0 stands there twice" in words, words
status, text, words = run(one, write(edited(lambda d: row_of(d, 0).update(request_index=1 << 40))))
assert status == 5 and "request_index" in words, words
status, text, words = run(one, folder + "/nosuch.json")
assert status == 5 and "nosuch.json" in words, words
for odd in ({"request_timings": 7}, {"failures": {"a": []}}, {"trace": []}, {"trace": {"requests": [1, {}, None]}},
            {"trace": {"tape": {"head": 7}}}, {"metrics": None}, {"request_timings": [{}, [], 3]},
            {"trace": {"analyzer_version": "\u001b[31m\n", "policy": {"name": "\u202e"}}}):
    status, text, words = run(one, write({"schema": good["schema"], **odd}))
    assert status in (1, 5) and "\x1b" not in text + words and "\u202e" not in text + words, (odd, status, words)
large = write(text_of_good)
os.truncate(large, 257 << 20)
status, text, words = run(one, large)
os.remove(large)
assert status == 5 and not text and large in words, words

# usage
for line, part in ((("--masked", "a..b"), "a..b"), (("--ulp", "5000"), "5000"), (("--nosuch",), "--nosuch")):
    status, text, words = run(one, one, *line)
    assert status == 2 and not text and part in words, (line, status, words)
assert run(one)[0] == 2 and run(one, one, one)[0] == 2
status, text, words = run("--help")
assert status == 0 and "Exit status" in text and not words
