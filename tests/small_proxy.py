"""A proxy for tests, loopback only: plain HTTP by absolute address, CONNECT, and SOCKS5 with names, one thread a
connection. Every name means 127.0.0.1. usage: small_proxy.py PORT-FILE LOG"""
import os
import re
import socket
import sys
import threading

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(256)
log = open(sys.argv[2], "a", buffering=1)


def pump(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def upstream(port):
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def head_of(client, data):
    while b"\r\n\r\n" not in data:
        data += client.recv(65536) or b"\r\n\r\n"
    return data


def socks(client):
    client.sendall(b"\5\0")
    request = client.recv(512)
    assert request[:4] == b"\5\1\0\3", request
    name, port = request[5:5 + request[4]].decode(), int.from_bytes(request[5 + request[4]:][:2], "big")
    print(f"socks {name}:{port}", file=log)
    server = upstream(port)
    client.sendall(b"\5\0\0\1\x7f\0\0\1" + port.to_bytes(2, "big"))
    return server


def http(client, data):
    data = head_of(client, data)
    auth = re.search(rb"\r\nProxy-Authorization: ([^\r]*)", data)
    told = " auth " + auth[1].decode() if auth else ""
    tunnel = re.match(rb"CONNECT ([^: ]+):(\d+) ", data)
    if tunnel:
        print(f"connect {tunnel[1].decode()}:{tunnel[2].decode()}{told}", file=log)
        server = upstream(int(tunnel[2]))
        client.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: small\r\n\r\n")
        return server
    target = re.match(rb"(\w+) http://([^:/ ]+):(\d+)(\S*) ", data)
    print(f"http {target[2].decode()}:{target[3].decode()}{told}", file=log)
    server = upstream(int(target[3]))
    server.sendall(target[1] + b" " + target[4] + b" " + data[target.end():])
    return server


def serve(client):
    try:
        data = client.recv(65536)
        server = socks(client) if data[:1] == b"\5" else http(client, data)
        threading.Thread(target=pump, args=(server, client), daemon=True).start()
        pump(client, server)
    except (OSError, AssertionError, TypeError):
        client.close()


with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(listener.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
