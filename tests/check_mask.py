"""usage: check_mask.py script            prints the mock's script; the credential is in $TOKENTAPE_TEST_KEY
       check_mask.py check run.tape   holds the tape against it: what is masked, and that nothing else is
Each case is an answer, served by order of arrival: a run of one slot."""
import base64
import gzip
import json
import os
import re
import sys
import urllib.parse

KEY = os.environ["TOKENTAPE_TEST_KEY"]
EDGES = [("chunked", 1, 1), ("chunked", 2, 3), ("chunked", 7, 5), ("chunked", 64, 4096), ("close", 0, 1), ("close", 0, 13),
         ("length", 0, 7), ("length", 0, 4096)]


def b64(text, urlsafe=False):
    return (base64.urlsafe_b64encode if urlsafe else base64.b64encode)(text.encode()).decode()


FORMS = {  # how servers and proxies write text back; all of these say the key
    "plain": KEY, "bearer": "Bearer " + KEY, "percent": urllib.parse.quote(KEY, safe=""), "percent_path": urllib.parse.quote(KEY),
    "percent_lower": re.sub("%..", lambda m: m[0].lower(), urllib.parse.quote(KEY, safe="")),
    "percent_all": "".join(f"%{ord(c):02X}" for c in KEY), "base64": b64(KEY), "base64_url": b64(KEY, True),
    "base64_bearer": b64("Bearer " + KEY), "base64_basic": b64("u:" + KEY), "base64_middle": b64("xy" + KEY + "zz"),
    "json_slash": KEY.replace("/", "\\/"), "json_html": KEY.replace("+", "\\u002b").replace("=", "\\u003d"),
    "twice": KEY + KEY, "begun_again": KEY[:-1] + KEY, "thrice_begun": KEY[:9] + KEY[:12] + KEY}
