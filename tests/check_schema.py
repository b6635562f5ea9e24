"""usage: check_schema.py published.json result.json [schema-exact.json] — keys, types, null rules."""
import json
import re
import sys

published = json.load(open(sys.argv[1]))
got = json.load(open(sys.argv[2]))
text = open(sys.argv[2]).read()


def kind(v):
    return "null" if v is None else "bool" if isinstance(v, bool) else type(v).__name__


def same(path, a, b, nullable):
    """b has the shape of a; where one is null the key must be one that may be."""
    if kind(a) != kind(b):
        assert "null" in (kind(a), kind(b)) and re.fullmatch(nullable, path), (path, a, b)
        return
    if isinstance(a, dict):
        assert sorted(a) == sorted(b), (path, sorted(set(a) ^ set(b)))
        for k in a:
            same(f"{path}.{k}" if path else k, a[k], b[k], nullable)


def check_shape(document):
    assert list(document) == sorted(document)
    assert set(document) - set(published) <= {"trace"} and not set(published) - set(document), set(document) ^ set(published)
    free = {"context_distribution", "failures", "request_timings", "metrics", "trace"}
    for k in published:
        if k not in free:
            # what the caller did not say is null; the window is, when unknown
            same(k, published[k], document[k], r"engine|gpu|tier|manifest|source_recipe|clock_domain_id|max_context_tokens|"
                 r"configuration_fingerprint|metrics\..*|(sampling|serve_flags)\..*|.*requested.*|thinking_mode|reasoning_effort")


def check_metrics(document):
    metrics, rows = document["metrics"], document["request_timings"]
    assert sorted(metrics) == sorted(published["metrics"]) and len(metrics) == 159
    for key, value in metrics.items():
        if kind(value) == "null" or kind(published["metrics"][key]) == "null":
            continue
        assert kind(value) == kind(published["metrics"][key]), (key, value)
    if rows:
        prefixes = {k[: -len("_samples")] for k in metrics if k.endswith("_samples")} - {
            "request_canary", "controlled_output", "prompt_token"}
        assert len(prefixes) == 11, prefixes
    for key, value in metrics.items():
        statistic = re.fullmatch(r"(.*)_(mean|stddev|mean_ci95_low|mean_ci95_high|min|max|p\d\d)(_ms)?", key)
        if not statistic or key == "prefix_cache_hit_avg" or statistic[1].endswith("_mean"):
            continue
        prefix = statistic[1]
        if f"{prefix}_samples" in metrics:
            assert (value is None) == (metrics[f"{prefix}_samples"] == 0), (key, value)


def check_rows(document):
    like = published["request_timings"][0]
    for row in document["request_timings"]:
        assert sorted(row) == sorted(like), sorted(set(row) ^ set(like))
        for k in like:
            if kind(row[k]) != kind(like[k]):
                assert "null" in (kind(row[k]), kind(like[k])), (k, row[k])
        for k in ("request_canary", "controlled_output"):
            if row[k] and like[k]:
                same(k, like[k], row[k], "controlled_output.exact_adherence")
    rows = {r["request_index"] for r in document["request_timings"]}
    failed = [f["request_index"] for f in document["failures"]]
    assert len(rows) == document["completed"] and len(failed) == document["failed"]
    assert sorted([*rows, *failed]) == list(range(document["requests"]))
    for f in document["failures"]:
        assert {"request_index", "planned_context_tokens", "failure_class", "error_type", "error_message",
                "error_message_truncated", "response_received", "performance_eligible", "elapsed_ms"} <= set(f), f
        assert f["performance_eligible"] is False and 0 < len(f["error_message"]) <= 2048
        whole = f["failure_class"] not in ("request_error", "runner_error")
        assert not whole or ("response_metadata" in f and "response_timing" in f), f


def check_text():
    """Python's own json writes the same bytes: sorted keys, two spaces, shortest doubles, ASCII."""
    assert text == json.dumps(got, sort_keys=True, indent=2) + "\n"


check_shape(got)
check_metrics(got)
check_rows(got)
check_text()
assert "trace" in got and len(published) == 41 and len(got) == 42
if len(sys.argv) > 3:  # a run with the published run's own flags: null exactly where that one is
    same("", {k: v for k, v in published.items() if k not in ("context_distribution", "request_timings", "failures")},
         {k: got[k] for k in published if k not in ("context_distribution", "request_timings", "failures")}, "")
    for mine, theirs in zip(got["request_timings"], published["request_timings"]):
        same("row", theirs, mine, "")
    exact = json.load(open(sys.argv[3]))
    assert len(exact) == 41 and {k: v for k, v in got.items() if k != "trace"} == exact
    assert got["measurement_protocol"] == published["measurement_protocol"] == "capacity-v4-reasoning"
    assert got["performance_eligible"] is True and got["serve_flags"].keys() == published["serve_flags"].keys()
print("# figure:", len(published), "keys and", len(got["metrics"]), "metrics like the published artifact, and trace;",
      got["completed"], "rows,", got["failed"], "failures")
