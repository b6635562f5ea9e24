"""usage: check_explain.py TAPE POLICY
Each verdict of explain is that of result, each piece of evidence is the record that dump prints there."""
import base64
import json
import sys

sys.path.insert(0, "tests")
import tapes

tape, policy = sys.argv[1:3]
OK = (0, 1, 3)
records = [json.loads(line) for line in tapes.analyze("dump", tape, ok=OK).decode().splitlines()]
by_number = {r["record"]: r for r in records}
document = json.loads(tapes.analyze("result", tape, "--policy", policy, ok=OK))
OUTCOMES = {"pass", "fail", "not applicable"}


def explain(*flags):
    return json.loads(tapes.analyze("explain", tape, "--policy", policy, "--json", *flags, ok=OK))


def is_of(record, request):
    if record["kind"] == "LOST":
        return request in record["requests"]
    return record["kind"] in ("RUN", "END", "EVENT") or record["request"] == request


def body_range(request, first, last):
    """Bytes of the request's body in the reads from record `first` to record `last`."""
    at = start = end = 0
    for r in records:
        if r["kind"] != "READ" or r["request"] != request:
            continue
        n = len(base64.b64decode(r["bytes"]))
        if r["record"] == first:
            start = at
        at += n
        if r["record"] == last:
            end = at
    return start, end


def check_rule(rule, request, seen):
    assert rule["outcome"] in OUTCOMES and rule["seen"] and rule["meaning"] and rule["source"] and rule["inputs"], rule
    assert (rule["wanted"] is None) == (rule["outcome"] == "not applicable"), rule
    evidence = rule["evidence"]
    if evidence is None:
        return
    seen.append(rule["id"])
    for end in ("first", "last"):
        told, record = evidence[end], by_number[evidence[end]["record"]]
        assert record["kind"] == evidence["kind"] and record["block"] == told["block"], (rule, record)
        assert record.get("time_ns", record.get("first_ns")) == told["time_ns"] or evidence["kind"] in ("PLAN", "SEND"), \
            (rule, record)
        assert request is None or is_of(record, request), (rule, record)
    first, last = evidence["first"]["record"], evidence["last"]["record"]
    if evidence["kind"] == "READ":
        assert (evidence["body_from"], evidence["body_to"]) == body_range(request, first, last), rule
        between = [r for r in records if r["kind"] == "READ" and r["request"] == request and first <= r["record"] <= last]
        assert len(between) == evidence["records"], rule


failures = {f["request_index"]: f for f in document["failures"]}
traced = {r["request_index"]: r for r in document["trace"]["requests"]}
seen = []
for index in range(document["requests"]):
    told = explain("--request", str(index))["requests"]
    assert len(told) == 1 and told[0]["request_index"] == index
    told = told[0]
    assert told["counts"] == (index not in failures)
    assert told["error_message"] == failures.get(index, {}).get("error_message")
    for rule in told["rules"]:
        check_rule(rule, index, seen)
    broken = [r["id"] for r in told["rules"] if r["outcome"] == "fail"]
    dropped = set(broken) - set(traced[index]["reasons"])  # warnings about rows, of what is none
    assert set(traced[index]["reasons"]) <= set(broken) and dropped <= {"usage_missing", "no_row"}, (broken, traced[index])
    assert told["counts"] or told["reason"] == traced[index]["reasons"][0]
    excluding = [r["id"] for r in told["rules"] if r["outcome"] == "fail" and r["effect"] == "excludes"]
    assert told["counts"] == (not excluding), (index, excluding)
    words = tapes.analyze("explain", tape, "--policy", policy, "--request", str(index), ok=OK).decode()
    assert words.count("FAIL  ") == len(broken), words
    assert f"request {index} " + ("counts" if told["counts"] else f"is out: {told['reason']} ") in words, words

everything = explain()
assert [r["request_index"] for r in everything["requests"]] == list(range(document["requests"]))
for told in everything["requests"]:
    assert (told["rules"] is None) == told["counts"]
    for rule in told["rules"] or []:
        check_rule(rule, told["request_index"], seen)
    assert told["counts"] or sorted(r["id"] for r in told["rules"]) == sorted(traced[told["request_index"]]["reasons"])

run = explain("--run")
assert run["requests"] == []
for rule in run["run"]:
    check_rule(rule, None, seen)
rules = {r["id"]: r for r in run["run"]}
assert (run["throughput_withheld"] is None) == (document["metrics"]["throughput_tok_s"] is not None), run
reasoning = document["measurement_protocol"] == "capacity-v4-reasoning"
assert (rules["protocol_reasoning"]["outcome"] == "fail") == reasoning
assert document["measurement_protocol"] in rules["protocol_reasoning"]["seen"]
lines = tapes.analyze("explain", tape, "--policy", policy, "-v", ok=OK).decode().splitlines()
assert len([line for line in lines if line.startswith("request ")]) == document["requests"]
print(f"# figure: {len(seen)} pieces of evidence of {len(set(seen))} reasons stand where dump prints them")
