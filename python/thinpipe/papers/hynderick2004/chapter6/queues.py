"""Queues ahead of the radio (VI.C): figures VI.8 to VI.16 and Table VI.2."""

from __future__ import annotations

from functools import partial
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.measuring import (
    each,
    kbps,
    mean,
    mean_outstanding,
    percent_more,
    resent,
    rlc_effort,
    rtt_ms,
    tau,
    tcp_effort,
)
from thinpipe.papers.hynderick2004.chapter6.recovery import TOGETHER
from thinpipe.papers.hynderick2004.chapter6.setup import (
    COMPARED,
    SEEDS,
    SF_OF,
    bearer,
    transfer,
)
from thinpipe.papers.hynderick2004.tables import NAMES
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

QUEUES: Final = (2, 4, 6, 8, 10, 15, 50)
RATES: Final = (60, 120, 240)
"""kbit/s."""
PAYLOADS: Final = (500, 1500)
BLERS: Final = (0.0, 0.1)
SETTINGS: Final = tuple(product(RATES, PAYLOADS))

ENOUGH: Final = 0.95
"""A queue suffices if it keeps this share of the best throughput."""


def runs(
    rate: int, payload: int, bler: float, queue: int, variant: str = "tahoe"
) -> tuple[Point, ...]:
    """Return the runs behind one mark of a figure, one per seed."""
    return tuple(
        transfer(
            bearer(SF_OF[rate]),
            payload=payload,
            bler=bler,
            queue=queue,
            variant=variant,
            seed=seed,
        )
        for seed in SEEDS
    )


POINTS: Final = tuple(
    point
    for rate, payload in SETTINGS
    for bler in BLERS
    for queue in QUEUES
    for point in runs(rate, payload, bler, queue)
)
OUTSTANDING_POINTS: Final = tuple(
    point
    for rate, payload in SETTINGS
    for queue in QUEUES
    for point in runs(rate, payload, BLERS[-1], queue)
)
VARIANT_POINTS: Final = tuple(
    point
    for rate, payload in SETTINGS
    for queue in QUEUES
    for variant in COMPARED
    for point in runs(rate, payload, BLERS[-1], queue, variant)
)


def together(rate: int, payload: int, queue: int) -> tuple[Point, ...]:
    """Return runs at BLER 10 % with one draw a block, one per seed."""
    return tuple(
        transfer(
            bearer(SF_OF[rate]),
            payload=payload,
            bler=0.1,
            queue=queue,
            seed=seed,
            more=TOGETHER,
        )
        for seed in SEEDS
    )


TOGETHER_POINTS: Final = (
    *together(60, 1500, 50),
    *together(120, 500, 4),
    *together(120, 500, 50),
)


def over_time(queue: int) -> Point:
    """Return the run of figure VI.11 or VI.12."""
    return runs(60, 500, 0.1, queue)[0]


def curve(
    outcomes: Outcomes,
    value: Callable[[Outcome], float],
    rate: int,
    payload: int,
    bler: float,
    variant: str = "tahoe",
) -> list[float]:
    """Return the mean over seeds of a value at each queue."""
    return [mean(outcomes, runs(rate, payload, bler, queue, variant), value) for queue in QUEUES]


def curves(outcomes: Outcomes, value: Callable[[Outcome], float], bler: float) -> list[list[float]]:
    """Return this curve for each rate and payload."""
    return [curve(outcomes, value, rate, payload, bler) for rate, payload in SETTINGS]


# --- Tables ---------------------------------------------------------------------------------------

