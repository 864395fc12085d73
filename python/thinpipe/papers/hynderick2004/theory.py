"""How the facts on formulas are measured: ours over what the formula gives, or ours alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004 import formulas
from thinpipe.papers.hynderick2004.experiments import (
    BITS,
    FORMULA_WINDOW,
    LASTING_S,
    LOSSES,
    OPENED,
    QUEUED,
    SEEDS,
    SIZES,
    WIDE_WINDOW,
    Study,
    avoiding,
    lossy_bits,
    opening,
    packet_bits,
    queueing,
)
from thinpipe.papers.series import Steps

if TYPE_CHECKING:
    from thinpipe.papers.outcomes import Outcome

Measure = Callable[[Study], Sequence[float]]

FIRST_TIMEOUT_S: Final = 1.0
"""T0 of these runs: the profile's minimum timeout, above what their round trips of 0.2 s give."""

RARE: Final = 0.01
"""Up to this loss rate, windows are large enough for Mathis's formula."""

BOTTLENECK: Final = "bottleneck/down"

BEING_SENT: Final = 1
"""The packet in transmission counts at the bottleneck, but needs no buffer."""


def goodput(runs: Sequence[Outcome]) -> list[float]:
    """Return bit/s of payload, one value per run."""
    return [run.flow.goodput_bps or 0.0 for run in runs]


def factors(study: Study, variant: str, loss: float) -> list[float]:
    """Return the share of the throughput without loss that each seed kept."""
    without = fmean(goodput(study.lossy(variant, 0.0, FORMULA_WINDOW)))
    return [each / without for each in goodput(study.lossy(variant, loss, FORMULA_WINDOW))]


def factors_of_bits(study: Study, bit_loss: float, payload: int) -> list[float]:
    """Return the same of Tahoe where bits are lost."""
    runs, without = (
        [study.outcomes[lossy_bits(loss, payload, seed)] for seed in SEEDS]
        for loss in (bit_loss, 0.0)
    )
    return [each / fmean(goodput(without)) for each in goodput(runs)]


def sent_a_second(run: Outcome) -> float:
    """Return the packets sent a second."""
    return run.flow.segments_sent / LASTING_S


def sent_a_round_trip(run: Outcome) -> float:
    """Return the packets sent in a round-trip time."""
    return sent_a_second(run) * rtt_s(run)


def rtt_s(run: Outcome) -> float:
    """Return the median round-trip time.

    The mean would count how long packets behind a lost one waited for its repair.
    """
    return run.flow.rtt_s.p50 or 0.0


def by_pftk(study: Study, variant: str, loss: float) -> float:
    """Return PFTK's packets a second at the round-trip time of these runs."""
    mean_s = fmean(rtt_s(run) for run in study.lossy(variant, loss, WIDE_WINDOW))
    return formulas.pftk(loss, mean_s, FIRST_TIMEOUT_S, WIDE_WINDOW)


def opened_after(run: Outcome, window: int) -> float:
    """Return the round trips from the SYN until the window reached a number of packets."""
    cwnd = Steps.cwnd(run)
    at_s = float(cwnd.time_s[int(np.argmax(cwnd.value >= window))])
    return (at_s - (run.flow.started_s or 0.0)) / (run.flow.rtt_s.min or np.nan)


def waiting(run: Outcome) -> float:
    """Return the most packets that wait at the bottleneck behind the one being sent."""
    links = run.result.links
    most = next(link.queue_packets.max or 0.0 for link in links if link.name == BOTTLENECK)
    return most - BEING_SENT


def gained_a_round_trip(study: Study) -> list[float]:
    """Return what the window gains a round trip in congestion avoidance, over the whole run."""
    run = study.outcomes[avoiding()]
    cwnd = Steps.cwnd(run)
    rounds = (cwnd.time_s[-1] - cwnd.time_s[0]) / (run.flow.rtt_s.mean or np.nan)
    return [float((cwnd.value[-1] - cwnd.value[0]) / rounds)]


def _slow_start(study: Study) -> list[float]:
    return [
        opened_after(study.outcomes[opening(window)], window)
        / formulas.slow_start_round_trips(window)
        for window in OPENED
    ]


def _buffer(study: Study) -> list[float]:
    return [
        waiting(study.outcomes[queueing(window)]) - formulas.slow_start_buffer(window)
        for window in QUEUED
    ]


def _factor(variant: str) -> Measure:
    return lambda study: [
        fmean(factors(study, variant, loss)) / formulas.tahoe_factor(loss, FORMULA_WINDOW)
        for loss in LOSSES
    ]


def _factor_of_bits(study: Study) -> list[float]:
    return [
        fmean(factors_of_bits(study, loss, payload))
        / formulas.tahoe_factor_of_bits(loss, packet_bits(payload), FORMULA_WINDOW)
        for payload in SIZES
        for loss in BITS
    ]


def _larger_suffer(study: Study) -> list[float]:
    """Return by how many percent the largest packets keep more than the smallest, at each loss."""
    return [
        100
        * (
            fmean(factors_of_bits(study, loss, SIZES[-1]))
            / fmean(factors_of_bits(study, loss, SIZES[0]))
            - 1
        )
        for loss in BITS
    ]


def _mathis(variant: str, *losses: float) -> Measure:
    return lambda study: [
        fmean(sent_a_round_trip(run) for run in study.lossy(variant, loss, WIDE_WINDOW))
        / formulas.mathis(loss)
        for loss in losses
    ]


def _pftk(variant: str, *losses: float) -> Measure:
    return lambda study: [
        fmean(sent_a_second(run) for run in study.lossy(variant, loss, WIDE_WINDOW))
        / by_pftk(study, variant, loss)
        for loss in losses
    ]


_RARE: Final = tuple(loss for loss in LOSSES if loss <= RARE)
_FREQUENT: Final = tuple(loss for loss in LOSSES if loss > RARE)

MEASURES: Final[dict[str, Measure]] = {
    "iv-slow-start": _slow_start,
    "iv-buffer": _buffer,
    "iv-avoidance": gained_a_round_trip,
    "iv-tahoe-factor": _factor("tahoe"),
    "iv-tahoe-bits": _factor_of_bits,
    "iv-larger-suffer": _larger_suffer,
    "mathis-rare": _mathis("sack", *_RARE),
    "mathis-frequent": _mathis("sack", *_FREQUENT),
    "pftk-reno": _pftk("reno", *LOSSES[:-1]),
    "pftk-reno-10": _pftk("reno", LOSSES[-1]),
    "pftk-sack": _pftk("sack", *LOSSES),
}
"""The measurement of each fact on a formula, by its id."""
