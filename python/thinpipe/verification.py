"""A check of an emulated link: what is set beside what programs behind it measure."""

from __future__ import annotations

import socket
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from thinpipe import _core
from thinpipe.namespaces import Command
from thinpipe.outline import seconds_of
from thinpipe.point import Point
from thinpipe.run import run_point
from thinpipe.testbed.endpoints import Fetch, Listener, Ping
from thinpipe.testbed.ends import Ends, Running
from thinpipe.testbed.media import Hear, Heard, Voice

if TYPE_CHECKING:
    from thinpipe.emulation import EmulatedNetwork

IP_UDP: Final = 28
"""Bytes of the headers of IPv4 and UDP."""

PING_BYTES: Final = 84
"""Bytes of an echo request of ping's usual size, headers included."""

FULL_BYTES: Final = 1500
"""Bytes of a full packet."""

SHARE_OF_RATE: Final = 0.9
"""Load of UDP, of the rate that is set."""

PINGS, PING_PERIOD_S = 20, 0.1
BULK_S: Final = 3.0
STREAM_S: Final = 2.0
PAGE_OBJECTS: Final = 10
PAGE_S: Final = 2.0
"""Bytes of a page are what the rate carries in this time, ..."""
PAGE_MOST: Final = 1_000_000
"""... and no more than this."""

LIMIT_S: Final = 60.0
"""Longest wait for a program, far above what it takes."""

WAYS: Final = {"down": "link", "up": "link.back"}

RATES: Final = {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}


