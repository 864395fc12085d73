"""The thesis's future work: a manager of the buffer that talks to RRC, beside fixed queues."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.measuring import (
    kbps,
    mean,
    percent_more,
    resent,
    rtt_ms,
    spurious,
)
from thinpipe.papers.hynderick2004.chapter6.rates import MOMENTS_S
from thinpipe.papers.hynderick2004.chapter6.setup import SF_OF, transfer
from thinpipe.papers.hynderick2004.tables import NAMES
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

QUEUES: Final = (2, 4, 6, 8, 10, 15, 20, 30, 50)
"""Fixed sizes in packets."""

RATES: Final = (480, 60, 480, 120, 480, 240, 480, 60)
"""kbit/s, one after the other."""

STEP_S: Final = 15
LASTING_S: Final = STEP_S * len(RATES)

VARIANTS: Final = ("tahoe", "sack")
WINDOW: Final = 64
"""Packets: large enough that the buffer, not the window, limits the outstanding data."""

RTT_S: Final = 0.14
"""The minimum round-trip time, as the manager has to be told."""

CLASSES: Final = {"bulk": 1.0, "interactive": 0.5}
"""How many products of rate and round-trip time (BDP) a flow may have waiting, by class."""

FACTORS: Final = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
"""BDPs from those of the one class to more than those of the other."""

AHEAD: Final = (("ahead of changes", RTT_S), ("at changes", 0.0))


def _stepping(variant: str, queue: int | None, moment_s: float, more: Settings) -> Point:
    shift_s = moment_s - MOMENTS_S[0]
    schedule = [
        {"at": f"{STEP_S * number + shift_s:g} s", "sf": SF_OF[rate]}
        for number, rate in enumerate(RATES[1:], 1)
    ]
    channel = (("radio.downlink.sf", SF_OF[RATES[0]]), ("radio.schedule", schedule))
    lasting: Settings = (
        ("tcp.window", WINDOW),
        ("flow.bytes", "unlimited"),
        ("duration", f"{LASTING_S} s"),
        *more,
    )
    return transfer(channel, queue=queue, variant=variant, more=lasting)


def fixed(variant: str, queue: int) -> tuple[Point, ...]:
    """Return the runs with a fixed queue, one a moment of the first change."""
    return tuple(_stepping(variant, queue, moment_s, ()) for moment_s in MOMENTS_S)


def managed(variant: str, factor: float, ahead_s: float = RTT_S) -> tuple[Point, ...]:
    """Return the runs with the manager and so many BDPs, one a moment of the first change."""
    more = (
        ("radio.buffer.manager", "bdp"),
        ("radio.buffer.rtt", f"{1000 * RTT_S:g} ms"),
        ("radio.buffer.bulk", factor),
        ("radio.buffer.anticipation", f"{1000 * ahead_s:g} ms"),
    )
    return tuple(_stepping(variant, None, moment_s, more) for moment_s in MOMENTS_S)


POINTS: Final = (
    *(point for variant, queue in product(VARIANTS, QUEUES) for point in fixed(variant, queue)),
    *(
        point
        for variant, factor, (_, ahead_s) in product(VARIANTS, FACTORS, AHEAD)
        for point in managed(variant, factor, ahead_s)
    ),
)


def rtt_over_time_ms(run: Outcome) -> float:
    """Return the mean round-trip time in ms, each moment counting alike.

    In the mean over packets a fast channel, which carries more of them, counts more.
    """
    rtt = run.tables["rtt"]
    time_s, rtt_s = rtt["time_s"].to_numpy(), rtt["rtt_s"].to_numpy()
    return 1000 * float(np.sum(rtt_s[1:] * np.diff(time_s)) / (time_s[-1] - time_s[0]))


def late_rtt_ms(run: Outcome) -> float:
    """Return the round-trip time in ms that one packet in twenty exceeds."""
    return 1000 * (run.flow.rtt_s.p95 or np.nan)


def both(
    outcomes: Outcomes, points: Sequence[Point], rtt: Callable[[Outcome], float] = rtt_over_time_ms
) -> tuple[float, float]:
    """Return throughput in kbit/s and round-trip time in ms."""
    return mean(outcomes, points, kbps), mean(outcomes, points, rtt)


def beaten(
    outcomes: Outcomes,
    variant: str,
    factor: float,
    rtt: Callable[[Outcome], float] = rtt_over_time_ms,
) -> list[int]:
    """Return the fixed queues that the manager beats on throughput and on round-trip time."""
    fast, short_ms = both(outcomes, managed(variant, factor), rtt)
    theirs = {queue: both(outcomes, fixed(variant, queue), rtt) for queue in QUEUES}
    return [queue for queue, (rate, wait) in theirs.items() if fast > rate and short_ms < wait]


def beating(outcomes: Outcomes, variant: str, kind: str) -> list[int]:
    """Return the fixed queues that beat the manager on both."""
    fast, short_ms = both(outcomes, managed(variant, CLASSES[kind]))
    return [
        queue
        for queue in QUEUES
        if fast < (theirs := both(outcomes, fixed(variant, queue)))[0] and short_ms > theirs[1]
    ]


def power(outcomes: Outcomes, variant: str, kind: str) -> float:
    """Return throughput over round-trip time, the manager's over that of the best fixed queue."""
    fast, short_ms = both(outcomes, managed(variant, CLASSES[kind]))
    fixed_ones = (both(outcomes, fixed(variant, queue)) for queue in QUEUES)
    return fast / short_ms / max(their_fast / their_ms for their_fast, their_ms in fixed_ones)


