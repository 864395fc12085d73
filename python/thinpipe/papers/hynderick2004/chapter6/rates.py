"""Rates that jump (VI.D): figures VI.17 to VI.34."""

from __future__ import annotations

from itertools import pairwise, product
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.measuring import (
    each,
    mean,
    percent_more,
    rate_between,
    resent_at_s,
    spurious,
)
from thinpipe.papers.hynderick2004.chapter6.setup import (
    HEADERS,
    PDU,
    PDU_HEADER,
    SF_OF,
    transfer,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.plot.series import segments_sent, sending_end
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

PAYLOAD: Final = 500

APART_S: Final = 20
"""From one jump to the next, and from the start to the first."""

MOMENTS_S: Final = (20.0, 20.7, 21.4, 22.1, 22.8)
"""Of the first jump. The thesis does not state it, and what a jump does depends on where the
window stands: each is a run."""

STEP_MOMENTS_S: Final = tuple(round(20 + 0.35 * number, 2) for number in range(20))
"""The same for rates that step, over several periods of the window: what the thesis shows of one
run is looked for in many."""

TYPICAL_S: Final = 26.3
"""The moment that is drawn: with either queue as many packets are lost as at the median of all."""

FALLING: Final = (240, 120, 60)
HELD: Final = (240, 120, 120)
"""The same without the second jump: the loss that a window of this size has anyway."""
RISING: Final = (60, 120, 240)
TOP: Final = 480
"""kbit/s; single jumps lead from it or to it."""

FALL_QUEUES: Final = (6, 10, 15)
RISE_QUEUES: Final = (4, 6, 8)
QUEUES: Final = (2, 4, 6, 8, 10, 15)
LOW: Final = (60, 120)
WIDE: Final = (30, 60, 120, 240)
"""The other ends of the single jumps."""

SMALL_QUEUES: Final = (2, 4)
COPING: Final = 4
"""The queue of figures VI.17 and VI.18, which do not state it; with it the thesis sees smooth
transitions."""

AFTERMATH_S: Final = 3.0
"""How long what happens is put down to the jump: ten round trips and more."""

SETTLING_S: Final = 10.0
"""How long after an upward jump the use of the new rate is looked at."""


def steps(rates: tuple[int, ...], queue: int, moment_s: float) -> Point:
    """Return a run over channels of these rates in kbit/s, the first jump at a moment."""
    sfs = [SF_OF[rate] for rate in rates]
    schedule = [
        {"at": f"{moment_s + APART_S * number:g} s", "sf": sf} for number, sf in enumerate(sfs[1:])
    ]
    channel = (
        ("radio.downlink.sf", sfs[0]),
        ("radio.schedule", schedule),
    )
    lasting = (
        ("flow.bytes", "unlimited"),
        ("duration", f"{moment_s + APART_S * len(schedule):g} s"),
    )
    return transfer(channel, payload=PAYLOAD, queue=queue, more=lasting)


def all_of(
    rates: tuple[int, ...], queue: int, moments_s: Sequence[float] = MOMENTS_S
) -> tuple[Point, ...]:
    """Return the runs with every moment."""
    return tuple(steps(rates, queue, moment_s) for moment_s in moments_s)


def shown(rates: tuple[int, ...], queue: int) -> Point:
    """Return the run that a figure shows."""
    return steps(rates, queue, MOMENTS_S[0])


STEP_POINTS: Final = tuple(
    point
    for rates in (FALLING, HELD, RISING)
    for queue in SMALL_QUEUES
    for point in all_of(rates, queue, STEP_MOMENTS_S)
)
FALL_POINTS: Final = tuple(
    point for low, queue in product(WIDE, QUEUES) for point in all_of((TOP, low), queue)
)
RISE_POINTS: Final = tuple(
    point for low, queue in product(WIDE, QUEUES) for point in all_of((low, TOP), queue)
)

# --- Measures -------------------------------------------------------------------------------------


def resent_after(run: Outcome, jump_s: float, lasting_s: float = AFTERMATH_S) -> float:
    """Count the packets retransmitted in the aftermath of a jump."""
    times_s = resent_at_s(run)
    return float(np.sum((times_s >= jump_s) & (times_s < jump_s + lasting_s)))


def dropped_after(run: Outcome, jump_s: float) -> float:
    """Count the packets dropped in the aftermath of a jump."""
    hops = run.tables["hops"]
    times_s = hops.filter(hops["event"] == "dropped")["time_s"].to_numpy()
    return float(np.sum((times_s >= jump_s) & (times_s < jump_s + AFTERMATH_S)))


def use(run: Outcome, rate: int, start_s: float, end_s: float) -> float:
    """Return how much of a rate in kbit/s was acknowledged in a time, in per cent.

    Headers of packets and PDUs count, as the rate has to carry them.
    """
    on_air = -(-(PAYLOAD + HEADERS) // PDU) * (PDU + PDU_HEADER)
    return 100 * rate_between(run, start_s, end_s) * on_air / PAYLOAD / (1000 * rate)


def coping(outcomes: Outcomes, rates: tuple[int, ...]) -> list[float]:
    """Return the use of each rate until the next jump, of the first from 5 s on, per moment."""
    found = []
    for moment_s in STEP_MOMENTS_S:
        run = outcomes[steps(rates, COPING, moment_s)]
        jumps_s = [moment_s + APART_S * number for number in range(len(rates))]
        times_s = pairwise([5.0, *jumps_s])
        found += [use(run, rate, *time_s) for rate, time_s in zip(rates, times_s, strict=True)]
    return found


def after(
    rates: tuple[int, ...], queue: int, number: int, value: Callable[[Outcome, float], float]
) -> Measure:
    """Measure what follows the jump of a number, one value per moment."""
    return lambda outcomes: [
        value(outcomes[steps(rates, queue, moment_s)], moment_s + APART_S * number)
        for moment_s in MOMENTS_S
    ]


def extra(queue: int, value: Callable[[Outcome, float], float]) -> Measure:
    """Measure what follows 120 → 60 kbit/s beyond what follows without it, one value per moment."""
    return lambda outcomes: [
        value(outcomes[steps(FALLING, queue, moment_s)], moment_s + APART_S)
        - value(outcomes[steps(HELD, queue, moment_s)], moment_s + APART_S)
        for moment_s in STEP_MOMENTS_S
    ]


def mean_resent(outcomes: Outcomes, low: int, queue: int) -> float:
    """Return the packets retransmitted after a fall from the top rate, mean of moments."""
    return fmean(
        resent_after(outcomes[steps((TOP, low), queue, moment_s)], moment_s, APART_S)
        for moment_s in MOMENTS_S
    )


def falls_with_queue(outcomes: Outcomes) -> list[float]:
    """Return the largest change of retransmissions to the next queue, in per cent, per rate."""
    means = [[mean_resent(outcomes, low, queue) for queue in FALL_QUEUES] for low in LOW]
    return [max(100 * (after / before - 1) for before, after in pairwise(row)) for row in means]


def share_resent(run: Outcome, jump_s: float) -> float:
    """Return the packets retransmitted in all the time after a jump, in per cent of those sent."""
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    after_s = sent.time_s[sent.carries_data & (sent.time_s >= jump_s)]
    return 100 * resent_after(run, jump_s, APART_S) / len(after_s)


def beside_60(outcomes: Outcomes) -> list[float]:
    """Return the share retransmitted after a fall to 120 kbit/s over that at 60, per queue."""

    def mean_share(low: int, queue: int) -> float:
        runs = ((outcomes[steps((TOP, low), queue, at_s)], at_s) for at_s in MOMENTS_S)
        return fmean(share_resent(run, at_s) for run, at_s in runs)

    return [mean_share(120, queue) / mean_share(60, queue) for queue in FALL_QUEUES]


def order_after_rise(outcomes: Outcomes) -> list[float]:
    """Return the payload acknowledged in 5 s after 60 → 120 kbit/s, queue 4 over queue 2."""

    def carried(queue: int) -> float:
        return fmean(
            rate_between(outcomes[steps(RISING, queue, moment_s)], moment_s, moment_s + 5)
            for moment_s in STEP_MOMENTS_S
        )

    return [carried(4) / carried(2)]


def use_after_rise(low: int, queue: int) -> Measure:
    """Measure the use of 480 kbit/s in the time after a rise, one value per moment."""
    return lambda outcomes: [
        use(outcomes[steps((low, TOP), queue, moment_s)], TOP, moment_s, moment_s + SETTLING_S)
        for moment_s in MOMENTS_S
    ]


def seconds_after_rise(outcomes: Outcomes, low: int, queue: int) -> list[list[float]]:
    """Return the use of 480 kbit/s in each second after a rise, one list a moment."""
    return [
        [
            use(outcomes[steps((low, TOP), queue, moment_s)], TOP, at_s, at_s + 1)
            for at_s in moment_s + np.arange(APART_S)
        ]
        for moment_s in MOMENTS_S
    ]


def reaches_quickly(low: int, queue: int) -> Measure:
    """Measure the use in the third second after a rise, one value per moment."""
    return lambda outcomes: [seconds[2] for seconds in seconds_after_rise(outcomes, low, queue)]


def falls_back(low: int, queue: int) -> Measure:
    """Measure the lowest utilization from the fourth second after a rise, one value per moment."""
    return lambda outcomes: [
        min(seconds[3:]) for seconds in seconds_after_rise(outcomes, low, queue)
    ]


def relieved(low: int) -> Measure:
    """Measure what a queue of 8 adds to that lowest utilization, compared with one of 6."""
    return lambda outcomes: [
        longer - shorter
        for longer, shorter in zip(
            falls_back(low, 8)(outcomes), falls_back(low, 6)(outcomes), strict=True
        )
    ]


def downward_spurious(outcomes: Outcomes) -> list[float]:
    """Count spurious timeouts with 240 → 120 → 60 kbit/s, and with each fall from 480."""
    stepping = [p for queue in SMALL_QUEUES for p in all_of(FALLING, queue, STEP_MOMENTS_S)]
    falling = [
        [point for queue in QUEUES for point in all_of((TOP, low), queue)]
        for low in (240, 120, 60, 30)
    ]
    return [sum(each(outcomes, points, spurious)) for points in (stepping, *falling)]


MEASURES: Final[dict[str, Measure]] = {
    "b1-falling": lambda outcomes: coping(outcomes, FALLING),
    "b1-rising": lambda outcomes: coping(outcomes, RISING),
    "b2": extra(2, dropped_after),
    "b3": extra(4, resent_after),
    "b4": percent_more(order_after_rise),
    "b5": lambda outcomes: [
        mean(outcomes, all_of(pair, 15), lambda run: rate_between(run, 23, 40) / 1000)
        for low in WIDE
        for pair in ((TOP, low), (low, TOP))
    ],
    "b6-queue": falls_with_queue,
    "b6-rate": percent_more(beside_60),
    "b7": after((TOP, 120), 15, 0, share_resent),
    "b8-60": use_after_rise(60, 4),
    "b8-120": use_after_rise(120, 4),
    "b9-60-reaches": reaches_quickly(60, 6),
    "b9-120-reaches": reaches_quickly(120, 6),
    "b9-60-falls-back": falls_back(60, 6),
    "b9-120-falls-back": falls_back(120, 6),
    "b10-60": relieved(60),
    "b10-120": relieved(120),
    "b11": downward_spurious,
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate what each jump costs at each queue."""
    head = ("", *(f"queue {queue}" for queue in QUEUES))
    falls = tuple(
        (
            f"{TOP} → {low} kbit/s",
            *(short(mean_resent(outcomes, low, queue)) for queue in QUEUES),
        )
        for low in WIDE
    )
    rises = tuple(
        (
            f"{low} → {TOP} kbit/s",
            *(f"{short(fmean(use_after_rise(low, queue)(outcomes)))} %" for queue in QUEUES),
        )
        for low in WIDE
    )
    return (
        Table("Packets retransmitted in the 20 s after a fall, mean of five moments", head, falls),
        Table("Use of 480 kbit/s in the 10 s after a rise, mean of five moments", head, rises),
    )
