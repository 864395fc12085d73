"""Reduced queueing, §VI.C: figure 11, and the window that the paper calls ideal, §IV.C."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.measuring import each, line_rate, mean, mean_rtt, received_s
from thinpipe.papers.chakravorty2003.plain import LONG
from thinpipe.papers.chakravorty2003.setup import (
    FIFO,
    KB,
    PLAIN,
    RADIO,
    Settings,
    clamp,
    seeds,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.point import Point

CLAMPS: Final = (4, 6, 8, 10, 12, 16, 32)
"""KB."""

ENOUGH: Final = (10, 12, 16, 32)
"""Windows at which the paper's transfer takes 155 s."""


BENT: Final = 0.98
"""The knee: the smallest window that leaves so much of the best rate."""


def runs(scenario: str, window: Settings) -> tuple[Point, ...]:
    """Return downloads of 600 KB with a window."""
    return seeds(scenario, LONG, window)


def window(kb: int | None) -> Settings:
    """Return the proxy with a window, or no proxy."""
    return PLAIN if kb is None else clamp(kb)


POINTS: Final = tuple(
    point
    for scenario in (RADIO, FIFO)
    for kb in (*CLAMPS, None)
    for point in runs(scenario, window(kb))
)


def times(scenario: str, *windows: int | None) -> Measure:
    """Measure how long 600 KB take, mean of seeds, one value per window, in s."""
    return lambda outcomes: [
        mean(outcomes, runs(scenario, window(kb)), received_s) for kb in windows
    ]


def mean_rtts(scenario: str, *windows: int | None) -> Measure:
    """Measure mean round-trip times, mean of seeds, one value per window, in s."""
    return lambda outcomes: [mean(outcomes, runs(scenario, window(kb)), mean_rtt) for kb in windows]


NARROW: Final = (4, 6, 8)
"""Windows below the paper's, in KB."""


def longer(outcomes: Outcomes) -> list[float]:
    """Return how much longer 600 KB take with windows below 10 KB, in %, one value per window."""
    return _beside_ten(outcomes, *NARROW)


def as_long(outcomes: Outcomes) -> list[float]:
    """Return the same with wider windows and without the proxy."""
    return _beside_ten(outcomes, *ENOUGH[1:], None)


def _beside_ten(outcomes: Outcomes, *windows: int | None) -> list[float]:
    ten, *others = times(RADIO, ENOUGH[0], *windows)(outcomes)
    return [100 * (took_s / ten - 1) for took_s in others]


def rises(outcomes: Outcomes) -> list[float]:
    """Return how much longer mean round-trip times are than with the window below, in per cent."""
    found = mean_rtts(RADIO, *ENOUGH, None)(outcomes)
    return [100 * (after / before - 1) for before, after in pairwise(found)]


def approaching(outcomes: Outcomes) -> list[float]:
    """Return the mean RTT with 32 KB beside that without a proxy, in % of difference."""
    wide, plain = mean_rtts(RADIO, ENOUGH[-1], None)(outcomes)
    return [100 * (wide / plain - 1)]


def unqueued_bdp(outcomes: Outcomes, scenario: str) -> float:
    """Return the line's rate times the round-trip time without a queue, in KB.

    The rate is that of the bulk transfers, the time that of packets behind the smallest window.
    """
    rate = mean(outcomes, runs(scenario, PLAIN), line_rate)
    return rate * mean_rtts(scenario, CLAMPS[0])(outcomes)[0] / KB


def knee(outcomes: Outcomes, scenario: str) -> float:
    """Return the smallest window that leaves so much of the best rate, between clamps by a line."""
    rates = [1 / each for each in times(scenario, *CLAMPS)(outcomes)]
    wanted = BENT * max(rates)
    for (low, below), (high, above) in pairwise(zip(CLAMPS, rates, strict=True)):
        if below < wanted <= above:
            return low + (high - low) * (wanted - below) / (above - below)
    return float(CLAMPS[0])


def knee_over_bdp(scenario: str) -> Measure:
    """Measure the knee over the bandwidth-delay product without a queue."""
    return lambda outcomes: [knee(outcomes, scenario) / unqueued_bdp(outcomes, scenario)]


MEASURES: Final[dict[str, Measure]] = {
    "p3-time": times(RADIO, *ENOUGH, None),
    "p3-any": as_long,
    "p3-below": longer,
    "p3-fifo": times(FIFO, 8, *ENOUGH, None),
    "p3-fifo-6": times(FIFO, 6),
    "p3-fifo-4": times(FIFO, 4),
    "p4-rises": rises,
    "p4-10": each(runs(RADIO, clamp(10)), mean_rtt),
    "p4-32": approaching,
    "p5": knee_over_bdp(RADIO),
    "p5-fifo": knee_over_bdp(FIFO),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate times and round-trip times by window."""
    names = (*(f"{kb} KB" for kb in CLAMPS), "no proxy")
    windows = (*CLAMPS, None)
    rows = [
        (
            f"{label}, {scenario}",
            *(short(value) for value in measure(scenario, *windows)(outcomes)),
        )
        for scenario in (RADIO, FIFO)
        for label, measure in (("time s", times), ("mean RTT s", mean_rtts))
    ]
    return (Table("600 KB by congestion window of the proxy", ("", *names), tuple(rows)),)
