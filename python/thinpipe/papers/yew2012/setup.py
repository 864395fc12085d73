"""The paper's runs: the scenario, what is varied, and over which seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.yew2012.arithmetic import whole
from thinpipe.papers.yew2012.printed import BUFFER, PACKET, RTTS, SIZES
from thinpipe.point import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from thinpipe.point import Value

SCENARIO: Final = "hmipv6-handover"
SEEDS: Final = tuple(range(1, 11))

SEEDS_APART: Final = 100
"""Between the first seeds of two RTTs."""

OFF: Final = "off"
ALWAYS: Final = "always"
SLOW_START: Final = "slow-start"

Settings = tuple[tuple[str, "Value"], ...]

AS_IS: Final[Settings] = ()

BASE: Final[Settings] = (("tcp.spacing_rtt", "base"),)
"""Spacing by the base RTT, in the place of the current one."""

RENEWED: Final[Settings] = (("tcp.vegas.base_rtt", "renewed-at-handover"),)
"""Vegas learns its base RTT anew at each handover."""

STILL: Final[Settings] = (
    ("wlan.mobile.MN.position", ["500 m", "0 m"]),
    ("wlan.mobile.MN.walk", []),
)
"""A mobile that stays beside AR1 all the time."""

RENO: Final[Settings] = (("tcp.variant", "reno"),)

NS2_CAP: Final = 1000
"""The most bytes that a packet of ns-2's FTP takes, §VI (i): more go in two packets."""

SHORT_KB: Final = (10, 30, 100)
"""Short transfers; kB are 1000 B."""

SETTLED_S: Final = 40
"""From here on the mobile is known to be at AR1, and no handover is near for 20 s more."""

BUFFERS: Final = {rtt: whole(rtt) for rtt in RTTS}
"""Table VI: 0.835 of a bandwidth-delay product."""

WIRED: Final = "link"
"""A scenario without mobile or radio."""


MAC: Final[Settings] = (("wlan.access", "csma-ca"),)
"""Stations of 802.11 back off at random, as those of ns-2 do."""

GOLDEN: Final = 0.6180339887498949
"""Multiples of this, without their whole part, spread evenly however many there are."""

STARTS_MS: Final = 10_000
"""Within this time each seed draws its start: the mobile is at home until 5 s, leaves, and is at
AR1 from 10.8 s on. The paper does not say when its transfer starts."""


def start_ms(seed: int, within_ms: int = STARTS_MS) -> int:
    """Return when the transfer of a seed starts.

    >>> [start_ms(seed) for seed in (1, 2, 3)]
    [6180, 2361, 8541]
    """
    return round(within_ms * (seed * GOLDEN % 1))


def runs(
    settings: Iterable[tuple[str, Value]], seeds: Sequence[int] = SEEDS, from_s: int = 0
) -> tuple[Point, ...]:
    """Return a run for each seed, whose transfer starts within 10 s of `from_s`."""
    pairs: Settings = (*MAC, *settings)
    return tuple(
        Point.of(
            SCENARIO,
            [*pairs, ("flow.start", f"{1000 * from_s + start_ms(seed)} ms"), ("seed", seed)],
        )
        for seed in seeds
    )


def by_size(
    size: int, spacing: str, more: Settings = AS_IS, cap: int | None = NS2_CAP
) -> tuple[Point, ...]:
    """Return the runs behind a row of Table II or III; `cap` ``None`` sends packets whole."""
    return runs(
        (
            ("ftp.packet_size", f"{size} B"),
            ("ftp.cap", "off" if cap is None else f"{cap} B"),
            ("tcp.spacing", spacing),
            ("duration", "100 s"),
            *more,
        )
    )


def by_rtt(
    rtt_ms: int,
    spacing: str,
    more: Settings = AS_IS,
    buffer: int = BUFFER,
    count: int = len(SEEDS),
) -> tuple[Point, ...]:
    """Return the runs behind a row of Table IV, or of Table VI with its `buffer`.

    Each RTT has seeds of its own, so that rows are independent draws as the paper's are.
    """
    first = 1 + SEEDS_APART * RTTS.index(rtt_ms)
    return runs(
        (
            ("ftp.packet_size", f"{PACKET} B"),
            ("wan.rtt", f"{rtt_ms} ms"),
            ("queue.packets", buffer),
            ("tcp.spacing", spacing),
            ("duration", "500 s"),
            *more,
        ),
        range(first, first + count),
    )


def short(kb: int, spacing: str) -> tuple[Point, ...]:
    """Return short transfers to the mobile in its domain."""
    settings = (("flow.bytes", f"{kb} kB"), ("tcp.spacing", spacing), ("duration", "70 s"))
    return runs(settings, from_s=SETTLED_S)


def wired(more: Settings) -> tuple[Point, ...]:
    """Return the same way without mobile or radio: one link of its least rate and its delay."""
    settings: Settings = (
        ("link.rate", "1 Mbit/s"),
        ("link.delay", "54 ms"),
        ("queue.packets", BUFFER),
        ("tcp.mss", f"{PACKET} B"),
        ("tcp.window", 1000),
        ("flow.bytes", "unlimited"),
        ("duration", "100 s"),
        *more,
    )
    return tuple(
        Point.of(WIRED, [*settings, ("seed", seed), ("flow.start", f"{start_ms(seed)} ms")])
        for seed in SEEDS
    )


TABLES_2_3: Final = {
    (size, spacing): by_size(size, spacing) for size in SIZES for spacing in (OFF, ALWAYS)
}
"""By packet size and spacing."""

TABLE_4: Final = {(rtt, spacing): by_rtt(rtt, spacing) for rtt in RTTS for spacing in (OFF, ALWAYS)}
"""By RTT and spacing; the paper has no column without."""

TABLE_6: Final = {
    (rtt, spacing): by_rtt(rtt, spacing, buffer=BUFFERS[rtt])
    for rtt in RTTS
    for spacing in (OFF, ALWAYS)
}
"""The same with the buffers that the paper recommends, and never ran."""

RENEWED_4: Final = {rtt: by_rtt(rtt, ALWAYS, RENEWED) for rtt in RTTS}
"""With spacing, and a base RTT that is learnt anew at a handover."""

COURSES: Final = {rtt: by_rtt(rtt, ALWAYS)[0] for rtt in RTTS}
"""The run of each RTT that figures 7 and 8 show: its first seed's, whatever it looks like."""
