"""How much recovery (VI.C): limits of retransmissions, and delivery in and out of sequence."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.measuring import (
    bytes_per_s,
    deviation_ms,
    each,
    mean,
    rlc_effort,
    spurious,
    tcp_effort,
    timeouts,
)
from thinpipe.papers.hynderick2004.chapter6.recovery import BLOCK_BYTES, STANDARD, THESIS
from thinpipe.papers.hynderick2004.chapter6.setup import SEEDS, bearer, transfer
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import percent, short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]
    Integers = NDArray[np.int64]

SF: Final = 8
PAYLOAD: Final = 500
LIMITS: Final = (0, 1, 2, 3, 5, 10, None)
"""Retransmissions of a PDU, at most; `None` is no limit."""

BLERS: Final = (0.01, 0.05, 0.1, 0.2, 0.3)

IN_SEQUENCE: Final[Settings] = ()
OUT_OF_SEQUENCE: Final[Settings] = (("radio.rlc.in_order", False),)
ORDERS: Final = ((IN_SEQUENCE, "in sequence"), (OUT_OF_SEQUENCE, "out of sequence"))
PROFILES: Final = ((THESIS, "thesis"), (STANDARD, "3gpp"))


def limited(limit: int | None, bler: float) -> tuple[Point, ...]:
    """Return the runs with a limit of retransmissions, one per seed."""
    most = "unlimited" if limit is None else limit
    more = (("radio.rlc.max_retransmissions", most), ("radio.rlc.on_limit", "discard"))
    return tuple(
        transfer(bearer(SF), payload=PAYLOAD, bler=bler, seed=seed, more=more) for seed in SEEDS
    )


def ordered(profile: Settings, order: Settings, bler: float) -> tuple[Point, ...]:
    """Return the runs with delivery in or out of sequence, one per seed."""
    more = (*profile, *order)
    return tuple(
        transfer(bearer(SF), payload=PAYLOAD, bler=bler, seed=seed, more=more) for seed in SEEDS
    )


SLOW_SF: Final = 128
SLOW_PAYLOAD: Final = 1500
"""A packet of 1,540 B takes 0.4 s at 30 kbit/s: where retransmissions last longest."""

SLOW_BLER: Final = 0.1
"""The higher of the thesis's two."""


SLOW: Final = tuple(
    transfer(bearer(SLOW_SF), payload=SLOW_PAYLOAD, bler=SLOW_BLER, seed=seed)
    for seed in range(1, 21)
)
"""Runs on this bearer without a limit."""


LIMIT_POINTS: Final = (
    *(point for limit, bler in product(LIMITS, BLERS) for point in limited(limit, bler)),
    *SLOW,
)
ORDER_POINTS: Final = tuple(
    point
    for (profile, _), (order, _), bler in product(PROFILES, ORDERS, BLERS)
    for point in ordered(profile, order, bler)
)


def burst(run: Outcome) -> float:
    """Return how many data segments a burst has: the mean over instants that bring two or more.

    Without such an instant it is 1.
    """
    sizes = _bursts(run)
    several = sizes[sizes > 1]
    return float(several.mean()) if len(several) else 1.0


def largest_burst(run: Outcome) -> float:
    """Return how many data segments reach the mobile in one instant at most."""
    return float(_bursts(run).max(initial=0))


def _bursts(run: Outcome) -> Integers:
    table = run.tables["segments"]
    data = table.filter((table["payload_bytes"] > 0) & (table["event"] == "received"))
    sizes: Integers = np.unique(data["time_s"].to_numpy(), return_counts=True)[1]
    return sizes


def bounded_over_unbounded(outcomes: Outcomes) -> list[float]:
    """Return by how many per cent a limit helps at most, over limits and block error rates."""
    return [
        max(
            100 * (mean(outcomes, limited(limit, bler), bytes_per_s) / whole - 1)
            for bler in BLERS
            for whole in [mean(outcomes, limited(None, bler), bytes_per_s)]
            for limit in LIMITS[:-1]
        )
    ]


MEASURES: Final[dict[str, Measure]] = {
    "c15-bound": bounded_over_unbounded,
    "c15-spurious": lambda outcomes: [
        float(sum(count > 0 for count in each(outcomes, SLOW, spurious)))
    ],
    "c16-burst": lambda outcomes: each(outcomes, ordered(THESIS, IN_SEQUENCE, 0.1), burst),
}


def table_limits(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate throughput and all that pays for it against the limit."""
    values: tuple[tuple[str, Callable[[Outcome], float]], ...] = (
        ("Throughput in B/s", bytes_per_s),
        ("Deviation of round-trip times in ms", deviation_ms),
        ("Mean burst at the mobile in segments", burst),
        ("Timeouts", timeouts),
        ("Spurious timeouts", spurious),
        ("TCP payload sent over delivered", lambda run: tcp_effort(run, PAYLOAD)),
        ("RLC bytes sent downlink over payload delivered", rlc_effort),
    )
    head = ("BLER", *("no limit" if limit is None else f"limit {limit}" for limit in LIMITS))
    return tuple(
        Table(
            f"{caption}, mean of five seeds",
            head,
            tuple(
                (
                    percent(bler),
                    *(short(mean(outcomes, limited(limit, bler), value), 4) for limit in LIMITS),
                )
                for bler in BLERS
            ),
        )
        for caption, value in values
    )


def table_orders(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate delivery in and out of sequence."""
    rows = []
    for (profile, profile_name), bler, (order, name) in product(PROFILES, BLERS, ORDERS):
        points = ordered(profile, order, bler)
        values: tuple[Callable[[Outcome], float], ...] = (
            bytes_per_s,
            deviation_ms,
            burst,
            largest_burst,
            lambda run: float(run.flow.fast_retransmits),
            spurious,
            lambda run: tcp_effort(run, PAYLOAD),
            partial(rlc_effort, block=BLOCK_BYTES[profile]),
        )
        cells = (short(mean(outcomes, points, value), 4) for value in values)
        rows.append((f"{profile_name}, {percent(bler)}, {name}", *cells))
    head = ("", "B/s", "RTT deviation ms", "burst", "max burst", "fast retransmits",
            "spurious timeouts", "TCP sent/delivered", "RLC sent/delivered")  # fmt: skip
    return (Table("Delivery in and out of sequence, mean of five seeds", head, tuple(rows)),)
