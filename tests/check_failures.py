"""usage: check_failures.py want SCRIPT             prints "INDEX NAME" for each answer of a mock's script
       check_failures.py judge FOLDER PART ...    holds the results of FOLDER/*.tape against FOLDER/*.want, prints a table
       check_failures.py document FILE            does the document hold the table of the code?
       check_failures.py lose IN OUT REQUEST      the tape again, with a LOST record of that request
       check_failures.py miscount IN OUT          the tape again, with one request more started than it has
A name is an error type, or "good", and behind a point what is special about it. PART: what could be played here."""
import functools
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, "tests")
import tapes

# What no server can bring about; a unit test stands for them.
NOT_PLAYED = {"client_error", "transport_error"}
OPTIONAL = {"http2_error": "http2", "no_local_port": "ports"}
SHAKY = {"event_too_large"}  # more writes than the log keeps

# Their messages count what was seen, and do not repeat the table.
OWN_WORDS = {"http_status", "redirect_refused", "in_band_error", "no_visible_output", "canary_failed",
             "controlled_output_failed", "not_sent"}


@functools.lru_cache
def table():
    return json.loads(tapes.analyze("failures", "--json"))


def wanted(script):
    for line in open(script):
        m = re.match(r"answer (\S+) (?:indexes|requests) (\d+)", line)
        if m:
            yield int(m[2]), m[1]


def read_want(path):
    return {int(i): name for i, name in (line.split() for line in open(path))}


def class_for(name):
    kind, _, special = name.partition(".")
    classes = [e["failure_class"] for e in table() if e["error_type"] == kind]
    if len(classes) == 2:  # the capture limit stands in two
        return {"canary": "request_canary_failed", "words": "controlled_output_failed"}[special]
    return classes[0]


def got_2xx(request):
    return any(re.match(r"HTTP/\S+ 2", h["status_line"]) for h in request.heads)


def judge_one(name, failure, request):
    kind, cls = name.partition(".")[0], class_for(name)
    assert (failure["error_type"], failure["failure_class"]) == (kind, cls), (name, failure)
    received = got_2xx(request)
    assert failure["response_received"] == received, (name, failure)
    assert received == ("response_metadata" in failure), (name, failure)
    if cls in ("request_error", "runner_error"):
        assert failure.get("response_timing") is None, (name, failure)
    message = failure["error_message"]
    assert 5 < len(message) <= 256 and message.isprintable() and not failure["error_message_truncated"], message
    meaning = next(e["meaning"] for e in table() if (e["error_type"], e["failure_class"]) == (kind, cls))
    assert kind in OWN_WORDS or message.startswith(meaning), (name, message)
    assert failure["performance_eligible"] is False and failure["elapsed_ms"] >= 0


def judge_bytes(where, tape, want, log):
    """Whatever a broken answer brought is on the tape."""
    for post in tapes.mock_log(log)[0]:
        i = int(post["marker"][-5:]) if post["marker"] else post["ordinal"]
        writes, request = post["writes"], tape.requests[i]
        if not writes or writes[0][2] != "head" or want[i].partition(".")[0] in SHAKY:
            continue
        sent = post["written_bytes"] - writes[0][1]
        if len(writes) == 1 and post["end"] == "answered":  # head and body in one
            sent = int(dict(request.heads[0]["headers"])["Content-Length"])
        assert len(request.body()) == sent, (where, i, want[i], len(request.body()), sent)


def judge_run(path, rows):
    where = os.path.basename(path)[:-len(".tape")]
    want = read_want(path[:-len("tape")] + "want")
    ok = (0, 1, 3)
    document, tape = tapes.result(path, ok=ok), tapes.Tape(path, ok=ok)
    failures = {f["request_index"]: f for f in document["failures"]}
    good = {i for i, name in want.items() if name.startswith("good")}
    assert sorted(r["request_index"] for r in document["request_timings"]) == sorted(good), \
        (where, [(i, want.get(i), f["error_type"]) for i, f in failures.items() if i in good or i not in want])
    assert sorted(failures) == sorted(set(want) - good), (where, sorted(set(failures) ^ (set(want) - good)))
    accounts = document["trace"]["accounts"]
    assert accounts["hold"] and accounts["planned"] == len(want) == accounts["succeeded"] + accounts["failed"] + \
        accounts["cancelled"] + accounts["not_sent"], (where, accounts)
    summary = tapes.analyze("summary", path, ok=ok).decode()
    assert "BALANCE" not in summary, summary
    assert "SERVERTEXT" not in json.dumps(document) + summary, "a text of the server's"
    for i, failure in sorted(failures.items()):
        judge_one(want[i], failure, tape.requests[i])
        rows.append((where, want[i], failure))
    log = path[:-len("tape")] + "log"
    if os.path.exists(log):
        judge_bytes(where, tape, want, log)


