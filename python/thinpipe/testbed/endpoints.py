"""The kernel's ends of many flows, as programs within namespaces: ``endpoints.py WHAT JSON``.

``serve`` listens as given by a list of `Listener`, ``fetch`` opens the flows of a list of `Fetch`,
``ping`` sends echo requests. Each reports its results as JSON lines; times are on the machine's
monotonic clock, which all namespaces share. It is an error if the kernel lacks the congestion
control or uses another initial window.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

LIMIT_S: Final = 400.0
SEND_BUFFER_BYTES: Final = 4_000_000
"""Large enough that neither the application nor the buffer limits TCP."""

SND_MSS, SND_CWND, TOTAL_RETRANS = 16, 80, 100
"""Offsets in ``struct tcp_info`` (linux/tcp.h), in bytes."""

RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with no time, so that closing sends a RST."""


@dataclass(frozen=True, slots=True)
class Listener:
    """The behaviour of a server on one port.

    Attributes
    ----------
    does
        ``speak``: send at once; ``answer``: send what the client requests, a JSON line with `bytes`
        and `seed`; ``absorb``: read to the end and answer with the SHA-256.
    bytes, seed
        How much it sends, and the seed of the content.
    end
        ``close``, or ``reset``, which sends a RST instead of a FIN.
    control, initial_window
        Its congestion control, and the required initial window in segments.
    send_buffer
        In bytes.
    """

    port: int
    does: str = "speak"
    bytes: int = 0
    seed: int = 1
    end: str = "close"
    control: str = "cubic"
    initial_window: int = 10
    send_buffer: int = SEND_BUFFER_BYTES


@dataclass(frozen=True, slots=True)
class Fetch:
    """A flow that a client opens.

    Attributes
    ----------
    host, port, local_port
        Destination, and source port; 0 lets the kernel choose.
    at_s
        When to open it, in seconds from the program's start.
    does
        ``get``: read to the end; ``ask``: first request `bytes` of `seed`; ``send``: send `bytes`,
        close that half and read the answer; ``abort``: reset after reading `stop_bytes`; ``drink``:
        read until the program is terminated, and report what came.
    bytes, seed
        The expected or sent content.
    receive_buffer
        In bytes; 0 leaves it to the kernel.
    limit_s
        When to give up.
    """

    host: str
    port: int
    at_s: float = 0.0
    does: str = "get"
    bytes: int = 0
    seed: int = 1
    local_port: int = 0
    stop_bytes: int = 0
    receive_buffer: int = 0
    limit_s: float = LIMIT_S


@dataclass(slots=True)
class Fetched:
    """The result of a flow at its client; times from its SYN on.

    Attributes
    ----------
    port, local_port
        Its ports.
    opened_s
        When it was opened, on the monotonic clock.
    connect_s, first_s, last_s, total_s
        When it was connected, received its first and last byte, and ended.
    bytes, whole
        What was read, and whether it is exactly the expected content.
    curve
        Bytes received over time; at most one point per 20 ms.
    wait_s
        The mean time for which a byte waited since its reader had no processor.
    error
        The kernel's error, if it failed.
    """

    port: int
    local_port: int = 0
    opened_s: float = 0.0
    connect_s: float | None = None
    first_s: float | None = None
    last_s: float | None = None
    total_s: float = 0.0
    bytes: int = 0
    whole: bool = False
    curve: list[tuple[float, int]] = field(default_factory=list)
    wait_s: float = 0.0
    error: str = ""


@dataclass(slots=True)
class Served:
    """The result of a connection at its server; `wait_s` as of `Fetched`."""

    port: int
    peer: str
    peer_port: int
    opened_s: float
    mss: int
    control: str
    initial_window: int
    sent: int = 0
    received: int = 0
    retransmits: int = 0
    total_s: float = 0.0
    wait_s: float = 0.0
    error: str = ""


def content(seed: int, length: int) -> bytes:
    """Return pseudo-random bytes, so that loss, duplication or reordering is detected."""
    return random.Random(seed).randbytes(length)


# --- The server -----------------------------------------------------------------------------------


def serve(listeners: list[Listener], connections: int | None) -> None:
    """Listen on all ports, report ``ready``, and serve each connection in a thread.

    It ends after `connections` connections; with None it runs until it is killed.
    """
    sockets = {_listen(each): each for each in listeners}
    threads: list[threading.Thread] = []
    _report({"ready": True})
    while connections is None or len(threads) < connections:
        for ready in select.select(list(sockets), [], [], LIMIT_S)[0]:
            connection, peer = ready.accept()
            job = (connection, peer, sockets[ready])
            threads.append(threading.Thread(target=_serve, args=job, daemon=True))
            threads[-1].start()
    for thread in threads:
        thread.join()