HARMLESS = {  # parts of it are no credential, and stay as they are
    "first_half": KEY[: len(KEY) // 2], "all_but_the_last": KEY[:-1], "all_but_the_first": KEY[1:],
    "in_two_strings": KEY[:9] + '","' + KEY[9:], "other_case": KEY.swapcase()}


def cases():
    """name, text of the body, framing, bytes of a chunk, bytes of a write"""
    for forms, kind in ((FORMS, "says"), (HARMLESS, "spares")):
        for name, form in forms.items():
            event = 'data: {"choices":[{"index":0,"delta":{"content":"<' + form + '>"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
            for edges in EDGES:
                yield f"{kind}_{name}", event, *edges
            yield f"{kind}_{name}_at_the_end", event + ": " + form, *EDGES[len(name) % len(EDGES)]
            yield f"{kind}_{name}_alone", form, *EDGES[len(form) % len(EDGES)]


def quoted(data):
    return '"' + "".join(f"\\x{b:02x}" for b in data) + '"'


def framed(*lines):
    return quoted("\r\n".join(lines).encode())


def by_hand():
    """Places other than the body, each in an answer of its own: name, steps."""
    event = 'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\n'
    ok, stream, chunked = "HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked"
    size = f"{len(event):x}"
    yield "status_line", ["send " + framed(f"HTTP/1.1 403 {KEY} is not welcome", "Content-Length: 0", "", "")]
    yield "early_hints", ["send " + framed("HTTP/1.1 103 Early Hints", f"X-Request-Id: {KEY}", "", ok, stream, chunked, "",
                                           size, event, "0", "", "")]
    yield "headers", ["send " + framed(ok, stream, chunked, f"X-Request-Id: a-{KEY}", f"X-RateLimit-Key: {b64(KEY)}",
                                       f"Server: {FORMS['percent']}", f"Set-Cookie: {KEY}", "", size, event, "0", "", "")]
    yield "header_name", ["send " + framed(ok, stream, chunked, f"X-Request-Id-{KEY.replace(':', '')}: 1", "", size, event, "0", "", "")]
    yield "content_type", ["send " + framed(ok, f"Content-Type: text/event-stream; key={KEY}", chunked, "", size, event, "0", "", "")]
    yield "extension", ["send " + framed(ok, stream, chunked, "", f"{size};key={KEY}", event, f"0;{KEY}", "", "")]
    yield "trailer", ["send " + framed(ok, stream, chunked, "", size, event, "0", f"X-Request-Id: {KEY}", f"X-Timing: {b64(KEY)}", "", "")]
    yield "no_chunk", ["send " + framed(ok, stream, chunked, "", size, event, KEY, "", ""), "close"]
    yield "no_http", ["send " + quoted(f"{KEY} who?\r\n".encode()), "close"]
    yield "redirect", ["send " + framed("HTTP/1.1 307 Away", f"Location: /v1/{KEY}", "Content-Length: 0", "", "")]
    yield "error_body", ["head 401 content-type=application/json", "body " + quoted(json.dumps(
        {"error": {"message": f"{KEY} is no key", "type": KEY, "code": KEY}}).encode())]
    yield "error_type", ["head 200 content-type=text/event-stream chunked", f'event {{"error":{{"message":"no","type":"{KEY}"}}}}', "finish"]
    packed = gzip.compress(f"data: {KEY}\n\n".encode(), mtime=0)
    yield "compressed", ["send " + quoted("\r\n".join([ok, stream, "Content-Encoding: gzip", f"Content-Length: {len(packed)}",
                                                       "", ""]).encode() + packed)]
    yield "finish_reason", ["head 200 content-type=text/event-stream chunked",
                            f'event {{"choices":[{{"index":0,"delta":{{"content":"x"}},"finish_reason":"{KEY}"}}]}}', "finish"]


def script():
    ordinal = 0
    for name, body, framing, cut, write in cases():
        head = f"length={len(body)}" if framing == "length" else framing
        print(f"answer {name}_{ordinal} requests {ordinal}\n  head 200 content-type=text/event-stream {head}")
        print("  whole" + (f" cut {cut}" if cut else "") + f" write {write} " + quoted(body.encode()))
        ordinal += 1
    for name, steps in by_hand():
        print(f"answer {name} requests {ordinal}\n  " + "\n  ".join(steps))
        if not steps[-1] == "close" and not any(s.startswith(("finish", "body")) for s in steps):
            print("  close")
        ordinal += 1
    models = json.dumps({"data": [{"id": "mock", "max_model_len": 32768, "owned_by": KEY, "note": b64(KEY)}]})
    print("answer models GET /v1/models\n  head 200 content-type=application/json\n  body " + quoted(models.encode()))


def says(data):
    """Where data holds the key in some form, by undoing what could have been done to it."""
    key, text = KEY.encode(), data
    found = [key in text, key in text.replace(b"\\/", b"/"), key.lower() in urllib.parse.unquote_to_bytes(text).lower()]
    for run in re.findall(rb"[A-Za-z0-9+/_-]{16,}", data.replace(b"\\/", b"/")):
        plain = run.replace(b"-", b"+").replace(b"_", b"/")
        for skip in range(4):
            part = plain[skip:]
            found.append(key in base64.b64decode(part[: len(part) // 4 * 4]))
    return any(found)


def dechunked(body):
    payload, at = b"", 0
    while at < len(body):
        end = body.index(b"\r\n", at)
        size = int(body[at:end], 16)
        payload, at = payload + body[end + 2:end + 2 + size], end + 2 + size + 2
    return payload


def check_case(name, body, framing, cut, raw, redacts):
    got, sent = dechunked(raw) if framing == "chunked" else raw, body.encode()
    assert len(got) == len(sent), (name, "the length changed", got)
    if framing == "chunked" and cut < len(sent):
        assert raw.startswith(b"%x\r\n" % cut) and raw.endswith(b"\r\n0\r\n\r\n"), (name, "the framing changed")
    changed = [i for i in range(len(sent)) if got[i] != sent[i]]
    assert all(got[i:i + 1] == b"*" for i in changed), (name, got)
    if name.startswith("spares"):
        form = HARMLESS[re.sub("^spares_|_at_the_end$|_alone$", "", name)]
        if KEY.startswith(form) and sent.endswith(form.encode()):  # the body may have been cut there
            assert got == sent[:-len(form)] + b"*" * len(form) and [r["rule"] for r in redacts] == ["cut_off"], (name, got)
        elif {r["rule"] for r in redacts} - {"held"} or not redacts or cut > 2:
            assert got == sent and not redacts, (name, got)
        return 0  # (with more framing in between than is held, what could have been one is masked, and told)
    assert changed and redacts and not says(got), (name, got)
    # nothing but the form is touched: what stands before and behind it is as it was
    form = FORMS[re.sub("^says_|_at_the_end$|_alone$", "", name)].encode()
    at = sent.index(form)
    spared = len(changed) - (sent.count(form) * len(form))
    assert at <= changed[0] and changed[-1] < sent.rindex(form) + len(form) and spared <= 0, (name, got)
    for r in redacts:  # the offset counts framing, the length does not
        assert r["stream"] == "body" and raw[r["offset_bytes"]:][:1] == b"*", (name, r)
    assert sum(r["length_bytes"] for r in redacts) >= len(changed), (name, redacts)
    return 1


def check(path):
    sys.path.insert(0, "tests")
    import tapes
    tape = tapes.Tape(path)
    redacts = {}
    for r in tape.of("REDACT"):
        redacts.setdefault(r["request"], []).append(r)
    ordinal = masked = 0
    for name, body, framing, cut, write in cases():
        where = f"{name} {framing} cut {cut} write {write}"
        try:
            masked += check_case(name, body, framing, cut, tape.requests[ordinal].body(), redacts.get(ordinal, []))
        except AssertionError as e:
            raise AssertionError(where, *e.args) from None
        ordinal += 1
    for name, _ in by_hand():
        request = tape.requests[ordinal]
        everything = json.dumps([request.heads, request.done]).encode() + b"\n" + request.body()
        assert not says(everything), (name, everything)
        if name not in ("no_http", "redirect", "header_name"):  # nothing of these is kept
            assert redacts.get(ordinal), (name, everything)
        if name == "compressed":
            assert set(request.body()) == set(b"*") and redacts[ordinal][0]["rule"] == "compressed", request.body()
        ordinal += 1
    assert len(tape.requests) == ordinal, (len(tape.requests), ordinal)
    sample = tape.of("SAMPLE")[0]
    assert not says(base64.b64decode(sample["bytes"])) and b'"max_model_len": 32768' in base64.b64decode(sample["bytes"])
    print("# figure:", masked, "bodies masked,", ordinal - masked, "others;", sum(map(len, redacts.values())), "redactions")


script() if sys.argv[1] == "script" else check(sys.argv[2])
