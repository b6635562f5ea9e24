"""usage: far_path.py ONE_WAY_MS LATE COMMAND ...: runs the command in this network namespace, of its own, where all that is sent
to 127.0.0.0/8 goes through a device that keeps each packet for so long: TCP has a round trip then. LATE: where this relay
was late itself, lines "due done" of CLOCK_MONOTONIC. With no command: is all that there is, that it takes?"""
import collections
import fcntl
import os
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, TUN_ALONE = 0x400454CA, 0x1001
DEVICE = "far0"


def device():
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), TUN_ALONE))
    os.set_blocking(fd, False)
    return fd


def set_up():
    """Loopback addresses are reached through the device; what comes out of it is for this host all the same."""
    fd = device()
    for which in DEVICE, "all":
        for key, value in ("route_localnet", 1), ("accept_local", 1), ("rp_filter", 0):
            with open(f"/proc/sys/net/ipv4/conf/{which}/{key}", "w") as f:
                f.write(str(value))
    for line in (f"link set {DEVICE} up mtu 1500", "link set lo up", "rule add iif lo lookup 100 pref 5",
                 "rule add lookup local pref 10", "rule del pref 0",
                 f"route add 127.0.0.0/8 dev {DEVICE} src 127.0.0.1 table 100"):
        subprocess.run(["ip", *line.split()], check=True)
    return fd


def relay(fd, delay_ns, late, child):
    queue = collections.deque()
    while child.poll() is None:
        wait = max(0, queue[0][0] - time.monotonic_ns()) / 1e9 if queue else 0.02
        ready, _, _ = select.select([fd], [], [], wait)
        now = time.monotonic_ns()
        try:
            while ready:
                queue.append((now + delay_ns, os.read(fd, 2000)))
        except BlockingIOError:
            pass
        while queue and queue[0][0] <= time.monotonic_ns():
            due, packet = queue.popleft()
            os.write(fd, packet)
            done = time.monotonic_ns()
            if done - due > 100_000:
                print(due, done, file=late)


def main():
    fd = set_up()
    if len(sys.argv) > 3:
        child = subprocess.Popen(sys.argv[3:])
        with open(sys.argv[2], "w", buffering=1) as late:
            relay(fd, int(float(sys.argv[1]) * 1e6), late, child)
        sys.exit(child.returncode)


main()