def _listen(listener: Listener) -> socket.socket:
    made = socket.create_server(
        ("::", listener.port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=512
    )
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, listener.control.encode())
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, listener.send_buffer)
    return made


def _serve(connection: socket.socket, peer: tuple[str, int], listener: Listener) -> None:
    connection.settimeout(LIMIT_S)
    control = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
    report = Served(
        listener.port,
        peer[0].removeprefix("::ffff:"),
        peer[1],
        time.monotonic(),
        _info(connection, SND_MSS),
        control.rstrip(b"\0").decode(),
        _info(connection, SND_CWND),
    )
    # After a lost SYN-ACK the kernel begins with one segment (RFC 5681 §3.1).
    given = (
        listener.initial_window if _info(connection, TOTAL_RETRANS) == 0 else report.initial_window
    )
    expected = (listener.control, given)
    if (report.control, report.initial_window) != expected:
        report.error = (
            f"begins with {report.control}, {report.initial_window} segments, not {expected}"
        )
    else:
        try:
            _BEHAVIOURS[listener.does](connection, listener, report)
        except OSError as error:
            report.error = _name(error)
    with suppress(OSError):
        report.retransmits = _info(connection, TOTAL_RETRANS)
    report.total_s = time.monotonic() - report.opened_s
    connection.close()
    _report(asdict(report))


def _speak(connection: socket.socket, listener: Listener, report: Served) -> None:
    _send(connection, content(listener.seed, listener.bytes), report)
    _finish(connection, listener, report)


def _answer(connection: socket.socket, listener: Listener, report: Served) -> None:
    asked = json.loads(connection.makefile().readline())
    _send(connection, content(asked["seed"], asked["bytes"]), report)
    _finish(connection, listener, report)


def _absorb(connection: socket.socket, listener: Listener, report: Served) -> None:
    seen = hashlib.sha256()
    for data in _received(connection, report):
        seen.update(data)
        report.received += len(data)
    _send(connection, seen.hexdigest().encode(), report)
    _finish(connection, listener, report)


_BEHAVIOURS: Final = {"speak": _speak, "answer": _answer, "absorb": _absorb}


def _send(connection: socket.socket, data: bytes, report: Served) -> None:
    connection.sendall(data)
    report.sent += len(data)


def _finish(connection: socket.socket, listener: Listener, report: Served) -> None:
    """Close as the listener says, and wait until the peer has closed as well."""
    if listener.end == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        return
    connection.shutdown(socket.SHUT_WR)
    for data in _received(connection, report):
        report.received += len(data)


def _received(connection: socket.socket, report: Fetched | Served) -> Iterator[bytes]:
    """Yield what arrives, and report how long it waited for this thread to have a processor."""
    weighted, total = 0, 0
    with Path("/proc/thread-self/schedstat").open("rb", buffering=0) as counts:
        waited_ns = _waited_ns(counts)
        while data := connection.recv(1 << 16):
            before, waited_ns = waited_ns, _waited_ns(counts)
            weighted, total = weighted + len(data) * (waited_ns - before), total + len(data)
            report.wait_s = weighted / total / 1e9
            yield data


def _waited_ns(counts: BinaryIO) -> int:
    """Return for how long the kernel has let this thread wait for a processor."""
    counts.seek(0)
    return int(counts.read().split()[1])


def _info(connection: socket.socket, place: int) -> int:
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    value: int = struct.unpack_from("I", info, place)[0]
    return value


# --- The client -----------------------------------------------------------------------------------


def fetch(flows: list[Fetch]) -> None:
    """Open each flow at its time, and report each when it ends."""
    start_s = time.monotonic()
    threads = [threading.Thread(target=_fetch, args=(each, start_s)) for each in flows]
    if any(each.does == "drink" for each in flows):
        signal.signal(signal.SIGTERM, lambda *_: _DRY.set())
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


_DRY: Final = threading.Event()
"""Set once flows that have no end of their own are to end."""


