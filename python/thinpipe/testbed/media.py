"""A call's ends, as programs within namespaces: ``media.py WHAT JSON``.

``send`` sends voice or video to who asks for it, ``hear`` asks and reports each packet. A voice
stream has a packet at even intervals; a video stream has frames whose size follows what the network
carries (`adaptation.py`). In place of RTP's header (RFC 3550 §5.1) packets have 12 B of their
number and the time of the machine's monotonic clock, which all namespaces share.
"""

from __future__ import annotations

import json
import math
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from thinpipe.testbed.adaptation import DelayBased, LossBased, Reported

HEADER: Final = struct.Struct("!Id")
"""Number and time, as long as RTP's header."""

REPORT: Final = struct.Struct("!dd")
"""Rate in bit/s that delays allow, and the share of packets lost in the last second or not a number
between."""

ASKING_S: Final = 0.5
"""Time between two requests for a stream that has not begun."""

REPORTING_S, COUNTING_S = 0.1, 1.0
"""Times between reports of delays, and of losses (draft-ietf-rmcat-gcc-02, §5 and §6)."""

BEGIN_S: Final = 120.0
"""Longest wait for the first packet."""

LINGER_S: Final = 40.0
"""Longest wait for what was sent before the end."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Packets of `payload` bytes, RTP's header among them, `interval_s` apart."""

    port: int
    payload: int
    interval_s: float


@dataclass(frozen=True, slots=True)
class Video:
    """Frames at `frame_rate` in packets of at most `payload` bytes; rates in bit/s."""

    port: int
    start_bps: float
    least_bps: float
    most_bps: float
    frame_rate: float = 30.0
    payload: int = 1172


@dataclass(frozen=True, slots=True)
class Hear:
    """A stream that a client asks for; `reports` if its sender is to adapt."""

    host: str
    port: int
    reports: bool = False


@dataclass(slots=True)
class Heard:
    """What a client heard of a stream.

    Attributes
    ----------
    opened_s
        When its first packet was sent, on the monotonic clock; `None` if none came.
    packets
        Number, time sent since then, delay and bytes of payload of each that came; times in s.
    ended_s
        When the client was told to end: what was sent until then has come, or is lost.
    """

    port: int
    opened_s: float | None = None
    ended_s: float = 0.0
    packets: list[tuple[int, float, float, int]] = field(default_factory=list)


# --- The sender -----------------------------------------------------------------------------------


def send(stream: Voice | Video) -> None:
    """Listen, report ``ready``, and send to the first who asks until it is killed."""
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as made:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        made.bind(("::", stream.port))
        _report({"ready": True})
        made.connect(made.recvfrom(2048)[1])
        if isinstance(stream, Voice):
            _speak(made, stream)
        else:
            _show(made, stream)


def _speak(made: socket.socket, voice: Voice) -> None:
    filling = bytes(voice.payload - HEADER.size)
    for number in _ticks(voice.interval_s):
        _emit(made, HEADER.pack(number, time.monotonic()) + filling)


def _show(made: socket.socket, video: Video) -> None:
    """Send frames that take the rate of the latest report, or what losses leave of it."""
    losses = LossBased(video.start_bps)
    rate_bps, number = video.start_bps, 0
    for _ in _ticks(1 / video.frame_rate):
        while select.select([made], [], [], 0)[0]:
            report = made.recv(2048)
            if len(report) == REPORT.size:
                allowed_bps, lost = REPORT.unpack(report)
                if not math.isnan(lost):
                    losses.on_report(lost)
                rate_bps = min(losses.rate_bps, allowed_bps)
                rate_bps = losses.rate_bps = max(video.least_bps, min(rate_bps, video.most_bps))
        left, now_s = round(rate_bps / video.frame_rate / 8), time.monotonic()
        while left > 0:
            size = max(HEADER.size, min(left, video.payload))
            _emit(made, HEADER.pack(number, now_s) + bytes(size - HEADER.size))
            number, left = number + 1, left - size


