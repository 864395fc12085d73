"""Estimates of the bandwidth-delay product over a UMTS channel whose rate changes."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.measuring import box_window, rtts
from thinpipe.papers.lo2005.experiments import SCENARIO
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.point import Point
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure, Value
    from thinpipe.papers.outcomes import Outcome

ESTIMATORS: Final = ("static", "westwood", "radio")
NAMES: Final = {
    "static": "window stays",
    "westwood": "Westwood's estimate",
    "radio": "rate reported by the radio",
}
SEEDS: Final = (1, 2, 3)

STEPS: Final = ((40, 128), (80, 384), (120, 64), (160, 384))
"""From when on, in s, the downlink has which rate, in kbit/s."""

LASTS_S: Final = 200

WIDE: Final = 384
CLAMP: Final = round(1.3 * WIDE * 1000 / 8 * 0.2)
"""Bytes: P5's rule for 384 kbit/s and lo2005's mean round trip of 0.2 s."""


def runs(estimator: str) -> tuple[Point, ...]:
    """Return the runs of one estimator."""
    return tuple(
        Point.of(
            SCENARIO,
            {
                "middlebox.kind": "atcp",
                "middlebox.atcp.clamp": f"{CLAMP} B",
                "middlebox.atcp.estimator": estimator,
                "middlebox.atcp.rate": f"{WIDE} kbit/s",
                "middlebox.atcp.round_trip": "200 ms",
                "radio.tbler": "5 %",
                "radio.downlink.schedule": [
                    {"at": f"{at_s} s", "rate": f"{rate} kbit/s"} for at_s, rate in STEPS
                ],
                "duration": f"{LASTS_S} s",
                "seed": seed,
            },
        )
        for seed in SEEDS
    )


POINTS: Final = tuple(point for estimator in ESTIMATORS for point in runs(estimator))


def share_of_channel(run: Outcome) -> float:
    """Return what reached the mobile, in per cent of the channel."""
    return 100 * (run.flow.normalized_throughput or 0.0)


def mean_rtt_s(run: Outcome) -> float:
    """Return the mean round-trip time over the radio, in s."""
    return float(rtts(run).mean())


def _mean(outcomes: Outcomes, estimator: str, value: Value) -> float:
    return fmean(value(outcomes[point]) for point in runs(estimator))


def goodput(outcomes: Outcomes, estimator: str) -> float:
    """Return the mean of what reached the mobile, in per cent of the channel."""
    return _mean(outcomes, estimator, share_of_channel)


def beside_static(estimator: str, value: Value) -> Measure:
    """Measure a mean with one estimator beside that of the static window, in % of difference."""
    return lambda outcomes: [
        100 * (_mean(outcomes, estimator, value) / _mean(outcomes, "static", value) - 1)
    ]


MEASURES: Final[dict[str, Measure]] = {
    "steps-westwood": beside_static("westwood", share_of_channel),
    "steps-radio": beside_static("radio", share_of_channel),
    "steps-radio-rtt": beside_static("radio", mean_rtt_s),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate goodput, round-trip time and window of each estimator."""
    rows = tuple(
        (
            NAMES[estimator],
            short(goodput(outcomes, estimator)),
            short(_mean(outcomes, estimator, mean_rtt_s)),
            short(_mean(outcomes, estimator, lambda run: box_window(run).value.mean() / 1024)),
        )
        for estimator in ESTIMATORS
    )
    head = ("estimator", "% of 384 kbit/s", "mean RTT s", "mean window KB")
    return (Table("atcp over a UMTS channel with rate steps, mean of three seeds", head, rows),)
