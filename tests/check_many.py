"""usage: check_many.py PORT N — N connections at once, all kept open, all answered."""
import resource
import selectors
import socket
import sys
import time

port, n = int(sys.argv[1]), int(sys.argv[2])
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
n = min(n, hard - 64)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
began = time.time()
sockets = []
for _ in range(n):
    s = socket.create_connection(("127.0.0.1", port), timeout=30)
    sockets.append(s)
watch = selectors.DefaultSelector()
left = {}
for s in sockets:
    s.sendall(request)
    s.setblocking(False)
    watch.register(s, selectors.EVENT_READ)
    left[s] = b""
while left and time.time() < began + 60:
    for key, _ in watch.select(5):
        s = key.fileobj
        left[s] += s.recv(65536)
        if left[s].endswith(b"\r\n0\r\n\r\n"):
            assert left.pop(s).count(b"data: ") >= 3
            watch.unregister(s)
assert not left, len(left)
for s in sockets:  # and each once more, on the connection it has
    s.setblocking(True)
    s.settimeout(30)
    s.sendall(request)
for s in sockets:
    data = b""
    while not data.endswith(b"\r\n0\r\n\r\n"):
        data += s.recv(65536)
print(f"# figure: {n} connections at once, answered twice each in {time.time() - began:.1f} s")
