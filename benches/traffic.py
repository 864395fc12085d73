"""Traffic for measurements, each kind a program: servers first tell their port.

``echo`` answers UDP, ``sink`` takes UDP in, ``source`` sends on every connection while it lasts.
``ping HOST PORT COUNT BYTES`` tells round-trip times in seconds, ``flood HOST PORT SECONDS BYTES``
sends datagrams, ``download HOST PORT SECONDS CONNECTIONS`` takes in what a source sends. All end
by themselves.
"""

from __future__ import annotations

import json
import random
import selectors
import socket
import sys
import threading
import time
from typing import Final

LIMIT_S: Final = 60.0
LARGEST: Final = 65_535
PIECE_BYTES: Final = 1 << 18
PAUSE_S: Final = (0.03, 0.06)


def echo() -> None:
    """Answer datagrams with the same bytes."""
    with _udp_server() as server:
        while True:
            server.sendto(*server.recvfrom(LARGEST))


def sink() -> None:
    """Take datagrams in."""
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
        except OSError:  # the other end has seen enough
            pass


def ping(host: str, port: str, count: str, size: str) -> None:
    """Send datagrams with pauses of random lengths, so that they meet every phase of the link."""
    chance, rtts = random.Random(1), []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(LIMIT_S)
        client.connect((host, int(port)))
        for _ in range(int(count)):
            time.sleep(chance.uniform(*PAUSE_S))
            start = time.perf_counter()
            client.send(bytes(int(size)))
            client.recv(LARGEST)
            rtts.append(time.perf_counter() - start)
    _tell(rtts)


def flood(host: str, port: str, seconds: str, size: str) -> None:
    """Send datagrams as fast as the kernel takes them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((host, int(port)))
        datagram, sent, end = bytes(int(size)), 0, time.monotonic() + float(seconds)
        while time.monotonic() < end:
            try:
                sent += client.send(datagram) > 0
            except OSError:  # the device's queue is full
                continue
    _tell(sent)


def download(host: str, port: str, seconds: str, connections: str) -> None:
    """Take in what comes on so many connections, and tell how many bytes that were."""
    buffer, taken = bytearray(PIECE_BYTES), 0
    with selectors.DefaultSelector() as ready:
        for _ in range(int(connections)):
            client = socket.create_connection((host, int(port)))
            ready.register(client, selectors.EVENT_READ, client)
        end = time.monotonic() + float(seconds)
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


PROGRAMS: Final = {
    program.__name__: program for program in (echo, sink, source, ping, flood, download)
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
