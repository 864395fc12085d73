"""Traffic generators for measurements, each a program; servers first print their port.

``sink`` receives UDP, ``source`` sends on every connection until it is closed. ``ping HOST COUNT
BYTES`` prints round-trip times in seconds, ``flood HOST PORT SECONDS BYTES`` sends datagrams,
``download HOST PORT SECONDS CONNECTIONS [ADDRESSES]`` receives from a source, from the addresses in
turn. All end by themselves.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import selectors
import socket
import struct
import sys
import threading
import time
from typing import Final

LIMIT_S: Final = 60.0
LARGEST: Final = 65_535
PIECE_BYTES: Final = 1 << 18
PAUSE_S: Final = (0.03, 0.06)
ECHO_REQUEST, ECHO_REPLY = 8, 0
SO_TIMESTAMPNS: Final = 35
"""asm-generic/socket.h"""


def sink() -> None:
    """Receive datagrams."""
    with _udp_server() as server:
        buffer = bytearray(LARGEST)
        while server.recv_into(buffer):
            pass


def source() -> None:
    """Send on every connection until it is closed."""
    with socket.create_server(("0.0.0.0", 0), backlog=200) as listener:
        listener.settimeout(LIMIT_S)
        _tell(listener.getsockname()[1])
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_fill, args=(connection,), daemon=True).start()


def _fill(connection: socket.socket) -> None:
    piece = bytes(PIECE_BYTES)
    with connection:
        try:
            while True:
                connection.sendall(piece)
        except OSError:  # the receiver has closed
            pass


def ping(host: str, count: str, size: str) -> None:
    """Send echo requests at random intervals, so that they sample every phase of the link.

    The kernel answers them and timestamps the replies, so only the path counts.
    """
    chance, rtts = random.Random(1), []
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as client:
        client.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        client.settimeout(LIMIT_S)
        client.connect((host, 0))
        for number in range(int(count)):
            time.sleep(chance.uniform(*PAUSE_S))
            asked = struct.pack("!HH", os.getpid() & 0xFFFF, number) + bytes(int(size) - 8)
            request = struct.pack("!BBH", ECHO_REQUEST, 0, _checksum(asked)) + asked
            start = time.time()
            client.send(request)
            rtts.append(_answered(client, asked) - start)
    _tell(rtts)


def _answered(client: socket.socket, asked: bytes) -> float:
    """Wait for the reply and return its arrival time."""
    while True:
        packet, [(_, _, stamp)], _, _ = client.recvmsg(LARGEST, 64)
        answer = packet[4 * (packet[0] & 15) :]
        if answer[0] == ECHO_REPLY and answer[4:] == asked:
            seconds, nanoseconds = struct.unpack("qq", stamp)
            return float(seconds + nanoseconds / 1e9)


def _checksum(asked: bytes) -> int:
    """Return the checksum of an echo request with this content (RFC 1071)."""
    total: int = (ECHO_REQUEST << 8) + sum(struct.unpack(f"!{len(asked) // 2}H", asked))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def flood(host: str, port: str, seconds: str, size: str) -> None:
    """Send datagrams as fast as the kernel accepts them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((host, int(port)))
        datagram, sent, end = bytes(int(size)), 0, time.monotonic() + float(seconds)
        while time.monotonic() < end:
            try:
                sent += client.send(datagram) > 0
            except OSError:  # the device's queue is full
                continue
    _tell(sent)


def download(host: str, port: str, seconds: str, connections: str, addresses: str = "") -> None:
    """Receive on a number of connections, and print the number of bytes."""
    buffer, taken, end = bytearray(PIECE_BYTES), 0, time.monotonic() + float(seconds)
    own = itertools.cycle(addresses.split(","))
    with selectors.DefaultSelector() as ready:
        for _ in range(int(connections)):
            client = socket.socket()
            client.bind((next(own), 0))
            client.settimeout(0)
            client.connect_ex((host, int(port)))
            ready.register(client, selectors.EVENT_READ, client)
        while (left := end - time.monotonic()) > 0:
            for key, _ in ready.select(left):
                taken += key.data.recv_into(buffer)
    _tell(taken)


def _udp_server() -> socket.socket:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.settimeout(LIMIT_S)
    server.bind(("0.0.0.0", 0))
    _tell(server.getsockname()[1])
    return server


def _tell(what: object) -> None:
    sys.stdout.write(f"{json.dumps(what)}\n")
    sys.stdout.flush()


PROGRAMS: Final = {program.__name__: program for program in (sink, source, ping, flood, download)}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
