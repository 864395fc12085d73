"""The pipes of today, what is sent over them, and what stands in front of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.setup import point

if TYPE_CHECKING:
    from collections.abc import Iterable

    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.point import Point, Value

SEEDS: Final = range(1, 6)

PING_BITS: Final = 8 * 56
"""Payload of a datagram that tells how long the pipe takes, as a ping would."""


@dataclass(frozen=True, slots=True)
class Pipe:
    """A scenario that ships, and what an operator of a middlebox in front of it knows.

    Attributes
    ----------
    scenario, title
        Its name, and what figures call it.
    seconds
        How long a run is: some hundred round trips or more.
    rate_kbps, round_trip_ms
        What the radio carries, and what it takes when it is not loaded.
    reports
        Whether the base station tells the middlebox its rate.
    ping_ms
        From one datagram to the next: they take less than 3 % of the rate.
    """

    scenario: str
    title: str
    seconds: int
    rate_kbps: float
    round_trip_ms: float
    reports: bool = False
    ping_ms: int = 50


PIPES: Final = {
    pipe.scenario: pipe
    for pipe in (
        Pipe("hsdpa-3.6", "HSDPA", 60, 3_000, 90, reports=True),
        Pipe("lte-cat4", "LTE cat 4", 30, 60_000, 35, reports=True),
        Pipe("lte-cat1", "LTE cat 1", 60, 8_700, 40, reports=True),
        Pipe("lte-m", "LTE-M", 60, 820, 60, reports=True),
        Pipe("lte-drive", "LTE drive", 60, 14_000, 60),
        Pipe("nr-tdd-100", "NR 100 MHz", 20, 600_000, 20, reports=True),
        Pipe("nr-mmwave-blockage", "NR mmWave", 30, 500_000, 15, reports=True),
        Pipe("nb-iot", "NB-IoT 0", 600, 20, 2_000, reports=True, ping_ms=10_000),
        Pipe("nb-iot-1", "NB-IoT 1", 600, 5, 3_000, reports=True, ping_ms=20_000),
        Pipe("nb-iot-2", "NB-IoT 2", 1_200, 0.5, 10_000, reports=True, ping_ms=60_000),
        Pipe("leo-15s", "LEO", 60, 50_000, 50),
        Pipe("geo-600", "GEO", 60, 100_000, 600),
        Pipe("geo-12-3-lossy", "GEO, lossy", 120, 12_000, 600),
        Pipe("satcom-edge", "Satcom edge", 300, 2_000, 1_000),
    )
}

VARIANTS: Final = ("reno", "cubic", "vegas", "westwood", "bbr")

MIDDLEBOXES: Final = ("snoop", "split", "atcp")
"""In front of CUBIC."""

ROWS: Final = (*VARIANTS, *MIDDLEBOXES)

NAMES: Final = {
    "reno": "Reno",
    "cubic": "CUBIC",
    "vegas": "Vegas",
    "westwood": "Westwood+",
    "bbr": "BBR",
}


def heading(row: str) -> str:
    """Return what tables and figures call a row."""
    return NAMES[row] if row in VARIANTS else f"CUBIC, {row}"


HEADROOM: Final = 1.1
"""The window of atcp beyond what the operator knows, a tenth: its queue."""


def aggregating(pipe: Pipe) -> Settings:
    """Return atcp as an operator sets it up: a window of rate · RTT, a tenth of it as queue."""
    in_flight = pipe.rate_kbps / 8 * pipe.round_trip_ms
    return (
        ("middlebox.kind", "atcp"),
        ("middlebox.atcp.rate", f"{pipe.rate_kbps} kbit/s"),
        ("middlebox.atcp.round_trip", f"{pipe.round_trip_ms} ms"),
        ("middlebox.atcp.headroom", HEADROOM),
        ("middlebox.atcp.clamp", f"{HEADROOM * in_flight + 3_000:.0f} B"),
        ("middlebox.atcp.budget", f"{max(10 * in_flight, 128_000):.0f} B"),
        ("middlebox.atcp.min_rto", f"{max(1_000.0, 2 * pipe.round_trip_ms):.0f} ms"),
        ("middlebox.atcp.estimator", "radio" if pipe.reports else "static"),
    )


def row(name: str, pipe: Pipe) -> Settings:
    """Return the settings of a variant, or of a middlebox in front of CUBIC."""
    match name:
        case "atcp":
            return aggregating(pipe)
        case "split":
            buffer = f"{max(4 * pipe.rate_kbps / 8 * pipe.round_trip_ms, 1_000_000):.0f} B"
            return (
                ("middlebox.kind", "split"),
                ("middlebox.split.receive_buffer", buffer),
                ("middlebox.split.send_buffer", buffer),
            )
        case "snoop":
            return (("middlebox.kind", "snoop"),)
        case _:
            return (("tcp.variant", name),)


def pinged(pipe: Pipe) -> Settings:
    """Return datagrams towards the mobile beside the flow: what they take is the delay.

    They begin when the mobile is connected and the start of the flow is over.
    """
    rate = round(PING_BITS * 1000 / pipe.ping_ms)
    return (
        ("flow.group.ping.application", "udp"),
        ("flow.group.ping.bytes", "unlimited"),
        ("flow.group.ping.start", f"{pipe.seconds // 10} s"),
        ("flow.group.ping.udp.payload", f"{PING_BITS // 8} B"),
        ("flow.group.ping.udp.rate", f"{rate} bit/s"),
    )


def run(pipe: Pipe, name: str, *more: Iterable[tuple[str, Value]], seed: int = 1) -> Point:
    """Return a run of a row over a pipe, with whatever else is set."""
    base = (("duration", f"{pipe.seconds} s"), ("flow.direction", "downlink"))
    return point(pipe.scenario, base, row(name, pipe), *more, seed=seed)


def download(pipe: Pipe, name: str, seed: int, *more: Iterable[tuple[str, Value]]) -> Point:
    """Return a download for the whole time, with pings beside it."""
    return run(pipe, name, (("flow.bytes", "unlimited"),), pinged(pipe), *more, seed=seed)


BEST_SNR: Final[Settings] = (
    ("radio.downlink.snr", "40 dB"),
    ("radio.uplink.snr", "40 dB"),
    ("radio.fading.deviation", "0 dB"),
)
