"""The kernel's ends of a transfer, each a program in a namespace.

``receive WINDOW`` listens, names its address and port, reads to the end and closes, and prints the
mean time in seconds for which what it read waited since it had no processor. ``send HOST
PORT BYTES CONTROL MSS`` connects, sends, and prints its congestion window over time, as JSON. Each
checks congestion control, segment size and initial window, because the kernel treats these settings
as hints.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO, Final

LIMIT_S: Final = 300.0
SAMPLING_S: Final = 0.02
SEND_BUFFER_BYTES: Final = 4_000_000
"""Large enough that neither the application nor the buffer limits TCP."""

BUFFER: Final = 0.8
"""Buffer size over window: the kernel doubles it, and a segment needs 1.6 times its payload."""

INITIAL_WINDOW: Final = 10
"""Segments; RFC 6928, as the profile “modern” has it."""

SND_MSS, SND_CWND = 16, 80
"""Offsets in ``struct tcp_info`` (linux/tcp.h), in bytes."""


def receive(window_bytes: int) -> None:
    """Accept one connection, with a receive buffer for a window of about `window_bytes`."""
    with socket.create_server(("0.0.0.0", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(BUFFER * window_bytes))
        listener.settimeout(LIMIT_S)
        _report(f"{_own_address()} {listener.getsockname()[1]}")
        connection, _ = listener.accept()
    with connection, Path("/proc/thread-self/schedstat").open("rb", buffering=0) as counts:
        connection.settimeout(LIMIT_S)
        waited_ns = _waited_ns(counts)
        weighted, total = 0, 0
        while size := len(connection.recv(1 << 18)):
            before, waited_ns = waited_ns, _waited_ns(counts)
            weighted, total = weighted + size * (waited_ns - before), total + size
    _report(f"{weighted / total / 1e9:.9f}")


def send(host: str, port: int, size_bytes: int, control: str, mss_bytes: int) -> None:
    """Send zeros, and report the congestion window in segments over the time since the SYN."""
    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        connection.settimeout(LIMIT_S)
        start = time.monotonic()
        connection.connect((host, port))
        used = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
        if used.rstrip(b"\0").decode() != control:
            sys.exit(f"this kernel has no congestion control {control!r}")
        [segment] = struct.unpack_from("I", _info(connection), SND_MSS)
        if segment != mss_bytes:
            sys.exit(f"the kernel sends segments of {segment} B, not {mss_bytes} B")
        [initial] = struct.unpack_from("I", _info(connection), SND_CWND)
        if initial != INITIAL_WINDOW:
            sys.exit(f"the kernel begins with {initial} segments, not {INITIAL_WINDOW}")
        writer = threading.Thread(target=_write, args=(connection, size_bytes))
        writer.start()
        cwnd = []
        while writer.is_alive():
            [window] = struct.unpack_from("I", _info(connection), SND_CWND)
            cwnd.append((time.monotonic() - start, window))
            time.sleep(SAMPLING_S)
        writer.join()
    _report(json.dumps({"cwnd": cwnd}))


def _write(connection: socket.socket, size_bytes: int) -> None:
    connection.sendall(bytes(size_bytes))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)  # the peer closes when all has arrived


def _waited_ns(counts: BinaryIO) -> int:
    """Return for how long the kernel has let this thread wait for a processor."""
    counts.seek(0)
    return int(counts.read().split()[1])


def _info(connection: socket.socket) -> bytes:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)


def _own_address() -> str:
    """Return the address towards the other side."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((os.environ["THINPIPE_GATEWAY"], 9))
        address: str = probe.getsockname()[0]
        return address


def _report(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["receive", window]:
            receive(int(window))
        case ["send", host, port, size, control, mss]:
            send(host, int(port), int(size), control, int(mss))
