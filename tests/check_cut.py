"""usage: check_cut.py script                 prints the mock's script: a good short answer, closed after each of its bytes
       check_cut.py check run.tape mock.log  what each of those is called"""
import collections
import json
import sys

sys.path.insert(0, "tests")
import tapes

DELTA = '{"choices":[{"delta":{"content":"MARKER"}}]}'
STOP = '{"choices":[{"delta":{},"finish_reason":"stop"}]}'
EVENTS = [f"data: {x}\n\n" for x in (DELTA, STOP, "[DONE]")]
BODY = "".join(EVENTS).replace("MARKER", "ANVIL_REQ_0_00000")
FRAMINGS = {"chunked": "Transfer-Encoding: chunked", "length": f"Content-Length: {len(BODY)}", "close": "Connection: close"}


def answer(framing, index):
    """Head and body of that request's answer."""
    head, body = framed(framing)
    return head, body.replace("ANVIL_REQ_0_00000", f"ANVIL_REQ_0_{index:05d}")


def framed(framing):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{FRAMINGS[framing]}\r\n\r\n"
    if framing != "chunked":
        return head, BODY
    events = [e.replace("MARKER", "ANVIL_REQ_0_00000") for e in EVENTS]
    return head, "".join(f"{len(e):x}\r\n{e}\r\n" for e in events) + "0\r\n\r\n"


def cases():
    ordinal = 0
    for framing in FRAMINGS:
        for n in range(sum(map(len, framed(framing))) + 1):
            yield framing, *answer(framing, ordinal * 2), n
            ordinal += 1


def script():
    for ordinal, (framing, head, body, n) in enumerate(cases()):
        cut = "".join(f"\\x{ord(c):02x}" for c in (head + body)[:n])
        print(f"answer {framing}_{n} indexes {ordinal * 2}")
        if n:
            print(f'  send "{cut}"')
        print("  close")
    # between them, and under way meanwhile: a good one that takes its time
    print("answer good\n  head 200 content-type=text/event-stream chunked")
    print("  event " + DELTA.replace("MARKER", "${marker}") + "\n  repeat 7 every 2ms")
    print("    event " + DELTA.replace("MARKER", " hi") + f"\n  end\n  event {STOP}\n  done\n  finish")


def of_events(text):
    """A body that ends with its close says what its events say, the last one too if it is whole."""
    said = set()
    for block in text.split("\n\n"):
        payload = block[6:].rstrip("\n") if block.startswith("data: ") else ""
        if payload == "[DONE]":
            said.add("terminal")
            continue
        try:
            choice = json.loads(payload)["choices"][0]
        except ValueError:
            continue
        said |= {"content"} if "content" in choice["delta"] else {"terminal", "finish"}
    if "content" not in said:
        return "empty_finish" if "finish" in said else "no_output"
    return None if "terminal" in said else "no_terminal"


def expected(framing, head, body, n):
    if n < len(head):
        return "no_response"
    sent = (head + body)[len(head):n]
    if framing != "close":
        return None if sent == body else "truncated_body"
    return of_events(sent) if sent else "empty_body"


def check(tape_path, log):
    document, tape = tapes.result(tape_path), tapes.Tape(tape_path)
    rows = {r["request_index"]: r for r in document["request_timings"]}
    failures = {f["request_index"]: f for f in document["failures"]}
    posts = {int(p["marker"][-5:]): p for p in tapes.mock_log(log)[0]}
    wrong, kinds, n = [], collections.Counter(), 0
    for ordinal, case in enumerate(cases()):
        i, want = ordinal * 2, expected(*case)
        got = failures[i]["error_type"] if i in failures else None
        framing, head, body, cut = case
        kinds[want or "whole"] += 1
        n += 1
        if got != want or (i in rows) == (i in failures):
            wrong.append((framing, cut, len(head), "is", got, "not", want))
        if tape.requests[i].body() != body[:max(0, cut - len(head))].encode():
            wrong.append((framing, cut, "the bytes on the tape are not those sent"))
    for i in range(1, 2 * n, 2):
        row = rows.get(i)
        if not row or row["content_chunks"] != 8 or posts[i]["end"] != "answered":
            wrong.append((i, "a good answer was hurt", row))
    assert not wrong, wrong[:8]
    assert len(rows) + len(failures) == document["requests"] == 2 * n
    print(f"# figure: closed behind each byte: {n} answers: {dict(kinds)}; {n} others in flight, all whole")


if sys.argv[1] == "script":
    script()
else:
    check(*sys.argv[2:])
