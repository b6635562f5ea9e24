"""usage: bad_peer.py MODE PORT_FILE — a loopback server of what no HTTP server can be told to do.
reset_upload  resets the connection while the request is still being sent
stuffed       takes the first bytes of a request and no more
plain         answers anything with a line of plain text, TLS or not
deaf          listens, and its queue is full: no connection is ever made"""
import os
import socket
import struct
import sys
import time

mode, port_file = sys.argv[1:]
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
server.bind(("127.0.0.1", 0))
server.listen(0 if mode == "deaf" else 16)
port = server.getsockname()[1]
held = []
if mode == "deaf":  # what fits into the queue, and some more that wait for ever
    for _ in range(4):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", port))
        held.append(s)
    time.sleep(0.1)
with open(port_file + ".new", "w") as f:
    f.write(str(port))
os.rename(port_file + ".new", port_file)
while os.getppid() != 1:
    if mode == "deaf":
        time.sleep(0.2)
        continue
    connection, _ = server.accept()
    connection.recv(512)
    if mode == "plain":
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nSERVERTEXT")
        connection.close()
        continue
    if mode == "stuffed":
        held.append(connection)
        continue
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