TABLE_2: Final = (
    (240, 1500, 4, 194.208, 297.84),
    (240, 500, 6, 171.434, 231.94),
    (120, 1500, 2, 99.336, 357.28),
    (120, 500, 4, 87.4944, 251.44),
    (60, 1500, 2, 52.3568, 830.98),
    (60, 500, 2, 43.1904, 278.84),
)
"""Table VI.2: kbit/s, payload, queue; throughput in kbit/s, mean round-trip time in ms."""


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate what the text states at BLER 10 %, and transmission effort."""
    return (_draws(outcomes), *_efforts(outcomes))


def _draws(outcomes: Outcomes) -> Table:
    """Tabulate what the text states at BLER 10 %, with two draws a block and with one."""
    cells: tuple[tuple[str, int, int, int, Callable[[Outcome], float], float], ...] = (
        ("RTT ms", 60, 1500, 50, rtt_ms, 5700),
        ("kbit/s", 120, 500, 4, kbps, 67.2),
        ("RTT ms", 120, 500, 4, rtt_ms, 325),
        ("kbit/s", 120, 500, 50, kbps, 77.4),
        ("RTT ms", 120, 500, 50, rtt_ms, 1015),
    )
    rows = tuple(
        (
            f"{rate} kbit/s, {payload} B, queue {queue}: {name}",
            short(stated, 4),
            short(mean(outcomes, runs(rate, payload, 0.1, queue), value), 4),
            short(mean(outcomes, together(rate, payload, queue), value), 4),
        )
        for name, rate, payload, queue, value, stated in cells
    )
    head = ("BLER 10 %", "thesis", "ours", "with one draw a block")
    return Table("What one draw a block would make of it, mean of five seeds", head, rows)


def _efforts(outcomes: Outcomes) -> tuple[Table, ...]:
    rows = []
    for (rate, payload), bler in product(SETTINGS, BLERS):
        tcp = curve(outcomes, partial(tcp_effort, payload=payload), rate, payload, bler)
        rlc = curve(outcomes, rlc_effort, rate, payload, bler)
        name = f"{rate} kbit/s, {payload} B, {100 * bler:g} %"
        rows.append((name, *(f"{short(t)} / {short(r)}" for t, r in zip(tcp, rlc, strict=True))))
    head = ("", *(f"queue {queue}" for queue in QUEUES))
    caption = "Transmission effort: TCP payload / RLC bytes downlink, sent over delivered"
    return (Table(caption, head, tuple(rows)),)


def variants(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate what the variants reach at each queue."""
    rows = [
        (
            f"{rate} kbit/s, {payload} B, {NAMES[variant]}",
            *(short(value, 4) for value in curve(outcomes, kbps, rate, payload, 0.1, variant)),
        )
        for rate, payload in SETTINGS
        for variant in COMPARED
    ]
    head = ("", *(f"queue {queue}" for queue in QUEUES))
    return (Table("Throughput in kbit/s at BLER 10 %, mean of five seeds", head, tuple(rows)),)


# --- Measures -------------------------------------------------------------------------------------


def needed(throughputs: Sequence[float]) -> int:
    """Return the first queue that suffices."""
    best = max(throughputs)
    return next(
        queue for queue, value in zip(QUEUES, throughputs, strict=True) if value >= ENOUGH * best
    )


def needed_between(throughputs: Sequence[float]) -> float:
    """Return the queue that suffices, between two of those that ran: a straight line.

    >>> needed_between((85, 90, 100, 100, 100, 100, 100))
    5.0
    """
    enough = ENOUGH * max(throughputs)
    return float(np.interp(enough, np.maximum.accumulate(throughputs), QUEUES))


def more_resent_with_errors(outcomes: Outcomes) -> list[float]:
    """Return packets resent at 10 % over those at 0 %, summed over queues, per rate and payload."""
    return [
        sum(some) / sum(none)
        for some, none in zip(
            curves(outcomes, resent, 0.1), curves(outcomes, resent, 0.0), strict=True
        )
    ]


def gaps(outcomes: Outcomes, rate: int) -> list[float]:
    """Return the bytes outstanding with 1,500 B less those with 500 B at each queue."""
    large, small = (
        curve(outcomes, mean_outstanding, rate, payload, 0.1) for payload in (1500, 500)
    )
    return [more - less for more, less in zip(large, small, strict=True)]


def gap_bend(outcomes: Outcomes) -> list[float]:
    """Return the gap's growth per packet of queue from 10 to 15 over that from 2 to 4, per rate."""
    found = []
    for rate in RATES:
        gap = dict(zip(QUEUES, gaps(outcomes, rate), strict=True))
        found.append((gap[15] - gap[10]) / 5 / ((gap[4] - gap[2]) / 2))
    return found


def gap_growth(outcomes: Outcomes) -> list[float]:
    """Return how far the gap grows up to a queue of 15, per rate."""
    return [tau(gaps(outcomes, rate)[:-1]) for rate in RATES]


def levelling(values: Sequence[float]) -> float:
    """Return the growth per packet of queue from 15 to 50 over that from 2 to 15.

    >>> levelling((0, 2, 4, 6, 8, 13, 13 + 35 / 4))
    0.25
    """
    first, bend, last = values[0], values[-2], values[-1]
    return ((last - bend) / (QUEUES[-1] - QUEUES[-2])) / ((bend - first) / (QUEUES[-2] - QUEUES[0]))


def gap_levels(outcomes: Outcomes) -> list[float]:
    """Return the gap's growth per packet of queue beyond 15 over that up to it, per rate."""
    return [levelling(gaps(outcomes, rate)) for rate in RATES]


