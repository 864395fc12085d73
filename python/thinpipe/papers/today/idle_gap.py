"""Round trips by how long nothing was sent before, as Narayanan et al. (SIGCOMM 2021) probed them.

A server sends single segments to a mobile that sleeps, is suspended or has no connection, by how
long ago the last answer came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.setup import point
from thinpipe.papers.today.setup import SEEDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

LONGEST_S: Final = 20
"""The longest gap that was probed."""

PROBES: Final = 4000
"""Of each run."""

BIN_S: Final = 0.5
"""Round trips are compared bin by bin to find the tail."""

AFTER_THE_TAIL: Final = 2.0
"""A bin whose median is so many times that of a sleeping mobile is after the tail."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network, and what stands for it.

    Attributes
    ----------
    title, scenario
        What tables and figures call it, and the scenario whose keys are changed.
    round_trip_ms
        The round trip after no gap: measured.
    wire_ms
        Delay of the wire one way, set so that our round trip after no gap is the measured one.
    tail_s
        The tail: measured.
    long_cycle_ms
        Of a sleeping mobile: that of TS 36.331 and TS 38.331 nearest to (q - r + on) / 0.9, where q
        is the measured 90th percentile of its round trips, and r the round trip after no gap.
    more
        What else is not as in the scenario.
    """

    title: str
    scenario: str
    round_trip_ms: float
    wire_ms: float
    tail_s: int
    long_cycle_ms: int
    more: Settings = ()


ASLEEP_EARLY: Final = (("radio.drx.inactivity", "80 ms"),)
"""Of mobiles that sleep before a gap of 50 ms: of TS 36.331. It begins with the answer's block, the
gap when the answer arrives."""

NETWORKS: Final = {
    # The short cycle follows from a percentile as the long one does. Sixteen are the most of
    # TS 36.331; they end before a gap of 0.6 s, the next that was probed.
    "verizon-4g": Network(
        "Verizon 4G",
        "lte-cat4",
        64,
        22.2,
        10,
        320,
        (*ASLEEP_EARLY, ("radio.drx.short_cycle", "32 ms"), ("radio.drx.short_for", "512 ms")),
    ),
    # No percentile was measured: the cycle brings the middle of the measured 110 to 140 ms. Nor was
    # the round trip after no gap: it is that of the other LTE.
    "t-mobile-4g": Network("T-Mobile 4G", "lte-cat4", 64, 22.2, 5, 128),
    # Suspended until a gap of 15 s, as the artefact's figure has it. A suspended mobile listens as
    # often as an idle one: our choice.
    "t-mobile-sa": Network(
        "T-Mobile 5G stand-alone",
        "nr-standalone",
        66,
        29,
        10,
        64,
        (
            *ASLEEP_EARLY,
            ("radio.drx.short_for", "0 ms"),
            ("radio.inactive.paging_cycle", "1.28 s"),
            ("radio.inactive.release", "5 s"),
        ),
    ),
    # No percentile was measured: the cycle is that of the other low band.
    "t-mobile-nsa": Network("T-Mobile NSA, low band", "nr-tdd-100", 76, 34, 10, 320),
    "verizon-nsa": Network("Verizon NSA, low band", "nr-tdd-100", 56.5, 24.25, 10, 320),
    "verizon-mmwave": Network(
        "Verizon NSA, mmWave",
        "nr-mmwave-blockage",
        53,
        24.6,
        10,
        80,
        (("radio.blockage.loss", "0 dB"),),
    ),
}
"""By the names that facts begin with. Promotions and the cycle of idle mobiles are those of the
scenarios, after Huang et al. 2012: 260 ms, and 1.28 s; of the stand-alone one 360 ms."""


def columns(network: Network) -> dict[str, tuple[float, float]]:
    """Return the gaps of the columns of the measured table, in s."""
    return {
        "none": (0, 0.01),
        "short": (0.05, 0.3),
        "asleep": (0.6, network.tail_s),
        "idle": (network.tail_s, LONGEST_S),
    }


COLUMNS: Final = ("none", "short", "asleep", "idle")


RESUMED_SLOWLY: Final = (("radio.inactive.resume", "360 ms"),)
"""A suspended mobile comes back no sooner than an idle one."""


def probed(name: str, column: str, seed: int, *more: Settings) -> Point:
    """Return probes to a network, about so long after the answers as a column has it.

    A probe is answered at once, and never repeated.
    """
    network = NETWORKS[name]
    low, high = columns(network)[column]
    most_s = high + network.round_trip_ms / 1000 + 0.01
    return point(
        network.scenario,
        network.more,
        (
            ("wired.core.delay", f"{network.wire_ms} ms"),
            ("radio.rrc.tail", f"{network.tail_s} s"),
            ("radio.rrc.paging_cycle", "1.28 s"),
            ("radio.drx.long_cycle", f"{network.long_cycle_ms} ms"),
            ("flow.application", "probe"),
            ("flow.direction", "downlink"),
            ("flow.bytes", "unlimited"),
            ("flow.probe.bytes", "56 B"),
            ("flow.probe.count", PROBES),
            ("flow.probe.least", f"{low + network.round_trip_ms / 1000:.4f} s"),
            ("flow.probe.most", f"{most_s:.4f} s"),
            ("tcp.delayed_ack", "off"),
            ("tcp.recovery", "newreno"),
            ("tcp.initial_rto", "60 s"),
            ("tcp.min_rto", "60 s"),
            ("duration", f"{PROBES * most_s:.0f} s"),
        ),
        *more,
        seed=seed,
    )


POINTS: Final = (
    *(probed(name, column, seed) for name in NETWORKS for column in COLUMNS for seed in SEEDS),
    *(probed("t-mobile-sa", "idle", seed, RESUMED_SLOWLY) for seed in SEEDS),
)


def round_trips(
    outcomes: Outcomes, name: str, column: str, *seeds: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gaps before probes in s, and round trips in ms, of those with gaps of the column.

    A gap is from the answer of one probe to the next probe, as theirs.
    """
    gaps, round_trips_ms = (
        np.concatenate(each)
        for each in zip(
            *(_gaps(outcomes[probed(name, column, seed)]) for seed in seeds), strict=True
        )
    )
    low, high = columns(NETWORKS[name])[column]
    within = (gaps >= low) & (gaps < high)
    return gaps[within], round_trips_ms[within]