def judge(folder, parts):
    rows = []
    for path in sorted(glob.glob(os.path.join(folder, "*.tape"))):
        judge_run(path, rows)
    entries = {(e["error_type"], e["failure_class"]): e for e in table()}
    once = {name: (where, name, f) for where, name, f in rows}.values()
    for where, name, f in sorted(once, key=lambda r: list(entries).index((r[2]["error_type"], r[2]["failure_class"]))):
        e = entries[f["error_type"], f["failure_class"]]
        print(f"# figure: {name:38s} {f['failure_class']:24s} {e['phase']:8s} {e['fault']:7s} "
              f"{str(f['response_received']):5s} {where:9s} {f['error_message']}")
    seen = {f["error_type"] for _, _, f in rows}
    missing = {e["error_type"] for e in entries.values()} - seen - NOT_PLAYED
    missing -= {kind for kind, part in OPTIONAL.items() if part not in parts}
    assert not missing, missing
    print(f"# figure: {len(rows)} failures of {len(seen)} kinds; not played: "
          f"{', '.join(sorted({e['error_type'] for e in entries.values()} - seen))}")


def rows_of(path, section):
    """Of the table in that section of a document."""
    text = open(path).read().split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [line for line in text.split("\n") if line.startswith("| `")]


def compare(lines, told):
    for a, b in zip(lines, told):
        assert a == b, f"\ncode:     {a}\ndocument: {b}"
    assert len(lines) == len(told), (len(lines), len(told))
    print(f"# figure: {len(lines)} rows agree")


def effect(policy, reason):
    return next((e for e in ("excludes", "withholds", "warns") if reason in policy[e]), "-")


def document(path):
    """Each row of the code's tables stands in the document's, in the same order, and none besides."""
    policies = json.loads(tapes.analyze("policies", "--json"))
    compare([f"| `{r['id']}` | {r['scope']} | {' | '.join(effect(p, r['id']) for p in policies)} | "
             f"{r['failure_class'] or '-'} | {r['meaning']} | {r['inputs']} | {r['source']} |"
             for r in json.loads(tapes.analyze("reasons", "--json"))], rows_of(path, "Every reason"))
    lines = [f"| `{e['error_type']}` | {e['failure_class']} | {e['phase']} | {e['fault']} | {e['meaning']} | {e['kept']} |"
             for e in table()]
    compare(lines, rows_of(path, "How a request can fail"))


def rebuild(source, target, change):
    import tape_frames
    frames = tape_frames.Frames(open(source, "rb").read())
    contents = [(tape_frames.records_of(b), b.least, b.greatest) for b in frames.blocks]
    for block, (records, _, _) in zip(frames.blocks, contents):
        change(block.records, records)
    open(target, "wb").write(tape_frames.build(frames.file, contents))


def lose(source, target, request):
    """12 is LOST: time, count, bytes, reason, requests. It stands right before that request's DONE (10)."""
    def change(parsed, records):
        for k, r in enumerate(parsed):
            if r[0] == 10 and r[1] == request:
                records.insert(k, [12, r[2], 2, 200, b"ring_full".decode(), [request]])
                return
    rebuild(source, target, change)


def miscount(source, target):
    """17 is END: time, reason, planned, started, ..."""
    def change(parsed, records):
        for k, r in enumerate(parsed):
            if r[0] == 17:
                records[k] = [x.decode() if isinstance(x, bytes) else x for x in r[:4]] + [r[4] + 1] + r[5:]
    rebuild(source, target, change)


if __name__ == "__main__":
    command, rest = sys.argv[1], sys.argv[2:]
    if command == "want":
        for index, name in wanted(rest[0]):
            print(index, name)
    elif command == "judge":
        judge(rest[0], rest[1:])
    elif command == "document":
        document(rest[0])
    elif command == "lose":
        lose(rest[0], rest[1], int(rest[2]))
    else:
        miscount(*rest)