def bounded(outcomes: Outcomes) -> list[float]:
    """Return the RTT with the queue that suffices over that at 50, per setting, at 10 %."""
    found = []
    for throughputs, rtts in zip(
        curves(outcomes, kbps, 0.1), curves(outcomes, rtt_ms, 0.1), strict=True
    ):
        found.append(rtts[QUEUES.index(needed(throughputs))] / rtts[-1])
    return found


def queue_more(outcomes: Outcomes) -> list[float]:
    """Return by how many packets the queue needed at 10 % exceeds that at 0 %, per setting."""
    return [
        needed_between(some) - needed_between(none)
        for some, none in zip(curves(outcomes, kbps, 0.1), curves(outcomes, kbps, 0.0), strict=True)
    ]


def larger_is_faster(outcomes: Outcomes) -> list[float]:
    """Return the share of cells in per cent in which 1,500 B reach more than 500 B."""
    pairs = [
        pair
        for rate, bler in product(RATES, BLERS)
        for pair in zip(
            curve(outcomes, kbps, rate, 1500, bler),
            curve(outcomes, kbps, rate, 500, bler),
            strict=True,
        )
    ]
    return [100 * fmean(large > small for large, small in pairs)]


def beside_best(outcomes: Outcomes, variant: str) -> list[float]:
    """Return a variant's throughput, mean over queues, over the best other's, per setting."""
    found = []
    for rate, payload in SETTINGS:
        means = {
            each_: fmean(curve(outcomes, kbps, rate, payload, 0.1, each_)) for each_ in COMPARED
        }
        mine = means.pop(variant)
        found.append(mine / max(means.values()))
    return found


def tahoe_beside_reno(outcomes: Outcomes) -> list[float]:
    """Return Tahoe's throughput, mean over queues, over Reno's, per setting."""
    return [
        fmean(curve(outcomes, kbps, rate, payload, 0.1, "tahoe"))
        / fmean(curve(outcomes, kbps, rate, payload, 0.1, "reno"))
        for rate, payload in SETTINGS
    ]


def _best_at(rate: int, payload: int, bler: float) -> Measure:
    return lambda outcomes: [max(curve(outcomes, kbps, rate, payload, bler))]


def _of(
    rate: int, payload: int, bler: float, queue: int, value: Callable[[Outcome], float]
) -> Measure:
    return lambda outcomes: each(outcomes, runs(rate, payload, bler, queue), value)


def _trends(value: Callable[[Outcome], float], bler: float) -> Measure:
    return lambda outcomes: [tau(each_) for each_ in curves(outcomes, value, bler)]


def cwnd_most(run: Outcome) -> float:
    """Return the largest window in packets."""
    return float(run.flow.cwnd_segments.max or 0)


_TABLE: Final[dict[str, Measure]] = {
    f"q9-{rate}-{payload}-{name}": _of(rate, payload, 0.0, queue, value)
    for rate, payload, queue, _, _ in TABLE_2
    for name, value in (("kbps", kbps), ("rtt", rtt_ms))
}

MEASURES: Final[dict[str, Measure]] = {
    "c17": bounded,
    "q1-falls-0": _trends(resent, 0.0),
    "q1-falls-10": _trends(resent, 0.1),
    "q1-nearly-none": lambda outcomes: [
        mean(outcomes, runs(rate, payload, bler, 50), resent)
        for (rate, payload), bler in product(SETTINGS, BLERS)
    ],
    "q1-more-at-10": percent_more(more_resent_with_errors),
    "q2-grows": gap_growth,
    "q2-exponentially": percent_more(gap_bend),
    "q2-flat": percent_more(gap_levels),
    "q3-resent-50": _of(60, 500, 0.1, 50, resent),
    "q3-window-50": _of(60, 500, 0.1, 50, cwnd_most),
    "q3-resent-4": _of(60, 500, 0.1, 4, resent),
    "q4-grows": _trends(rtt_ms, 0.1),
    "q4-worst": _of(60, 1500, 0.1, 50, rtt_ms),
    "q5-more-queue": queue_more,
    "q6-throughput": _of(120, 500, 0.1, 4, kbps),
    "q6-best": _best_at(120, 500, 0.1),
    "q6-rtt": _of(120, 500, 0.1, 4, rtt_ms),
    "q6-rtt-best": _of(120, 500, 0.1, 50, rtt_ms),
    "q7": larger_is_faster,
    "q8-sack": percent_more(partial(beside_best, variant="sack")),
    "q8-tahoe": percent_more(tahoe_beside_reno),
    **_TABLE,
}
