"""How each fact of ``facts.toml`` is measured: one value per run, or one in total."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.lo2005 import model, split
from thinpipe.papers.lo2005.experiments import (
    BEYOND,
    ISOLATED,
    NEVER_SPURIOUS,
    OFTEN_SPURIOUS,
    OUT_OF_ORDER,
    TBLERS,
    TRACED_SEEDS,
    Study,
    point,
)
from thinpipe.papers.lo2005.rounds import Rounds
from thinpipe.papers.series import Steps

if TYPE_CHECKING:
    from thinpipe.papers.outcomes import Outcome

Measure = Callable[[Study], Sequence[float]]

PATH: Final = model.PATH
BOUND: Final = PATH.counted * PATH.packet / PATH.segment_sdu
"""Share of the channel left by the headers of PDCP and IP."""

RTT_STEP_S: Final = float(PATH.uplink.tti)
ON_GRID_S: Final = 1e-6
MEAN_RTT_S: Final = (0.19, 0.21)
"""What counts as the mean round-trip time of 0.2 s."""


def of_runs(variant: str, tbler: int, value: Callable[[Outcome], float]) -> Measure:
    """Measure one value per run."""
    return lambda study: [value(run) for run in study.runs(variant, tbler)]


def throughput(run: Outcome) -> float:
    """Return the normalised throughput in percent: TCP segments, without IP headers."""
    return throughput_with_ip(run) * PATH.counted


def throughput_with_ip(run: Outcome) -> float:
    """Return the throughput in percent that counts IP headers as well."""
    return 100 * (run.flow.normalized_throughput or 0.0)


def mean_throughput(study: Study, variant: str, tbler: int) -> float:
    """Return the mean over seeds, in percent."""
    return float(np.mean([throughput(run) for run in study.runs(variant, tbler)]))


def falls(study: Study) -> list[float]:
    """Return how Vegas' throughput changes from each error rate to the next, in percent."""
    return _changes(study, TBLERS)


def collapses(study: Study) -> list[float]:
    """Return the same from the last of them on, in percent."""
    return _changes(study, (TBLERS[-1], *BEYOND))


def _changes(study: Study, tblers: Sequence[int]) -> list[float]:
    means = [mean_throughput(study, "vegas", tbler) for tbler in tblers]
    return [100 * (after / before - 1) for before, after in pairwise(means)]


def cost_of_spurious_timeouts(study: Study) -> list[float]:
    """Return how Vegas' throughput changes by its spurious timeouts, in percent."""
    without = Study(study.outcomes, (*study.extra, *NEVER_SPURIOUS))
    return [
        100
        * (mean_throughput(study, "vegas", tbler) / mean_throughput(without, "vegas", tbler) - 1)
        for tbler in OFTEN_SPURIOUS
    ]


def share_of_bound(variant: str, tblers: Sequence[int]) -> Measure:
    """Measure the mean throughput in percent of what error-free blocks can carry."""
    return lambda study: [
        mean_throughput(study, variant, tbler) / ((1 - tbler / 100) * BOUND) for tbler in tblers
    ]


def min_after_max(run: Outcome) -> float:
    """Return the smallest window after the largest was first reached, in whole segments."""
    cwnd = Steps.cwnd(run)
    return float(np.floor(cwnd.value[int(np.argmax(cwnd.value)) :].min()))


def after_slow_start(run: Outcome) -> Steps:
    """Return the window from its first decrease on; all of it, if it never falls."""
    cwnd = Steps.cwnd(run)
    first = cwnd.first_decrease()
    if first == len(cwnd.time_s):
        return cwnd
    return Steps(cwnd.time_s[first:], cwnd.value[first:], cwnd.end_s)


def largest_window(run: Outcome) -> float:
    """Return the largest window, in whole segments."""
    return float(np.floor(Steps.cwnd(run).value.max()))


def share_at_peak(run: Outcome) -> float:
    """Return the share of the time at 7 segments or more, in percent."""
    cwnd = Steps.cwnd(run)
    return 100 * cwnd.share(cwnd.value >= 7)  # noqa: PLR2004 - the paper's number


def first_peak(study: Study) -> list[float]:
    """Return when the window first rose to 7 after slow start, of the runs in which it did."""
    times = []
    for run in study.draws(5):
        cwnd = after_slow_start(run)
        at_peak = cwnd.value >= 7  # noqa: PLR2004 - the paper's number
        rises = np.flatnonzero(at_peak[1:] & ~at_peak[:-1]) + 1
        times += [float(cwnd.time_s[rises[0]])] if len(rises) else []
    return times


def share_small(run: Outcome) -> float:
    """Return the share of the time at 2 segments, the least of Vegas, in percent."""
    cwnd = Steps.cwnd(run)
    return 100 * cwnd.share(cwnd.value <= 2)  # noqa: PLR2004 - the paper's number


def peak_of_slow_start(run: Outcome) -> float:
    """Return the window before its first decrease, in whole segments."""
    cwnd = Steps.cwnd(run)
    return float(np.floor(cwnd.value[: cwnd.first_decrease()].max()))


def first_decrease(run: Outcome) -> float:
    """Return when the window first fell."""
    cwnd = Steps.cwnd(run)
    place = cwnd.first_decrease()
    return float(cwnd.time_s[place]) if place < len(cwnd.time_s) else cwnd.end_s


