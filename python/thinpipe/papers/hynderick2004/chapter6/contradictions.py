"""Where the thesis contradicts itself: what ours say of either side."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6 import blackouts, queues, recovery
from thinpipe.papers.hynderick2004.chapter6.measuring import each, kbps, mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

    Measure = Callable[[Outcomes], Sequence[float]]


def distance(outcomes: Outcomes, bler: float) -> float:
    """Return how far ours are from Table VI.2's throughputs at a block error rate, in per cent."""
    return fmean(
        100 * abs(mean(outcomes, queues.runs(rate, payload, bler, queue), kbps) / stated - 1)
        for rate, payload, queue, stated, _ in queues.TABLE_2
    )


def early_drops(run: Outcome) -> float:
    """Count packets dropped before the first black-out of scenario A."""
    hops = run.tables["hops"]
    dropped = hops.filter(hops["event"] == "dropped")["time_s"].to_numpy()
    return float(np.sum(dropped < blackouts.BLACK_OUTS_A[0][0]))


def longest_queue(run: Outcome) -> float:
    """Return the most packets at the radio, downlink."""
    return max(
        float(link.queue_packets.max or 0)
        for link in run.result.links
        if link.name.endswith("/down")
    )


def in_vain(outcomes: Outcomes) -> list[float]:
    """Count the attempts after the return at 50 s, but for the one that gets through."""
    reading = blackouts.READINGS[0]
    run = outcomes[blackouts.scenario_b(reading, recovery.WITHOUT)]
    later = [at_s for at_s in blackouts.attempts_s(run, reading[0]) if at_s >= reading[1]]
    return [float(len(later) - 1)]


WINDOW_BOUND: Final = tuple(point for bler in (0.0, 0.01, 0.1) for point in recovery.cells(bler))
"""Runs with an unlimited queue."""

MEASURES: Final[dict[str, Measure]] = {
    "x1": in_vain,
    "x2": lambda outcomes: [distance(outcomes, 0.0) / distance(outcomes, 0.1)],
    "x3": lambda outcomes: [early_drops(outcomes[blackouts.scenario_a()])],
    "x4": lambda outcomes: [max(each(outcomes, WINDOW_BOUND, longest_queue))],
}
