"""The criteria of Table I as numbers: runs, measures and thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import (
    acknowledged_early,
    box_queue,
    jain,
    received_s,
    time_mean,
)
from thinpipe.papers.chakravorty2003.setup import (
    BDP,
    KB,
    PACKET,
    RADIO,
    download,
    point,
    second,
)
from thinpipe.papers.chakravorty2003.stall import stalled
from thinpipe.papers.chakravorty2003.table1.schemes import CRITERIA, NO_BOX, SCHEMES, Scheme

if TYPE_CHECKING:
    from collections.abc import Callable

    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

SEEDS: Final = (1, 2, 3)

# --- Runs -----------------------------------------------------------------------------------------

BULK_KB: Final = 200
SHORT_KB: Final = 18
"""The paper's shortest transfer that fills the pipe, §III."""

AGES_S: Final = (5, 20)
"""How much later a second flow begins."""

LENGTHS_KB: Final = (30, 90)
"""How much it transfers."""

ERRORS: Final = (10, 20, 30)
"""Block error rates, per cent."""

STALL_AT_S: Final = 30
STALLS_S: Final = {"stall": 5, "outage": 30}

_LIMIT: Final[Settings] = (("duration", "400 s"),)


def bulk(scheme: Scheme, seed: int, *more: Settings) -> Point:
    """Return a download of 200 KB."""
    return point(RADIO, download(BULK_KB), _LIMIT, scheme.settings, *more, seed=seed)


def brief(scheme: Scheme, seed: int) -> Point:
    """Return a download of 18 KB."""
    return point(RADIO, download(SHORT_KB), _LIMIT, scheme.settings, seed=seed)


def pair(scheme: Scheme, seed: int, after_s: int, kb: int) -> Point:
    """Return a long download and a later one."""
    return point(RADIO, download(BULK_KB), second(after_s, kb), _LIMIT, scheme.settings, seed=seed)


def pairs(scheme: Scheme, seed: int) -> list[Point]:
    """Return such pairs of all ages and lengths."""
    return [pair(scheme, seed, after_s, kb) for after_s, kb in product(AGES_S, LENGTHS_KB)]


def erroneous(scheme: Scheme, seed: int, percent: int) -> Point:
    """Return a download with block errors."""
    return bulk(scheme, seed, (("radio.tbler", f"{percent} %"),))


def interrupted(scheme: Scheme, seed: int, lasts_s: int) -> Point:
    """Return a download with a time in which nothing gets through."""
    return bulk(scheme, seed, stalled(RADIO, STALL_AT_S, lasts_s))


def traced(scheme: Scheme) -> Point:
    """Return the run whose packets are followed."""
    return brief(scheme, SEEDS[0])


POINTS: Final = tuple(
    each
    for scheme in SCHEMES
    for seed in SEEDS
    for each in (
        bulk(scheme, seed),
        brief(scheme, seed),
        *pairs(scheme, seed),
        *(erroneous(scheme, seed, percent) for percent in ERRORS),
        *(interrupted(scheme, seed, lasts_s) for lasts_s in STALLS_S.values()),
    )
)
TRACED: Final = tuple(traced(scheme) for scheme in SCHEMES)

# --- Values ---------------------------------------------------------------------------------------


def queued_kb(run: Outcome) -> float:
    """Return the mean queue at the border, at the gateway and in a box, in KB."""
    gateway = [link for link in run.result.links if link.name.endswith("/down")][-1]
    over_s = received_s(run)
    packets = (gateway.queue_packets.mean or 0.0) * run.result.duration_s / over_s
    held = 0.0
    if run.result.middlebox is not None and len(run.tables["middlebox_backlog"]) and over_s < ANY:
        held = time_mean(box_queue(run), 0.0, over_s)
    return (packets * PACKET + held) / KB


def _mean(scheme: Scheme, value: Callable[[Scheme, int], float]) -> float:
    return fmean(value(scheme, seed) for seed in SEEDS)


def changed_hosts(_: Outcomes, scheme: Scheme) -> float:
    """Return how many of the settings are of TCP in the end systems."""
    return float(scheme.changes_hosts)


def queued(outcomes: Outcomes, scheme: Scheme) -> float:
    """Return the queue at the border during a long download, in KB."""
    return _mean(scheme, lambda it, seed: queued_kb(outcomes[bulk(it, seed)]))