def _fetch(flow: Fetch, start_s: float) -> None:
    time.sleep(max(0.0, start_s + flow.at_s - time.monotonic()))
    report = Fetched(flow.port)
    family = socket.AF_INET6 if ":" in flow.host else socket.AF_INET
    with socket.socket(family) as connection:
        connection.settimeout(flow.limit_s)
        if flow.receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, flow.receive_buffer)
        report.opened_s = time.monotonic()
        try:
            if flow.local_port:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                connection.bind(("", flow.local_port))
            connection.connect((flow.host, flow.port))
            report.connect_s = time.monotonic() - report.opened_s
            report.local_port = connection.getsockname()[1]
            _read(connection, flow, report, _ask(connection, flow))
        except OSError as error:
            report.error = _name(error)
        report.total_s = time.monotonic() - report.opened_s
    _report(asdict(report))


def _ask(connection: socket.socket, flow: Fetch) -> bytes:
    """Send the request, and return the expected answer."""
    data = content(flow.seed, flow.bytes)
    if flow.does == "send":
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return hashlib.sha256(data).hexdigest().encode()
    if flow.does == "ask":
        line = json.dumps({"bytes": flow.bytes, "seed": flow.seed})
        connection.sendall(f"{line}\n".encode())
    return data


def _read(connection: socket.socket, flow: Fetch, report: Fetched, expected: bytes) -> None:
    seen = hashlib.sha256()
    for data in _received(connection, report):
        now_s = time.monotonic() - report.opened_s
        report.first_s, report.last_s = report.first_s or now_s, now_s
        seen.update(data)
        report.bytes += len(data)
        if not report.curve or now_s - report.curve[-1][0] >= SAMPLING_S:
            report.curve.append((now_s, report.bytes))
        if flow.does == "abort" and report.bytes >= flow.stop_bytes:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            break
        if flow.does == "drink" and _DRY.is_set():
            return
    report.whole = seen.digest() == hashlib.sha256(expected).digest()


SAMPLING_S: Final = 0.02


# --- Echo -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ping:
    """Echo requests: `count` of them, `period_s` apart, the first at `at_s`; IPv4."""

    host: str
    count: int
    period_s: float = 1.0
    at_s: float = 0.0
    wait_s: float = 40.0


def ping(task: Ping) -> None:
    """Send echo requests without waiting for replies.

    It reports for each reply when the request was sent and the round-trip time; at the end also
    requests without a reply, with ``null`` for the round-trip time.
    """
    start_s = time.monotonic() + task.at_s
    ident, sent, rtt = os.getpid() & 0xFFFF, dict[int, float](), dict[int, float]()
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        while len(rtt) < task.count:
            now_s = time.monotonic()
            due_s = start_s + len(sent) * task.period_s
            if len(sent) < task.count and now_s >= due_s:
                sent[len(sent)] = now_s
                raw.sendto(_echo(ident, len(sent) - 1), (task.host, 0))
                continue
            last = len(sent) == task.count
            wait_s = start_s + task.count * task.period_s + task.wait_s if last else due_s
            if wait_s <= now_s:
                break
            if select.select([raw], [], [], wait_s - now_s)[0]:
                _receive_reply(raw.recv(2048), ident, sent, rtt)
    for number in sent.keys() - rtt.keys():
        _report({"sent_s": sent[number], "rtt_s": None})


ECHO, ECHO_REPLY = 8, 0


def _echo(ident: int, number: int) -> bytes:
    """Return an echo request with ping's 56 B (RFC 792)."""
    body = struct.pack("!HH", ident, number) + bytes(56)
    total = sum(struct.unpack(f"!{len(body) // 2}H", body)) + (ECHO << 8)
    total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!BBH", ECHO, 0, ~(total + (total >> 16)) & 0xFFFF) + body


def _receive_reply(
    packet: bytes, ident: int, sent: dict[int, float], rtt: dict[int, float]
) -> None:
    header = 4 * (packet[0] & 15)
    kind, _, _, whose, number = struct.unpack_from("!BBHHH", packet, header)
    if kind == ECHO_REPLY and whose == ident and number in sent and number not in rtt:
        rtt[number] = time.monotonic() - sent[number]
        _report({"sent_s": sent[number], "rtt_s": rtt[number]})


def _name(error: OSError) -> str:
    return type(error).__name__ if error.errno is None else os.strerror(error.errno)


_OUTPUT_LOCK: Final = threading.Lock()


def _report(record: dict[str, object]) -> None:
    with _OUTPUT_LOCK:
        sys.stdout.write(f"{json.dumps(record)}\n")
        sys.stdout.flush()


TASKS: Final[dict[str, Callable[[Any], None]]] = {
    "serve": lambda asked: serve([Listener(**each) for each in asked[0]], asked[1]),
    "fetch": lambda asked: fetch([Fetch(**each) for each in asked]),
    "ping": lambda asked: ping(Ping(**asked)),
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](json.loads(sys.argv[2]))