def _ticks(period_s: float) -> Iterator[int]:
    """Count ticks as they come; one that is late delays no other."""
    start_s, number = time.monotonic(), 0
    while True:
        time.sleep(max(0.0, start_s + number * period_s - time.monotonic()))
        yield number
        number += 1


def _emit(made: socket.socket, packet: bytes) -> None:
    try:
        made.send(packet)
    except ConnectionRefusedError:  # the client has ended
        sys.exit()


# --- The client -----------------------------------------------------------------------------------


def hear(task: Hear) -> None:
    """Ask for a stream, report ``began``, and receive until told to end and all have come."""
    heard, told = Heard(task.port), list[float]()

    def end(*_: object) -> None:
        told.append(time.monotonic())
        # One more would cut what is written to a full pipe.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    signal.signal(signal.SIGTERM, end)
    family = socket.AF_INET6 if ":" in task.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as made:
        made.connect((task.host, task.port))
        _receive(made, task, heard, told)
    heard.ended_s = told[0]
    _report(asdict(heard))


def _receive(made: socket.socket, task: Hear, heard: Heard, told: list[float]) -> None:
    reporter = _Reporter() if task.reports else None
    start_s = due_s = now_s = time.monotonic()
    last_s = 0.0
    while not told or (last_s < told[0] and now_s < told[0] + LINGER_S):
        now_s = time.monotonic()
        if heard.opened_s is None and now_s > start_s + BEGIN_S:
            sys.exit(f"nothing came from port {task.port} in {BEGIN_S:g} s")
        if now_s >= due_s:
            due_s = now_s + (REPORTING_S if reporter else ASKING_S)
            _ask(made, heard, reporter, now_s)
        if not select.select([made], [], [], max(0.0, due_s - now_s))[0]:
            continue
        try:
            packet = made.recv(2048)
        except ConnectionRefusedError:  # the sender does not listen yet
            continue
        now_s = time.monotonic()
        number, last_s = HEADER.unpack_from(packet)
        if heard.opened_s is None:
            heard.opened_s = last_s
            _report({"began": True})
        heard.packets.append((number, last_s - heard.opened_s, now_s - last_s, len(packet)))
        if reporter:
            reporter.take(number, last_s, now_s, len(packet))


class _Reporter:
    """What a client tells a sender that adapts."""

    def __init__(self) -> None:
        self._delays: Final = DelayBased()
        self._next, self._came, self._counted = 0, 0, 0
        self._counted_s = time.monotonic()

    def take(self, number: int, sent_s: float, now_s: float, size: int) -> None:
        self._next, self._came = max(self._next, number + 1), self._came + 1
        self._delays.on_packet(Reported(sent_s, now_s, size))

    def report(self, now_s: float) -> bytes:
        return REPORT.pack(self._delays.rate_bps(now_s), self._lost(now_s))

    def _lost(self, now_s: float) -> float:
        if now_s < self._counted_s + COUNTING_S or self._next == self._counted:
            return math.nan
        lost = max(0.0, 1 - self._came / (self._next - self._counted))
        self._counted, self._came, self._counted_s = self._next, 0, now_s
        return lost


def _ask(made: socket.socket, heard: Heard, reporter: _Reporter | None, now_s: float) -> None:
    """Ask for a stream, or report on one that has begun."""
    begun = heard.opened_s is not None
    if begun and reporter is None:
        return
    try:
        made.send(reporter.report(now_s) if begun and reporter else b"ask")
    except ConnectionRefusedError:
        return


def _report(record: dict[str, object]) -> None:
    sys.stdout.write(f"{json.dumps(record)}\n")
    sys.stdout.flush()


TASKS: Final[dict[str, Callable[[Any], None]]] = {
    "voice": lambda asked: send(Voice(**asked)),
    "video": lambda asked: send(Video(**asked)),
    "hear": lambda asked: hear(Hear(**asked)),
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](json.loads(sys.argv[2]))
