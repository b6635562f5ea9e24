"""usage: check_corpus.py script FOLDER [ENDPOINT]      prints the mock's script: every stream, over every framing
       check_corpus.py check FOLDER ENDPOINT run.tape [direct|proxied|http2]
                                                     holds the run's result against what FOLDER's notes say
The streams are served by order of arrival: a run of one slot. proxied, http2: what stands between server and recorder
frames the bodies anew; a body that breaks off is a stream's error in HTTP/2."""
import glob
import json
import os
import sys

EDGES = [  # framing, bytes of a chunk, bytes of a write: never the same edges
    ("chunked", 1, 1), ("chunked", 7, 5), ("chunked", 4096, 3), ("close", 0, 11), ("length", 0, 13)]
LARGE = 4096  # a stream beyond this is cut a hundred times as coarsely


def samples(folder, endpoint="chat"):
    """Name, bytes and notes of each stream of the endpoint."""
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        notes = json.load(open(path))
        if notes["endpoint"] == endpoint:
            body = path[: -len("json")] + "sse"
            yield os.path.basename(path)[: -len(".json")], body, open(body, "rb").read(), notes


def cases(folder, endpoint="chat"):
    for name, path, body, notes in samples(folder, endpoint):
        for framing, cut, write in EDGES:
            if notes["clean_end"] or framing != "close":  # a close cannot say that it came too early
                yield name, path, body, notes, framing, cut, write


def quoted(data):
    return '"' + "".join(f"\\x{b:02x}" for b in data) + '"'


def script(folder, endpoint="chat"):
    for ordinal, (name, path, body, notes, framing, cut, write) in enumerate(cases(folder, endpoint)):
        scale = 100 if len(body) > LARGE else 1
        edges = (f" cut {cut * scale}" if cut else "") + f" write {write * scale}"
        extra = 0 if notes["clean_end"] else 5
        head = f"length={len(body) + extra}" if framing == "length" else framing
        print(f"answer {name}_{ordinal} requests {ordinal}")
        print(f"  head 200 content-type={notes['content_type'].replace(' ', '')} {head}")
        if notes["clean_end"]:
            print(f"  file {path}{edges}")
        else:
            framed = b"%x\r\n" % (len(body) + extra) + body if framing == "chunked" else body
            print(f"  send {quoted(framed)}")
            print("  wait 20ms")  # libcurl hands nothing over that one read brings together with the stream's reset
            print("  close")


def dechunked(body):
    """The payload of a chunked body, whole or broken off."""
    payload = b""
    while body:
        line, _, body = body.partition(b"\r\n")
        size = int(line or b"0", 16)
        payload, body = payload + body[:size], body[size + 2:]
    return payload


def observed(facts, row, failure, trace):
    """What the result says of one request, in the words of the notes."""
    told = row or failure["response_metadata"]
    usage = None if row else told["usage"]
    return {
        "comments": trace["comments"], "content_chunks": told["content_chunks"],
        "reasoning_chunks": told["reasoning_chunks"], "tool_call_chunks": trace["tool_call_chunks"],
        "finish_reasons": trace["finish_reasons"], "done": trace["done_ms"] is not None,
        "prompt_tokens": row["prompt_tokens"] if row else usage.get("prompt_tokens"),
        "completion_tokens": row["output_tokens"] if row else usage.get("completion_tokens"),
        "failure": failure["error_type"] if failure else None}


def expected(notes, way):
    facts = dict(notes["facts"])
    if facts["failure"] == "transport":
        facts["failure"] = "http2_error" if way == "http2" else "truncated_body"
    facts["finish_reasons"] = [reason[:128] for reason in facts["finish_reasons"]]
    return facts


def is_chunked(request):
    """What the answer's head says of its body; a head is repeated after an interim one."""
    return any(k.lower() == "transfer-encoding" and v == "chunked" for k, v in request.heads[-1]["headers"])


def check(folder, endpoint, tape_path, way="direct"):
    sys.path.insert(0, "tests")
    import tapes
    tape, document = tapes.Tape(tape_path), tapes.result(tape_path)
    rows = {r["request_index"]: r for r in document["request_timings"]}
    failures = {f["request_index"]: f for f in document["failures"]}
    wrong, not_json, events, n = [], 0, 0, 0
    for i, (name, _, body, notes, framing, cut, write) in enumerate(cases(folder, endpoint)):
        got = observed(notes, rows.get(i), failures.get(i), document["trace"]["requests"][i])
        want = expected(notes, way)
        where = f"{name} {framing} cut {cut} write {write}"
        wrong += [(where, k, "got", got[k], "not", want[k]) for k in got if got[k] != want[k]]
        raw, chunked = tape.requests[i].body(), is_chunked(tape.requests[i])
        assert way != "direct" or chunked == (framing == "chunked"), where
        if (dechunked(raw) if chunked else raw) != body:
            wrong.append((where, "the bytes on the tape are not those of the stream"))
        n, not_json, events = n + 1, not_json + want["payloads_not_json"], events + want["events"]
    assert not wrong, "\n" + "\n".join(map(str, wrong))
    assert document["requests"] == n and len(rows) + len(failures) == n
    totals = document["trace"]["tape"]
    assert totals["payloads_not_json"] == not_json, (totals["payloads_not_json"], not_json)
    assert totals["events"] == events, (totals["events"], events)
    print(f"# {n // len(EDGES)} streams over {len(EDGES)} framings: {len(rows)} rows, {len(failures)} failures,",
          f"{events} events, {not_json} of them not JSON, {totals['reads']} reads")


if sys.argv[1] == "script":
    script(*sys.argv[2:])
else:
    check(*sys.argv[2:])
