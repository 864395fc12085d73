"""A check of an emulated link: what is set beside what programs behind it measure."""

from __future__ import annotations

import socket
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from thinpipe import _core
from thinpipe.named_pipes import Way
from thinpipe.namespaces import Command
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


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a link.

    Attributes
    ----------
    what
        Its name.
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
    """Programs that measure a running emulated link.

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
        """Return the rate of TCP's payload in bit/s, over so many seconds from its SYN on."""
        sender, receiver = self._sides[way]
        port = _free_port(socket.SOCK_STREAM)
        server = sender.serve([Listener(port, bytes=most)])
        taking = receiver.fetch([Fetch(sender.address, port, does="drink", limit_s=LIMIT_S)])
        time.sleep(seconds + START_S)
        ended_s = time.monotonic()
        [flow] = taking.so_far()
        server.program.kill()
        server.program.communicate()
        self._quiet()
        # On a busy machine the program starts later, and has less time.
        span_s = min(seconds, ended_s - flow.opened_s)
        taken = [size for at_s, size in flow.curve if at_s <= span_s]
        return (taken[-1] if taken else 0) * 8 / span_s

    def streams(self, loads: Mapping[str, Load], seconds: float) -> dict[str, Stream]:
        """Return what came of the packets of a load in each of these directions at once."""
        running = {way: self._begin(way, load) for way, load in loads.items()}
        time.sleep(seconds)
        # All at once: what still comes to one that has ended is answered by ICMP, the other way.
        for _, hearing in running.values():
            hearing.program.terminate()
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
    rtts = prober.ping()
    median_s = statistics.median(rtts) if rtts else None
    expected_s = _round_trip_s([*ways.values()])
    yield Figure(f"ping of {PING_BYTES} B, median", "ms", _in(expected_s, 1e3), _in(median_s, 1e3))
    carried_bps: dict[str, float] = {}
    for name, way in ways.items():
        rate_bps = (way and way.rate_bps) or MOST_BPS
        most = int(rate_bps * (BULK_S + 1) / 8) + 1_000_000
        carried_bps[name] = prober.bulk(name, BULK_S, most)
        simulated_bps = _simulated_bulk_bps(point, name)
        kbps = (_in(bps, 1e-3) for bps in (simulated_bps, carried_bps[name]))
        yield Figure(f"TCP {name}, {BULK_S:g} s", "kbit/s", *kbps)
    yield from _of_streams(prober, ways, carried_bps)
    down = ways["down"]
    page = ((down and down.rate_bps) or carried_bps["down"]) * PAGE_S / 8
    each = max(1, int(min(page, PAGE_MOST)) // PAGE_OBJECTS)
    name = f"page of {PAGE_OBJECTS} objects of {each / 1e3:.3g} kB"
    yield Figure(name, "s", _simulated_page_s(point, each), prober.page(PAGE_OBJECTS, each))


def _of_streams(
    prober: Prober, ways: Mapping[str, Way | None], carried_bps: Mapping[str, float]
) -> Iterator[Figure]:
    """Yield what UDP gets of most of the rate that is set, or that TCP got, both ways at once."""
    whole = {name: (way and way.rate_bps) or carried_bps[name] for name, way in ways.items()}
    loads = {
        name: Load(SHARE_OF_RATE * min(bps or LEAST_BPS, MOST_BPS)) for name, bps in whole.items()
    }
    for name, stream in prober.streams(loads, STREAM_S).items():
        way = ways[name]
        loss = None if way is None else way.loss
        expected_bps = loads[name].rate_bps * (1 - (loss or 0.0))
        of = "the rate" if way and way.rate_bps else "that"
        kbps = (_in(bps, 1e-3) for bps in (expected_bps, stream.rate_bps))
        yield Figure(f"UDP {name} at {SHARE_OF_RATE:.0%} of {of}", "kbit/s", *kbps)
        percent = (_in(share, 100) for share in (loss, stream.lost))
        yield Figure(f"lost of it {name}", "%", *percent)


LEAST_BPS, MOST_BPS = 8e3, 50e6
"""Rates between which these programs load a link whose own is not known."""


def _in(value: float | None, units: float) -> float | None:
    return None if value is None else value * units


def as_set(point: Point) -> dict[str, Way | None]:
    """Return both directions of a link, as they are set.

    ``None`` for one whose figures do not stand still, or are not set: of a radio or a recording,
    with steps, outages or losses in bursts.
    """
    values = dict(_core.values(point.scenario.source, point.scenario.name, point.settings))
    return {name: _way(values, way, name) for name, way in WAYS.items()}


def _way(values: Mapping[str, str], way: str, name: str) -> Way | None:
    if "link.rate" not in values or values[f"link.trace.{name}"] != "off":
        return None
    bursts = (f"{way}.gilbert_elliott.p", f"{way}.gilbert_elliott.loss_good")
    if any(values[key] != "0" for key in bursts):
        return None
    if any(values[f"{way}.{key}"] != "[]" for key in ("schedule", "outages")):
        return None

    wires = [
        _core.number("wired.NAME.delay", value) or 0.0
        for key, value in values.items()
        if key.startswith("wired.") and key.endswith(".delay")
    ]
    own_s = _core.number(f"{way}.delay", values[f"{way}.delay"])
    delay_s = _core.number("link.delay", values["link.delay"]) if own_s is None else own_s
    return Way(
        _core.number(f"{way}.rate", values[f"{way}.rate"]),
        sum(wires) + (delay_s or 0.0),
        _core.number(f"{way}.jitter", values[f"{way}.jitter"]) or 0.0,
        _core.number(f"{way}.loss", values[f"{way}.loss"]) or 0.0,
    )


def _round_trip_s(ways: Sequence[Way | None]) -> float | None:
    """Return what a ping takes, in the mean, over directions that are set."""
    known = [way for way in ways if way is not None]
    if len(known) < len(ways):
        return None
    sending_s = sum(PING_BYTES * 8 / way.rate_bps for way in known if way.rate_bps)
    return sum(way.delay_s for way in known) + sending_s


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