def _gaps(outcome: Outcome) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gap in s before each probe but the first, and its round trip in ms."""
    samples = outcome.tables["rtt"].select("time_s", "rtt_s").to_numpy()
    answered, taken = samples[:, 0], samples[:, 1]
    return (answered - taken)[1:] - answered[:-1], 1000 * taken[1:]


def quantile(outcomes: Outcomes, name: str, column: str, at: float, *seeds: int) -> float:
    """Return a quantile of the round trips of a column of a network, in ms."""
    return float(np.quantile(round_trips(outcomes, name, column, *seeds)[1], at))


def _quantiles(name: str, column: str, at: float) -> Callable[[Outcomes], Sequence[float]]:
    return lambda outcomes: [quantile(outcomes, name, column, at, seed) for seed in SEEDS]


def _tail(outcomes: Outcomes, name: str, seed: int) -> float:
    """Return the gap in s from which on round trips are longer than those of a sleeping mobile."""
    asleep, idle = (round_trips(outcomes, name, column, seed) for column in ("asleep", "idle"))
    gaps, round_trips_ms = (np.concatenate(both) for both in zip(asleep, idle, strict=True))
    longer = AFTER_THE_TAIL * np.median(asleep[1])
    bins = (gaps // BIN_S).astype(int)
    after = (each for each in set(bins) if np.median(round_trips_ms[bins == each]) > longer)
    return BIN_S * float(min(after))


def _tails(name: str) -> Callable[[Outcomes], Sequence[float]]:
    return lambda outcomes: [_tail(outcomes, name, seed) for seed in SEEDS]


def _quickly_resumed(*more: Settings) -> Callable[[Outcomes], Sequence[float]]:
    """Return the measure of how many probes after the tail take 200 to 400 ms, in percent."""

    def share(outcome: Outcome) -> float:
        gaps, round_trips_ms = _gaps(outcome)
        after = round_trips_ms[gaps >= NETWORKS["t-mobile-sa"].tail_s]
        return float(100 * np.mean((after >= 200) & (after < 400)))  # noqa: PLR2004

    return lambda outcomes: [
        share(outcomes[probed("t-mobile-sa", "idle", seed, *more)]) for seed in SEEDS
    ]


MEASURES: Final = {
    **{
        f"{name}-asleep": _quantiles(name, "asleep", 0.5)
        for name in NETWORKS
        if name != "t-mobile-4g"
    },
    **{f"{name}-idle": _quantiles(name, "idle", 0.5) for name in NETWORKS},
    **{f"{name}-tail": _tails(name) for name in NETWORKS},
    "verizon-4g-short": _quantiles("verizon-4g", "short", 0.5),
    "t-mobile-sa-short": _quantiles("t-mobile-sa", "short", 0.5),
    "t-mobile-sa-resumed": _quickly_resumed(),
    "t-mobile-sa-resumed-slowly": _quickly_resumed(RESUMED_SLOWLY),
    "verizon-4g-idle-90": _quantiles("verizon-4g", "idle", 0.9),
}
