"""usage: check_transport.py LOG TAPE key=value ...     the tape's connections, by the words below
       check_transport.py same TAPE TAPE ...          the same answers came over each way
words: http, tls (0|1), mode, via, insecure (0|1), connections (how many), lag (0|1: the kernel's stamps)"""
import re
import sys

sys.path.insert(0, "tests")
import tapes


def payload(request):
    """The body without its framing."""
    body, out = request.body(), b""
    headers = {k.lower(): v for k, v in request.heads[-1]["headers"]}
    if headers.get("transfer-encoding") != "chunked":
        return body
    while body:
        line, _, body = body.partition(b"\r\n")
        size = int(line, 16)
        out, body = out + body[:size], body[size + 2:]
    return out


def timeless(text):
    return re.sub(rb'"mock_ns":"\d+"', b"", text)


def texts(path):
    tape, document = tapes.Tape(path), tapes.result(path)
    rows = [[r[k] for k in ("request_index", "content_chunks", "reasoning_chunks", "output_tokens", "prompt_tokens",
                            "controlled_output", "request_canary")] for r in document["request_timings"]]
    return rows, [timeless(payload(tape.requests[i])) for i in sorted(tape.requests)], document["completed"]


def check_one(log, path, words):
    tape, document = tapes.Tape(path), tapes.result(path)
    posts, _ = tapes.mock_log(log)
    requests = list(tape.requests.values())
    seen = document["trace"]["connections"]
    assert len(posts) == len(requests) == document["completed"], (len(posts), len(requests), document["failures"][:1])
    found = {"http": seen["http_version"], "mode": seen["mode"], "via": seen["via"], "tls": str(int(seen["tls"] > 0)),
             "insecure": str(int(seen["insecure"])), "connections": str(len({r.conn["connection"] for r in requests})),
             "lag": str(int(any(x["lag_ns"] is not None for r in requests for x in r.reads)))}
    wrong = {k: (found[k], v) for k, v in words.items() if found[k] != v}
    assert not wrong, f"found, wanted: {wrong}"
    for r in requests:
        assert {r.conn["http"]} == {found["http"]} and (r.conn["tls"] is not None) == (found["tls"] == "1"), r.conn
        assert r.heads[-1]["status_line"].startswith("HTTP/2 " if found["http"] == "2" else "HTTP/1.1 "), r.heads
        assert found["tls"] == "0" or re.match(r"TLSv1\.\d \S+$", r.conn["tls"]), r.conn
        assert r.send["sent_bytes"] == r.plan["body_bytes"], (r.send, r.plan)
        assert (r.done["tcp"] is None) == (found["via"] == "unix_socket"), r.done
        assert r.done["reason"] == "complete" and r.done["body_bytes"] == len(r.body())


if sys.argv[1] == "same":
    first, *others = [texts(path) for path in sys.argv[2:]]
    assert first[0] and first[1]
    for path, other in zip(sys.argv[3:], others):
        for k, what in enumerate(("rows", "bytes", "completed")):
            assert first[k] == other[k], (path, what, str(first[k])[:300], str(other[k])[:300])
    print(f"# figure: {len(first[0])} answers, {sum(map(len, first[1]))} bytes, the same over {len(sys.argv) - 2} ways")
else:
    check_one(sys.argv[1], sys.argv[2], dict(word.split("=") for word in sys.argv[3:]))
