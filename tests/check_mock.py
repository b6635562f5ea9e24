"""usage: check_mock.py PORT mock.log — the mock server seen through plain sockets."""
import json
import re
import socket
import sys
import time

port, log_path = int(sys.argv[1]), sys.argv[2]
MARKER = "ANVIL_REQ_-12_00007"
PROMPT = f"ANVIL_REQ_-12_00001 old. Begin with {MARKER} and then exactly 5 copies of code"


def connect():
    s = socket.create_connection(("127.0.0.1", port), timeout=10)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def request(prompt=PROMPT, path="/v1/chat/completions", method="POST"):
    body = json.dumps({"messages": [{"role": "user", "content": prompt}], "max_tokens": 64}).encode()
    return (f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: {len(body)}\r\n\r\n"
            ).encode() + body


def read_until(s, end, pieces=None):
    data = b""
    while not data.endswith(end):
        piece = s.recv(65536)
        if not piece:
            break
        data += piece
        if pieces is not None:
            pieces.append((time.clock_gettime_ns(time.CLOCK_MONOTONIC), piece))
    return data


def ask(s, end=b"\r\n0\r\n\r\n", pieces=None, **kw):
    s.sendall(request(**kw))
    return read_until(s, end, pieces)


s = connect()
# 0: four edges, 50 ms apart: what is joined comes together, what is apart comes apart
pieces = []
head, _, body = ask(s, pieces=pieces).partition(b"\r\n\r\n")
assert head == b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked", head
stamp = re.search(rb'0 00007 5 (\d{19})"', body)[1]
want = (b'5\r\nda' b'ta:\r\n' + b'2d\r\ndata: {"a":"0 00007 5 ' + stamp + b'"}\n\n\r\n' +
        b'25\r\ndata: {"b":"ANVIL_|REQ_-1|2_00007"}\n\n\r\n' b'5\r\n\x00\xff\t"\\\r\n0\r\n\r\n')
assert body == want, (body, want)
bodies = [p for _, p in pieces[1:]]
assert bodies[0] == b"5\r\nda" and bodies[1] == b"ta:\r\n" and bodies[2].count(b"data: ") == 2, bodies
gaps = [b - a for (a, _), (b, _) in zip(pieces, pieces[1:])]
assert all(g > 10_000_000 for g in gaps[:4]), gaps
assert int(stamp) <= pieces[3][0]
# 1: paced against script time: the last of 50 is due 196 ms behind the first, whatever happened between
events = [json.loads(e) for e in re.findall(rb"data: (.*)\n\n", ask(s))]
assert [e["i"] for e in events] == list(range(50))
stamps = [int(e["ns"]) for e in events]
late = [t - stamps[0] - k * 4_000_000 for k, t in enumerate(stamps)]
assert min(late) > -50_000_000 and sorted(late)[25] < 20_000_000, late
# 2 to 3: fixed lengths, headers, values of the request
assert ask(s, end=b"56789").endswith(b"Content-Length: 10\r\n\r\n0123456789")
answer = ask(s, end=b"}")
assert answer == (b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 7\r\n"
                  b"X-Marker: " + MARKER.encode() + b"\r\nContent-Length: 25\r\n\r\n" b'{"n":3,"auth":"Bearer k"}'), answer
# 4: a body that ends with the connection, byte by byte
pieces = []
assert ask(s, end=b"never", pieces=pieces).endswith(b"\r\n\r\ndrip") and s.recv(1) == b""
assert [p for _, p in pieces][-4:] == [b"d", b"r", b"i", b"p"], pieces
# 5: reset; 6: cut short
s = connect()
try:
    ask(s, end=b"never")
    raise AssertionError("no reset")
except ConnectionResetError:
    pass
s = connect()
assert ask(s, end=b"never").endswith(b"short")
# 7: a text cut into chunks and writes of other sizes
s = connect()
body = ask(s).partition(b"\r\n\r\n")[2]
assert body == b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in (b"dat", b"a: ", b"who", b"le\n", b"\n")) + b"0\r\n\r\n", body
# 8: loops in loops
assert b"".join(re.findall(rb"1\r\n(.)\r\n", ask(s))) == b"012;012;"
# 9, 10: requests that came together are answered one after the other
s.sendall(request() + request())
data = read_until(s, b"1\r\nw\r\n0\r\n\r\n")
assert data.count(b"HTTP/1.1 200 OK") == 2 and data.count(b"flood ") == 200000 and data.count(b"1\r\nw\r\n") == 5
# 11: words by the prompt; GET and paths
s.sendall(b"GET /elsewhere/x HTTP/1.1\r\nHost: x\r\n\r\n")
assert b"X-Who: elsewhere" in read_until(s, b"\r\n\r\n")
s.sendall(b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
assert json.loads(read_until(s, b"}]}").partition(b"\r\n\r\n")[2]) == {
    "object": "list", "data": [{"id": "self", "object": "model", "max_model_len": 4096}]}
s.sendall(b"DELETE /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
assert read_until(s, b"\n").startswith(b"HTTP/1.1 404")
# a request in single bytes
s = connect()
for b in request(prompt="then exactly 3 copies"):
    s.sendall(bytes([b]))
assert read_until(s, b"199999\n\r\n0\r\n\r\n")
s.sendall(request(prompt="then exactly 3 copies"))
assert read_until(s, b"\r\n0\r\n\r\n").count(b"1\r\nw\r\n") == 3

for _ in range(200):  # the last line comes right behind the last byte
    if sum('"ordinal":' in line for line in open(log_path)) >= 16:
        break
    time.sleep(0.05)
lines = [json.loads(line) for line in open(log_path)]
posts = sorted((x for x in lines if x.get("ordinal", -1) >= 0), key=lambda x: x["ordinal"])
assert [p["ordinal"] for p in posts] == list(range(13)), [p["ordinal"] for p in posts]
assert [p["answer"] for p in posts[:9]] == ["edges", "paced", "length", "body", "until_close", "reset", "truncated",
                                            "pieces", "nested"]
assert all(p["first_byte_ns"] <= p["head_ns"] <= p["body_ns"] for p in posts)
assert [w[2] for w in posts[1]["writes"]] == ["head"] + ["other"] * 51
assert [w[0] for w in posts[1]["writes"]][1:51] == stamps, "the stamp in an event is the stamp of its write"
assert all(w[0] <= w[3] for p in posts for w in p["writes"])
assert [p["reused"] for p in posts[:5]] == [False, True, True, True, True]
assert posts[5]["end"] == "reset" and posts[0]["end"] == "answered" and posts[4]["end"] == "server"
print("# figure: median delay against script time", f"{sorted(late)[25] / 1e6:.3f} ms, most {max(late) / 1e6:.3f} ms")
