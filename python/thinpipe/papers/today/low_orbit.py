"""A low orbit as Huston (APNIC 2024) measured it, by pings over leo-15s."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from thinpipe.papers.chakravorty2003.setup import point
from thinpipe.papers.today.setup import PING_BITS, SEEDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

SLOT_S: Final = 15
SECONDS: Final = 1500
"""A hundred slots."""

PING_S: Final = 0.047
"""Of the first run it was 50 ms, by which no datagram was in the air where a slot ends."""

STEP_MS: Final = 2.0
"""A least round trip that moves by more has stepped: a satellite in its slot moves it by less."""

WINDOW_S: Final = 5
"""Of three parts of each slot the least round trips are compared."""


def _datagrams(at: str, direction: str) -> tuple[tuple[str, str], ...]:
    return (
        (f"{at}.application", "udp"),
        (f"{at}.bytes", "unlimited"),
        (f"{at}.direction", direction),
        (f"{at}.udp.payload", f"{PING_BITS // 8} B"),
        (f"{at}.udp.rate", f"{round(PING_BITS / PING_S)} bit/s"),
    )


def pinged(seed: int) -> Point:
    """Return a datagram each way every 47 ms, beside nothing else: together they are a ping."""
    ways = (*_datagrams("flow", "downlink"), *_datagrams("flow.group.up", "uplink"))
    return point("leo-15s", ways, (("duration", f"{SECONDS} s"),), seed=seed)


POINTS: Final = tuple(map(pinged, SEEDS))


def round_trips(outcome: Outcome) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return when pings were sent in s, and their round trips in ms, of those that had both ways.

    A round trip is the sum of both ways of the datagrams that were sent together.
    """
    datagrams = outcome.tables["datagrams"].with_columns(ms=1000 * pl.col("delay_s"))
    down, up = (
        datagrams.filter(pl.col("flow") == flow.id).select("time_s", "ms").with_row_index()
        for flow in outcome.result.flows
    )
    both = down.join(up, on="index", suffix="_up").drop_nulls()
    return both["time_s"].to_numpy(), (both["ms"] + both["ms_up"]).to_numpy()


def least(outcome: Outcome, seconds: int) -> NDArray[np.float64]:
    """Return the least round trip of each span of that length, in ms."""
    times, round_trips_ms = round_trips(outcome)
    spans = (times // seconds).astype(int)
    return np.array([round_trips_ms[spans == span].min() for span in range(SECONDS // seconds)])


def _jitter(outcome: Outcome) -> float:
    """Return the mean difference of consecutive round trips, in ms."""
    return float(np.abs(np.diff(round_trips(outcome)[1])).mean())


def _on_the_grid(outcome: Outcome) -> float:
    """Return the share of steps of the least round trip at ends of slots of 15 s, in percent."""
    steps = np.flatnonzero(np.abs(np.diff(least(outcome, WINDOW_S))) > STEP_MS) + 1
    on_grid = steps * WINDOW_S % SLOT_S == 0
    return float(100 * on_grid.mean()) if steps.size else math.nan


def _longest_step(outcome: Outcome) -> float:
    return float(np.abs(np.diff(least(outcome, SLOT_S))).max())


def _loss(outcome: Outcome) -> float:
    """Return the share of datagrams to the terminal that are lost, in percent."""
    datagrams = outcome.flow.datagrams
    return 100 * (datagrams.loss or 0.0) if datagrams else math.nan


def _each(value: Callable[[Outcome], float]) -> Callable[[Outcomes], Sequence[float]]:
    return lambda outcomes: [value(outcomes[point]) for point in POINTS]


MEASURES: Final = {
    "leo-jitter": _each(_jitter),
    "leo-steps": _each(_on_the_grid),
    "leo-longest-step": _each(_longest_step),
    "leo-loss": _each(_loss),
}
