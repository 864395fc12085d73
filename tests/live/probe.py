"""Programs that a test runs at either side of an emulated link; each prints a JSON object.

``echo`` answers UDP until its input ends, after a line with its port. ``udp HOST PORT SIZE...``
sends a datagram of each size and waits for the same bytes. ``icmp HOST COUNT`` sends echo requests,
``every HOST SECONDS COUNT`` one each so many seconds, and tells null for those not answered by 2 s
after the last.
``flood HOST PORT COUNT`` sends datagrams as fast as it can, or with a pause of so many seconds
after each. ``icmp`` and ``flood`` tell before, by a line, that the first is under way or back.
``number HOST PORT COUNT CHECKSUM`` sends numbered datagrams, a millisecond apart, with a checksum
unless that is none; ``collect`` takes them until its input ends, after a line with its port, and
tells the numbers and how many had another content. ``file`` gives a file to one who asks, after a
line with its port, and ``fetch HOST PORT`` asks; both tell its digest.
"""

import hashlib
import json
import os
import random
import select
import socket
import struct
import sys
import time

LIMIT_S = 300
FLOOD_BYTES = 1000
ECHO_REQUEST, ECHO_REPLY = 8, 0
NUMBERED_BYTES = 400
FILE_BYTES = 1_000_000
SO_NO_CHECK = 11
"""Linux's option for datagrams without a checksum (asm-generic/socket.h)."""


def tell(what: object) -> None:
    sys.stdout.write(f"{json.dumps(what)}\n")
    sys.stdout.flush()


def begun() -> None:
    sys.stdout.write("begun\n")
    sys.stdout.flush()


def echo() -> None:
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as reserved:
        port = reserved.getsockname()[1]
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        server.bind(("::", port))
        tell(port)
        while sys.stdin not in (ready := select.select([server, sys.stdin], [], [])[0]):
            assert ready
            server.sendto(*server.recvfrom(65_535))


def udp(host: str, port: str, *sizes: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    chance, rtts = random.Random(1), []
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.settimeout(LIMIT_S)
        client.connect((host, int(port)))
        for size in sizes:
            sent, start = chance.randbytes(int(size)), time.monotonic()
            client.send(sent)
            assert client.recv(65_535) == sent
            rtts.append(time.monotonic() - start)
    tell(rtts)


def icmp(host: str, count: str) -> None:
    rtts = []
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as client:
        client.settimeout(LIMIT_S)
        client.connect((host, 0))
        for number in range(int(count)):
            asked = struct.pack("!HH", os.getpid() & 0xFFFF, number) + bytes(48)
            start = time.monotonic()
            client.send(struct.pack("!BBH", ECHO_REQUEST, 0, checksum(asked)) + asked)
            while True:
                packet = client.recv(65_535)
                answer = packet[4 * (packet[0] & 15) :]
                if answer[0] == ECHO_REPLY and answer[4:] == asked:
                    break
            rtts.append(time.monotonic() - start)
            if not number:
                begun()
    tell(rtts)


def every(host: str, interval: str, count: str) -> None:
    sent: list[float] = []
    rtts: list[float | None] = [None] * int(count)
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as client:
        client.connect((host, 0))
        start = time.monotonic()
        while (now := time.monotonic() - start) < float(interval) * len(rtts) + 2:
            due = float(interval) * len(sent)
            if len(sent) < len(rtts) and now >= due:
                asked = struct.pack("!HH", os.getpid() & 0xFFFF, len(sent)) + bytes(48)
                sent.append(time.monotonic())
                client.send(struct.pack("!BBH", ECHO_REQUEST, 0, checksum(asked)) + asked)
                continue
            if select.select([client], [], [], max(due - now, 0) if len(sent) < len(rtts) else 0.1)[
                0
            ]:
                packet = client.recv(65_535)
                answer = packet[4 * (packet[0] & 15) :]
                kind, number = answer[0], int.from_bytes(answer[6:8], "big")
                if kind == ECHO_REPLY:
                    rtts[number] = time.monotonic() - sent[number]
    tell(rtts)


def checksum(data: bytes) -> int:
    """Return the checksum of an echo request with this content (RFC 1071)."""
    total: int = (ECHO_REQUEST << 8) + sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def flood(host: str, port: str, count: str, pause: str = "0") -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((host, int(port)))
        sent, refused = 0, 0
        for number in range(int(count)):
            if number == 1:
                begun()
            try:
                client.send(bytes(FLOOD_BYTES))
                sent += 1
                if float(pause):
                    time.sleep(float(pause))
            except OSError:  # the device's queue is full, or no one listens
                refused += 1
    tell({"sent": sent, "refused": refused})


def content(number: int) -> bytes:
    return number.to_bytes(4, "big") * (NUMBERED_BYTES // 4)


def number(host: str, port: str, count: str, checksum: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, checksum == "none")
        client.connect((host, int(port)))
        for number in range(int(count)):
            client.send(content(number))
            time.sleep(0.001)


def collect() -> None:
    numbers, differing = [], 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        server.bind(("", 0))
        tell(server.getsockname()[1])
        while (ready := select.select([server, sys.stdin], [], [])[0]) != [sys.stdin]:
            assert ready
            came = server.recv(65_535)
            numbers.append(int.from_bytes(came[:4], "big"))
            differing += came != content(numbers[-1] % (1 << 32))
    tell([numbers, differing])


def file() -> None:
    data = random.Random(1).randbytes(FILE_BYTES)
    with socket.create_server(("", 0)) as server:
        tell(server.getsockname()[1])
        client, _ = server.accept()
        with client:
            client.sendall(data)
    tell(hashlib.sha256(data).hexdigest())


def fetch(host: str, port: str) -> None:
    digest = hashlib.sha256()
    with socket.create_connection((host, int(port))) as client:
        while data := client.recv(1 << 16):
            digest.update(data)
    tell(digest.hexdigest())


PROGRAMS = {
    program.__name__: program
    for program in (echo, udp, icmp, every, flood, number, collect, file, fetch)
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
