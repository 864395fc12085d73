"""Where the thesis contradicts itself: what ours say of either side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6 import blackouts, recovery

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

    Measure = Callable[[Outcomes], Sequence[float]]


def early_drops(run: Outcome) -> float:
    """Count packets dropped before the first black-out of scenario A."""
    hops = run.tables["hops"]
    dropped = hops.filter(hops["event"] == "dropped")["time_s"].to_numpy()
    return float(np.sum(dropped < blackouts.BLACK_OUTS_A[0][0]))


def in_vain(outcomes: Outcomes) -> list[float]:
    """Count the attempts after the return at 50 s, but for the one that gets through."""
    reading = blackouts.READINGS[0]
    run = outcomes[blackouts.scenario_b(reading, recovery.WITHOUT)]
    later = [at_s for at_s in blackouts.attempts_s(run, reading[0]) if at_s >= reading[1]]
    return [float(len(later) - 1)]


MEASURES: Final[dict[str, Measure]] = {
    "x1": in_vain,
    "x3": lambda outcomes: [early_drops(outcomes[blackouts.scenario_a()])],
}