_CELLS: Final = tuple(product(VARIANTS, CLASSES))


def _counts(rtt: Callable[[Outcome], float]) -> Measure:
    """Measure how many fixed queues are beaten with some factor, one value per variant."""
    return lambda outcomes: [
        float(len({q for factor in FACTORS for q in beaten(outcomes, variant, factor, rtt)}))
        for variant in VARIANTS
    ]


MEASURES: Final[dict[str, Measure]] = {
    "b12-beaten": _counts(rtt_ms),
    "b12-beaten-time": _counts(rtt_over_time_ms),
    "b12-beaten-late": _counts(late_rtt_ms),
    "b12-beating": lambda outcomes: [float(len(beating(outcomes, *cell))) for cell in _CELLS],
    "s6-buffer": percent_more(lambda outcomes: [power(outcomes, *cell) for cell in _CELLS]),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate fixed queues and the manager."""
    tables = []
    for variant in VARIANTS:
        rows = [_row(f"queue {queue}", outcomes, fixed(variant, queue)) for queue in QUEUES]
        rows += [
            _row(f"manager, {factor:g} BDP, {name}", outcomes, managed(variant, factor, ahead_s))
            for factor, (name, ahead_s) in product(FACTORS, AHEAD)
        ]
        words = [f"{name}: {_beaten_words(outcomes, variant, rtt)}" for name, rtt in MEANS]
        caption = (
            f"{NAMES[variant]} over rates that step, one flow. Queues that the manager beats with "
            f"some factor on throughput and on RTT, {'; '.join(words)}"
        )
        head = ("", "kbit/s", "RTT ms, over time", "over packets", "95 % of packets",
                "retransmitted", "spurious timeouts")  # fmt: skip
        tables.append(Table(caption, head, tuple(rows)))
    return tuple(tables)


MEANS: Final = (
    ("mean over packets", rtt_ms),
    ("mean over time", rtt_over_time_ms),
    ("95 % point", late_rtt_ms),
)
"""The meanings of RTT."""


def _beaten_words(outcomes: Outcomes, variant: str, rtt: Callable[[Outcome], float]) -> str:
    all_beaten = {q for factor in FACTORS for q in beaten(outcomes, variant, factor, rtt)}
    return ", ".join(map(str, sorted(all_beaten))) or "none"


def _row(name: str, outcomes: Outcomes, points: Sequence[Point]) -> tuple[str, ...]:
    values: tuple[Callable[[Outcome], float], ...] = (
        kbps,
        rtt_over_time_ms,
        rtt_ms,
        late_rtt_ms,
        resent,
        spurious,
    )
    return (name, *(short(mean(outcomes, points, value), 4) for value in values))