@dataclass(frozen=True, slots=True)
class Way:
    """One direction of a link, as it is set.

    Attributes
    ----------
    rate_bps
        Rate of IP packets; ``None`` is unlimited, or that of a radio, which sets none.
    delay_s
        One-way delay, in the mean; ``None`` of a radio.
    loss
        Share of packets lost, each by chance; ``None`` of a radio, or where losses are not all.
    """

    rate_bps: float | None
    delay_s: float | None
    loss: float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a link.

    Attributes
    ----------
    what
        What it is.
    unit
        Its unit: ``ms``, ``kbit/s``, ``%`` or ``s``.
    expected
        As it is set, or as the simulator has it of the same link; ``None`` of neither.
    measured
        As programs measured it; ``None`` if nothing came.
    """

    what: str
    unit: str
    expected: float | None
    measured: float | None


@dataclass(frozen=True, slots=True)
class Load:
    """Packets of so many bytes, headers included, at even intervals that make a rate."""

    rate_bps: float
    packet: int = FULL_BYTES


@dataclass(frozen=True, slots=True)
class Stream:
    """Packets of a load, as they came.

    Attributes
    ----------
    sent
        How many were sent, up to the last that came.
    received
        How many of them came.
    rate_bps
        Rate of IP packets between the first and the last that came; ``None`` of fewer than two.
    """

    sent: int
    received: int
    rate_bps: float | None

    @classmethod
    def of(cls, heard: Heard, packet: int) -> Stream:
        """Return what a receiver heard of packets of so many bytes."""
        times = sorted(sent_s + delay_s for _, sent_s, delay_s, _ in heard.packets)
        numbers = {number for number, *_ in heard.packets}
        span_s = times[-1] - times[0] if times else 0.0
        rate_bps = (len(times) - 1) * packet * 8 / span_s if span_s > 0 else None
        return cls(max(numbers, default=-1) + 1, len(numbers), rate_bps)

    @property
    def lost(self) -> float | None:
        """Share that did not come; ``None`` if nothing was sent."""
        return 1 - self.received / self.sent if self.sent else None


class _Side(Ends):
    """The programs of one side of an emulated link."""

    def __init__(
        self, name: str, address: str, start: Callable[..., subprocess.Popen[Any]]
    ) -> None:
        self.name, self.address = name, address
        self._start = start

    def popen(self, command: Command, **options: object) -> subprocess.Popen[Any]:
        return self._start(command, **options)


class Prober:
    """What measures a running emulated link.

    Parameters
    ----------
    net
        The link; its block has begun.
    """

    def __init__(self, net: EmulatedNetwork) -> None:
        self._net: Final = net
        network = _Side("network", str(net.gateway), net.popen_outside)
        program = _Side("program", str(net.gateway + 1), net.popen)
        self._sides: Final = {"down": (network, program), "up": (program, network)}

    def ping(self, count: int = PINGS, period_s: float = PING_PERIOD_S) -> list[float]:
        """Return round-trip times in seconds of echo requests, of those that were answered."""
        network, program = self._sides["down"]
        task = Ping(network.address, count, period_s, wait_s=10.0)
        echoes = program.ping(task).all(count * period_s + LIMIT_S)
        return [echo.rtt_s for echo in echoes if echo.rtt_s is not None]

    def bulk(self, way: str, seconds: float, most: int) -> float:
        """Return the payload per second, in bit/s, of TCP over so many seconds from its SYN on."""
        sender, receiver = self._sides[way]
        port = _free_port(socket.SOCK_STREAM)
        server = sender.serve([Listener(port, bytes=most)])
        taking = receiver.fetch([Fetch(sender.address, port, does="drink", limit_s=LIMIT_S)])
        time.sleep(seconds + START_S)
        [flow] = taking.so_far()
        server.program.kill()
        server.program.communicate()
        self._quiet()
        taken = [size for at_s, size in flow.curve if at_s <= seconds]
        return (taken[-1] if taken else 0) * 8 / seconds

    def streams(self, loads: Mapping[str, Load], seconds: float) -> dict[str, Stream]:
        """Return what came of the packets of a load in each of these directions at once."""
        running = {way: self._begin(way, load) for way, load in loads.items()}
        time.sleep(seconds)
        came = {}
        for way, (source, hearing) in running.items():
            [heard] = hearing.so_far()
            source.kill()
            source.communicate()
            came[way] = Stream.of(heard, loads[way].packet)
        self._quiet()
        return came

    def _begin(self, way: str, load: Load) -> tuple[subprocess.Popen[str], Running[Heard]]:
        sender, receiver = self._sides[way]
        port = _free_port(socket.SOCK_DGRAM)
        interval_s = load.packet * 8 / load.rate_bps
        source = sender.send_media(Voice(port, load.packet - IP_UDP, interval_s))
        return source, receiver.hear(Hear(sender.address, port))

    def page(self, objects: int, each: int) -> float | None:
        """Return the time in seconds in which so many objects came, asked for at once; by TCP.

        ``None`` if one of them did not come.
        """
        network, program = self._sides["down"]
        port = _free_port(socket.SOCK_STREAM)
        server = network.serve([Listener(port, does="answer")])
        asked = Fetch(network.address, port, does="ask", bytes=each, limit_s=LIMIT_S)
        flows = program.fetch([asked] * objects).all(LIMIT_S + 10)
        server.program.kill()
        server.program.communicate()
        if not all(flow.whole for flow in flows):
            return None
        ends = [flow.opened_s + (flow.last_s or 0.0) for flow in flows]
        return max(ends) - min(flow.opened_s for flow in flows)

    def _quiet(self) -> None:
        """Wait until nothing is queued any more, or for long enough."""
        until_s = time.monotonic() + QUIET_S
        while time.monotonic() < until_s:
            meter = self._net.meter()
            if not any(meter[way]["queue"]["packets"] for way in ("down", "up")):
                return
            time.sleep(0.02)


START_S: Final = 0.2
"""Time that a program takes to start."""

QUIET_S: Final = 10.0


def figures(net: EmulatedNetwork, point: Point) -> Iterator[Figure]:
    """Measure `net`, which emulates `point`, and yield each figure as it is known."""
    ways, prober = as_set(point), Prober(net)
    down, up = ways["down"], ways["up"]
    rtts = prober.ping()
    yield Figure(
        f"ping of {PING_BYTES} B, median",
        "ms",
        _round_trip_ms(down, up),
        statistics.median(rtts) * 1e3 if rtts else None,
    )
    carried: dict[str, float] = {}
    for name, way in ways.items():
        most = int((way.rate_bps or MOST_BPS) * (BULK_S + 1) / 8) + 1_000_000
        carried[name] = prober.bulk(name, BULK_S, most)
        yield Figure(
            f"TCP {name}, {BULK_S:g} s",
            "kbit/s",
            _simulated_bulk_bps(point, name) / 1e3,
            carried[name] / 1e3,
        )
    rates = {
        name: SHARE_OF_RATE * min(way.rate_bps or carried[name] or LEAST_BPS, MOST_BPS)
        for name, way in ways.items()
    }
    came = prober.streams({name: Load(rate_bps) for name, rate_bps in rates.items()}, STREAM_S)
    for name, rate_bps in rates.items():
        loss, stream = ways[name].loss, came[name]
        kept_bps = rate_bps * (1 - (loss or 0.0))
        yield Figure(
            f"UDP {name} at {SHARE_OF_RATE:.0%} of {'the rate' if ways[name].rate_bps else 'that'}",
            "kbit/s",
            kept_bps / 1e3,
            _times(stream.rate_bps, 1e-3),
        )
        yield Figure(f"lost of it {name}", "%", _times(loss, 100), _times(stream.lost, 100))
    of_rate = (down.rate_bps or carried["down"]) * PAGE_S / 8
    each = max(1, int(min(of_rate, PAGE_MOST)) // PAGE_OBJECTS)
    yield Figure(
        f"page of {PAGE_OBJECTS} objects of {each / 1e3:.3g} kB",
        "s",
        _simulated_page_s(point, each),
        prober.page(PAGE_OBJECTS, each),
    )


LEAST_BPS, MOST_BPS = 8e3, 50e6
"""Rates between which these programs load a link whose own is not known."""


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def as_set(point: Point) -> dict[str, Way]:
    """Return both directions of a link, as they are set; of a radio nothing is."""
    values = dict(_core.values(point.scenario.source, point.scenario.name, point.settings))
    return {name: _way(values, way, name) for name, way in WAYS.items()}


def _way(values: Mapping[str, str], way: str, name: str) -> Way:
    if "link.rate" not in values:
        return Way(None, None, None)
    steady = values[f"{way}.schedule"] == values[f"{way}.outages"] == "[]"
    rate = values[f"{way}.rate"]
    has_rate = steady and rate != "unlimited" and values[f"link.trace.{name}"] == "off"
    wires = [
        value
        for key, value in values.items()
        if key.startswith("wired.") and key.endswith(".delay")
    ]
    delay = values[f"{way}.delay"]
    delay = values["link.delay"] if delay == "as link.delay" else delay
    by_chance = values[f"{way}.gilbert_elliott.p"] == values[f"{way}.gilbert_elliott.loss_good"]
    return Way(
        _bps(rate) if has_rate else None,
        sum(map(seconds_of, wires)) + seconds_of(delay) if steady else None,
        float(values[f"{way}.loss"]) if steady and by_chance else None,
    )


def _bps(rate: str) -> float:
    number, unit = rate.split()
    return float(number) * RATES[unit]


def _round_trip_ms(down: Way, up: Way) -> float | None:
    if down.delay_s is None or up.delay_s is None:
        return None
    sending_s = sum(PING_BYTES * 8 / way.rate_bps for way in (down, up) if way.rate_bps)
    return (down.delay_s + up.delay_s + sending_s) * 1e3


def _simulated_bulk_bps(point: Point, way: str) -> float:
    found = run_point(
        _with(
            point,
            {
                "flow.bytes": "unlimited",
                "flow.direction": {"down": "downlink", "up": "uplink"}[way],
                "duration": f"{BULK_S:g} s",
            },
        )
    )
    flow = found.flows[0]
    return (flow.goodput_bps or 0.0) * (1 - (flow.started_s or 0.0) / BULK_S)


def _simulated_page_s(point: Point, each: int) -> float | None:
    found = run_point(
        _with(
            point,
            {
                "flow.count": str(PAGE_OBJECTS),
                "flow.bytes": f"{each} B",
                "duration": f"{LIMIT_S:g} s",
            },
        )
    )
    ends = [flow.received_s for flow in found.flows]
    return None if None in ends else max(end for end in ends if end is not None)


def _with(point: Point, settings: Mapping[str, str]) -> Point:
    usual = {"flow.application": "file", "flow.opened_by": "receiver", "tcp.profile": "modern"}
    kept = [(key, value) for key, value in point.settings if not key.startswith(("flow.", "tcp."))]
    return Point(point.scenario, (*kept, *(usual | dict(settings)).items()))


def _free_port(kind: socket.SocketKind) -> int:
    with socket.socket(socket.AF_INET, kind) as tried:
        tried.bind(("", 0))
        return int(tried.getsockname()[1])
