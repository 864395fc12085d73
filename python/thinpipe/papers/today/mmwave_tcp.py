"""TCP over millimetre waves by round-trip time, as Narayanan et al. (SIGCOMM 2021) measured it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.setup import point

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

NO_LIMIT: Final = (("tcp.receive_buffer", "64 MB"),)
"""More than pipe and queue hold together."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server, and the pipe to it.

    Attributes
    ----------
    round_trip_ms, udp_mbps
        The least round trip and the rate of UDP: measured.
    wire_ms, background_percent
        Delay of the wire one way, and what part of the cell others have: set so that ours are
        the same.
    """

    round_trip_ms: int
    udp_mbps: int
    wire_ms: float
    background_percent: float


SERVERS: Final = (
    Server(20, 2239, 9.5, 10),
    Server(43, 2079, 21.1, 16.2),
    Server(58, 2316, 28.6, 6.4),
    Server(91, 2155, 45.1, 12.4),
)

PIPE: Final[Settings] = (
    ("radio.blockage.loss", "0 dB"),
    ("radio.nr.resource_blocks", 264),  # 400 MHz (TS 38.101-2 table 5.3.2-1)
    ("radio.downlink.snr", "30 dB"),  # our choice, as the table of schemes: above 2.4 Gbit/s
    ("radio.downlink.mcs_table", "256qam"),
    ("flow.bytes", "unlimited"),
    ("flow.direction", "downlink"),
    ("tcp.receive_offload", "true"),
)

TRANSFERS: Final[dict[str, Settings]] = {
    "udp": (
        ("flow.application", "udp"),
        ("flow.udp.payload", "1400 B"),
        ("flow.udp.rate", "3 Gbit/s"),
        ("duration", "5 s"),
    ),
    # tcp(7) of Linux: at most 6,291,456 B of buffer, of which half is the window.
    "default": (("tcp.receive_buffer", f"{6_291_456 // 2} B"),),
    "tuned": NO_LIMIT,
    "eight": (("tcp.receive_buffer", f"{6_291_456 // 2} B"), ("flow.count", 8)),
}
"""What is sent. The sender allows more in flight than the receiver."""


def transferred(server: Server, name: str) -> Point:
    """Return a transfer from a server."""
    distance = (
        ("wired.core.delay", f"{server.wire_ms} ms"),
        ("radio.background", f"{server.background_percent} %"),
        ("tcp.window", 45_000),
        ("duration", "15 s"),
    )
    return point("nr-mmwave-blockage", PIPE, distance, TRANSFERS[name])


POINTS: Final = tuple(transferred(server, name) for server in SERVERS for name in TRANSFERS)


def rate_mbps(outcome: Outcome) -> float:
    """Return the goodput of all flows together, in Mbit/s."""
    return math.fsum(flow.goodput_bps or 0.0 for flow in outcome.result.flows) / 1e6


def _rate(server: Server, name: str) -> Callable[[Outcomes], Sequence[float]]:
    return lambda outcomes: [rate_mbps(outcomes[transferred(server, name)])]


MEASURES: Final = {
    f"mmwave-{name}-{server.round_trip_ms}": _rate(server, name)
    for server in SERVERS
    for name in TRANSFERS
    if name != "udp"
}
