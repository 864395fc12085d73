"""Two flows in one drop-tail queue, as thinpipe simulates them: the share of the first."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import thinpipe as tp

SEEDS = range(1, 11)
"""Here times are exact, and who loses packets may be who is in phase: their mean is compared."""
NEAR = 0.1
"""Between both shares of a flow: a tenth of what both carry."""
PACKET = 1500

Pair = tuple[tuple[str, int], tuple[str, int]]
"""Congestion controls and round-trip times in ms of both flows; the first begins first."""


def queue(pair: Pair, rate_bps: int) -> int:
    """Return the bandwidth-delay product of the shorter round trip, in packets."""
    return rate_bps // 8 * min(rtt_ms for _, rtt_ms in pair) // 1000 // PACKET


def share(delivered: Sequence[int]) -> float:
    """Return that of the first flow."""
    return delivered[0] / sum(delivered)


def ours(
    pair: Pair,
    rate_bps: int,
    common: Mapping[str, str | float],
    of_each: Iterable[Mapping[str, str]],
    between_s: tuple[int, int],
) -> float:
    """Return the mean share of the first flow between two times.

    `common` has what both flows have in common, and `of_each` the keys of each one's group.
    """
    settings: dict[str, str | float] = {
        "link.rate": f"{rate_bps} bit/s",
        "queue.packets": queue(pair, rate_bps),
        "flow.count": 0,
        **common,
    }
    for name, (control, _), own in zip("ab", pair, of_each, strict=True):
        keys = {"start": "spread over 5 s", "tcp.congestion_control": control, **own}
        settings |= {f"flow.group.{name}.{key}": value for key, value in keys.items()}
    points = [
        tp.Point.of("link", settings, seed=seed, duration=f"{at_s} s")
        for seed in SEEDS
        for at_s in between_s
    ]
    acked = [[flow.bytes_acked for flow in run.flows] for run in tp.run_many(points)]
    return fmean(
        share([last - first for first, last in zip(begin, end, strict=True)])
        for begin, end in zip(acked[::2], acked[1::2], strict=True)
    )
