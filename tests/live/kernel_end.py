"""The kernel's end of a connection: opens a socket and follows steps, within a namespace.

Usage: kernel_end.py (listen|connect) LOCAL:PORT REMOTE:PORT STEP...

Steps: ``buffer:BYTES`` and ``control:NAME``, the congestion control (before the opening),
``send:FILE``, ``receive:FILE`` (up to the end),
``both:FROM:TO`` (at once), ``write:BYTES``, ``read:BYTES``, ``wait:SECONDS``, ``shutdown``,
``reset`` (by the closing). The socket is closed after the last. Tells a line `ready` once it can
be reached or is about to reach out, and a JSON object at the end.
"""

import json
import socket
import struct
import sys
import threading
import time
from pathlib import Path

LIMIT_S = 300
CONGESTION_CONTROL = b"reno"
INFO_OPTIONS = {1: "timestamps", 2: "sack", 4: "window scale"}
"""Bits of tcpi_options (linux/tcp.h)."""


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


def new_socket(local: tuple[str, int], steps: list[str]) -> socket.socket:
    family = socket.AF_INET6 if ":" in local[0] else socket.AF_INET
    made = socket.socket(family)
    made.settimeout(LIMIT_S)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control(steps))
    for step in steps:
        if step.startswith("buffer:"):
            size = int(step.removeprefix("buffer:"))
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    return made


def control(steps: list[str]) -> bytes:
    asked = [step.removeprefix("control:") for step in steps if step.startswith("control:")]
    return asked[0].encode() if asked else CONGESTION_CONTROL


def open_connection(way: str, local, remote, steps: list[str]) -> socket.socket:
    if way == "listen":
        listener = new_socket(("::" if ":" in local[0] else "0.0.0.0", 0), steps)
        listener.bind(("", local[1]))
        listener.listen()
        tell("ready")
        connection, peer = listener.accept()
        listener.close()
        assert peer[:2] == remote
        connection.settimeout(LIMIT_S)
    else:
        tell("ready")
        deadline = time.monotonic() + LIMIT_S
        while True:
            connection = new_socket(local, steps)
            try:
                connection.bind(local)
                connection.connect(remote)
                break
            except ConnectionError:
                raise
            except OSError:  # the device does not exist yet
                connection.close()
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
    used = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0")
    assert used == control(steps), used
    return connection


def send(connection: socket.socket, file: str) -> None:
    connection.sendall(Path(file).read_bytes())


def receive(connection: socket.socket, file: str) -> None:
    with Path(file).open("wb") as out:
        while piece := connection.recv(1 << 18):
            out.write(piece)


def both(connection: socket.socket, source: str, sink: str) -> None:
    def send_and_shut() -> None:
        send(connection, source)
        shutdown(connection)

    sender = threading.Thread(target=send_and_shut)
    sender.start()
    receive(connection, sink)
    sender.join()


def write(connection: socket.socket, count: str) -> None:
    connection.sendall(bytes(int(count)))


def read(connection: socket.socket, count: str) -> None:
    left = int(count)
    while left > 0:
        left -= len(connection.recv(left)) or sys.exit("the peer closed early")


def wait(_: socket.socket, seconds: str) -> None:
    time.sleep(float(seconds))


def shutdown(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_WR)


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


VERBS = {verb.__name__: verb for verb in (send, receive, both, write, read, wait, shutdown, reset)}


def follow(connection: socket.socket, step: str) -> None:
    verb, *values = step.split(":")
    if verb not in {"buffer", "control"}:
        VERBS[verb](connection, *values)


def info(connection: socket.socket) -> dict[str, object]:
    """Report the negotiated options: the head of `struct tcp_info` (linux/tcp.h)."""
    raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    options, scales = raw[5], raw[6]
    send_mss, receive_mss = struct.unpack_from("II", raw, 16)
    return {
        "options": [name for bit, name in INFO_OPTIONS.items() if options & bit],
        "peer_scale": scales & 15,
        "own_scale": scales >> 4,
        "send_mss": send_mss,
        "receive_mss": receive_mss,
    }


def main(way: str, local: str, remote: str, *steps: str) -> None:
    outcome: dict[str, object] = {"error": None}
    try:
        with open_connection(way, address(local), address(remote), list(steps)) as connection:
            outcome["info"] = info(connection)
            started = time.monotonic()
            for step in steps:
                follow(connection, step)
            outcome["seconds"] = time.monotonic() - started
    except OSError as error:
        outcome["error"] = type(error).__name__
    tell(json.dumps(outcome))


main(*sys.argv[1:])
