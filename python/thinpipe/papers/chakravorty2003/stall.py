"""Faster recovery, §VI.D: figure 12."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import (
    delivered,
    each,
    mean,
    radio_end,
    rate,
    received_s,
)
from thinpipe.papers.chakravorty2003.plain import LONG, degraded, recovery_s
from thinpipe.papers.chakravorty2003.setup import (
    FIFO,
    PLAIN,
    RADIO,
    Settings,
    clamp,
    seeds,
)
from thinpipe.plot.series import sent_by

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

START_S: Final = 90
LASTS_S: Final = 10
END_S: Final = START_S + LASTS_S

BOX: Final = clamp(10)

RTT_S: Final = 3
"""What counts as a round-trip time at 10 KB: the most that P4 accepts."""

WINDOW_S: Final = 3
"""Over so long a rate is taken."""

RECOVERED: Final = 0.9
"""Of the rate before the stall."""


def stalled(scenario: str, start_s: float = START_S, lasts_s: float = LASTS_S) -> Settings:
    """Return a time in which nothing gets through the radio."""
    key = "link.outages" if scenario == FIFO else "radio.outages"
    times = [[f"{start_s:g} s", f"{start_s + lasts_s:g} s"]]
    return ((key, times),)


def runs(scenario: str, more: Settings) -> tuple[Point, ...]:
    """Return downloads of 600 KB with a stall of 10 s at 90 s."""
    return seeds(scenario, LONG, more, stalled(scenario))


POINTS: Final = (
    degraded(),
    *(each for scenario in (RADIO, FIFO) for more in (PLAIN, BOX) for each in runs(scenario, more)),
)


def resent(run: Outcome) -> float:
    """Count the packets sent again over the radio, by the box or by the sender."""
    sent = sent_by(radio_end(run.tables["segments"]))
    data = sent.only(sent.carries_data)
    return float(np.sum(data.last[1:] <= np.maximum.accumulate(data.last)[:-1]))


def first_again_s(run: Outcome) -> float:
    """Return how long after the stall the mobile first acknowledged something new, in s."""
    curve = delivered(run)
    rises = curve.time_s[1:][np.diff(curve.value) > 0]
    later = rises[rises > END_S]
    return float(later[0]) - END_S if len(later) else float("inf")


def recovered_s(run: Outcome) -> float:
    """Return when the rate of the next 3 s was first back to 90 %, in s from the stall's end."""
    before = rate(run, START_S / 2, START_S)
    curve = delivered(run)
    times_s = np.arange(END_S, run.result.duration_s - WINDOW_S, 0.1)
    after = (curve.at(times_s + WINDOW_S) - curve.at(times_s)) / WINDOW_S
    back = np.flatnonzero(after >= RECOVERED * before)
    return float(times_s[back[0]]) - END_S if len(back) else float("inf")


def lost_s(run: Outcome) -> float:
    """Return the time that the transfer lost beside the stall itself, in s.

    What it took, less the stall, less its bytes at the rate before the stall.
    """
    end_s = received_s(run)
    left = run.flow.bytes_acked - delivered(run).at(np.array([float(START_S)]))[0]
    return float(end_s - END_S - left / rate(run, START_S / 2, START_S))


def longer_in_figure_3(outcomes: Outcomes) -> list[float]:
    """Return how long recovery takes in figure 3 over that with the proxy, mean of seeds."""
    return [recovery_s(outcomes[degraded()]) / mean(outcomes, runs(RADIO, BOX), recovered_s)]


MEASURES: Final[dict[str, Measure]] = {
    "p6-resent": each(runs(RADIO, BOX), resent),
    "p6-rate": each(runs(RADIO, BOX), lambda run: recovered_s(run) / RTT_S),
    "p6-plain": longer_in_figure_3,
    "p6-same": each(runs(RADIO, PLAIN), recovered_s),
    "p6-fifo-resent": each(runs(FIFO, BOX), resent),
}