def percent_of(runs: Sequence[Outcome], is_so: Callable[[Outcome], bool]) -> list[float]:
    """Return for how many of the runs something is so, in percent."""
    return [100 * sum(map(is_so, runs)) / len(runs)]


def on_grid(run: Outcome) -> float:
    """Return the share of samples at 0.120 s plus a multiple of 20 ms, in percent."""
    above = run.tables["rtt"]["rtt_s"].to_numpy() - float(PATH.error_free_rtt())
    off = np.abs(above - RTT_STEP_S * np.round(above / RTT_STEP_S))
    return 100 * float(np.mean(off <= ON_GRID_S))


def spurious(variant: str, *tblers: int) -> Measure:
    """Measure spurious timeouts."""
    return lambda study: [
        float(run.flow.spurious_timeouts) for t in tblers for run in study.runs(variant, t)
    ]


def out_of_order(value: Callable[[Outcome], float]) -> Measure:
    """Measure Reno at 5 % without in-sequence delivery."""
    return lambda study: [value(run) for run in study.runs("reno", 5, OUT_OF_ORDER)]


def of_draws(tbler: int, value: Callable[[Outcome], float]) -> Measure:
    """Measure one value for each of many seeds of Vegas."""
    return lambda study: [value(run) for run in study.draws(tbler)]


def traced(study: Study) -> list[Outcome]:
    """Return the runs of Vegas at 5 % that were followed packet by packet."""
    return [study.outcomes[point("vegas", 5, seed)] for seed in TRACED_SEEDS]


def share_that_shrinks(study: Study) -> list[float]:
    """Return how often a mean of 0.3 s or more shrank a window of 6, in percent."""
    found = [Rounds.of(run, PATH.mss) for run in traced(study)]
    return [100 * each.share_fallen(each.at(6, 0.3)) for each in found]


def share_that_keeps(study: Study) -> list[float]:
    """Return how often the mean of 0.2 s left a window of 5 as it was, in percent."""
    found = [Rounds.of(run, PATH.mss) for run in traced(study)]
    return [100 * each.share_kept(each.at(5, *MEAN_RTT_S)) for each in found]


def bandwidth_delay_product(_: Study) -> list[float]:
    """Return what the path holds without queues, in segments: a formula that needs no run."""
    return [float(PATH.downlink.rate * PATH.error_free_rtt() / (PATH.packet * 8))]


def _isolated(tbler: int, value: Callable[[Outcome], float]) -> Measure:
    return lambda study: [
        value(study.outcomes[point("reno", tbler, seed, ISOLATED)]) for seed in TRACED_SEEDS
    ]


MEASURES: Final[dict[str, Measure]] = {
    "throughput-reno-0": of_runs("reno", 0, throughput),
    "throughput-vegas-0": of_runs("vegas", 0, throughput),
    "throughput-vegas-30": of_runs("vegas", 30, throughput),
    "throughput-reno-30": of_runs("reno", 30, throughput),
    "throughput-reno-0-with-ip": of_runs("reno", 0, throughput_with_ip),
    "throughput-vegas-falls": falls,
    "throughput-reno-falls": share_of_bound("reno", TBLERS),
    "cwnd-reno-5-stays": of_runs("reno", 5, min_after_max),
    "cwnd-vegas-5-mean": of_runs("vegas", 5, lambda run: run.flow.cwnd_segments.mean or 0.0),
    "cwnd-vegas-5-greatest": of_runs("vegas", 5, largest_window),
    "cwnd-vegas-5-peaks-short": of_runs("vegas", 5, share_at_peak),
    "cwnd-vegas-5-first-peak": first_peak,
    "bandwidth-delay-product": bandwidth_delay_product,
    "rtt-vegas-5-samples": of_runs("vegas", 5, lambda run: float(run.flow.rtt_s.samples)),
    "rtt-vegas-5-greatest": of_runs("vegas", 5, lambda run: run.flow.rtt_s.max or 0.0),
    "rtt-vegas-5-grid": of_runs("vegas", 5, on_grid),
    "rtt-vegas-5-mean": of_runs("vegas", 5, lambda run: run.flow.rtt_s.mean or 0.0),
    "cwnd-reno-30-stays": of_runs("reno", 30, min_after_max),
    "cwnd-vegas-30-small": of_runs("vegas", 30, share_small),
    "spurious-timeouts-30": spurious("vegas", 30),
    "spurious-timeouts-20": spurious("vegas", *OFTEN_SPURIOUS),
    "spurious-timeouts-cost": cost_of_spurious_timeouts,
    "spurious-timeouts-below-20": spurious("vegas", 0, 5, 10, 15),
    "spurious-timeouts-reno": spurious("reno", *TBLERS),
    "cwnd-vegas-30-slow-start": lambda study: percent_of(
        study.draws(30),
        lambda run: peak_of_slow_start(run) == 4,  # noqa: PLR2004 - the paper's number
    ),
    "cwnd-vegas-30-first-drop": of_draws(30, first_decrease),
    "eq1-shrinks": share_that_shrinks,
    "eq1-keeps": share_that_keeps,
    "eq4-packet": _isolated(0, split.ttis_of_a_packet),
    "eq4-acknowledgement": _isolated(0, split.ttis_of_an_acknowledgement),
    "retransmission-least": _isolated(20, split.min_extra_delay_ms),
    "out-of-order-duplicate-acks": out_of_order(lambda run: float(run.flow.fast_retransmits)),
    "collapse": collapses,
}
"""The measurement of each fact, by its id."""