def start(outcomes: Outcomes, scheme: Scheme) -> float:
    """Return the time of a short download over that without a box."""
    ours, plain = (
        _mean(it, lambda it, seed: received_s(outcomes[brief(it, seed)])) for it in (scheme, NO_BOX)
    )
    return ours / plain


def handshake_s(run: Outcome) -> float:
    """Return how long the sender's side of the handshake took over an idle link, in s."""
    return run.result.flows[0].established_s or float("inf")


def line(outcomes: Outcomes) -> float:
    """Return the best payload rate of a long download, in B/s, which flows share."""
    return max(
        BULK_KB * KB / _mean(scheme, lambda it, seed: received_s(outcomes[bulk(it, seed)]))
        for scheme in SCHEMES
    )


def shared(outcomes: Outcomes, scheme: Scheme) -> float:
    """Return Jain's index of two flows, mean of the later one's ages and lengths.

    The later flow has its bytes over its time without the handshake of an idle link; the other has
    what that leaves of the line.
    """
    whole = line(outcomes)

    def index(seed: int, after_s: int, kb: int) -> float:
        run = outcomes[pair(scheme, seed, after_s, kb)]
        took_s = received_s(run, 1, after_s) - handshake_s(outcomes[brief(NO_BOX, seed)])
        later = min(kb * KB / took_s, whole)
        return jain([later, whole - later])

    places = product(SEEDS, AGES_S, LENGTHS_KB)
    return fmean(index(*place) for place in places)


def kept(outcomes: Outcomes, scheme: Scheme) -> float:
    """Return the goodput with block errors over the best of any scheme, mean of rates, per cent."""

    def took_s(it: Scheme, percent: int) -> float:
        return _mean(it, lambda it, seed: received_s(outcomes[erroneous(it, seed, percent)]))

    best = {percent: min(took_s(it, percent) for it in SCHEMES) for percent in ERRORS}
    return 100 * fmean(best[percent] / took_s(scheme, percent) for percent in ERRORS)


def lost_after(lasts_s: int) -> Callable[[Outcomes, Scheme], float]:
    """Measure the time that an interruption costs beside itself, in s."""

    def value(outcomes: Outcomes, scheme: Scheme) -> float:
        dark = _mean(scheme, lambda it, seed: received_s(outcomes[interrupted(it, seed, lasts_s)]))
        return dark - _mean(scheme, lambda it, seed: received_s(outcomes[bulk(it, seed)])) - lasts_s

    return value


def early(outcomes: Outcomes, scheme: Scheme) -> float:
    """Count the acknowledgements that the sender heard before the mobile sent them."""
    return acknowledged_early(outcomes[traced(scheme)])


@dataclass(frozen=True, slots=True)
class Criterion:
    """A row of Table I.

    Attributes
    ----------
    name, metric
        Its name, and what is measured.
    low, high
        A tick is earned from `low` to `high`.
    value
        Measures a scheme.
    """

    name: str
    metric: str
    low: float
    high: float
    value: Callable[[Outcomes, Scheme], float]

    def ticked(self, value: float) -> bool:
        """Return whether a value earns the tick."""
        return self.low <= value <= self.high

    def threshold(self) -> str:
        """Return the threshold as text."""
        if self.low == self.high:
            return f"{self.low:g}"
        return f"≤ {self.high:g}" if np.isinf(self.low) else f"≥ {self.low:g}"


ANY: Final = float("inf")

_ROWS: Final = (
    ("settings of TCP in the end systems", 0.0, 0.0, changed_hosts),
    ("KB waiting at the border, 200 KB alone", -ANY, 2 * BDP / KB, queued),
    ("time of 18 KB divided by that without a middlebox", -ANY, 0.9, start),
    ("Jain's index, second flow of 30 or 90 KB after 5 or 20 s", 0.9, ANY, shared),
    ("% of the best goodput with 10, 20 and 30 % of blocks in error", 90.0, ANY, kept),
    ("s lost beyond a stall of 5 s", -ANY, 3.0, lost_after(STALLS_S["stall"])),
    ("s lost beyond an outage of 30 s", -ANY, 6.0, lost_after(STALLS_S["outage"])),
    ("ACKs that come before the mobile's", 0.0, 0.0, early),
)

ROWS: Final = tuple(Criterion(name, *row) for name, row in zip(CRITERIA, _ROWS, strict=True))
