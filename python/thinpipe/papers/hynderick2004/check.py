"""How each fact of ``facts.toml`` is measured: one value per run, or a list of packets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from thinpipe.papers.facts import WORDS
from thinpipe.papers.hynderick2004 import theory, walk
from thinpipe.papers.hynderick2004.experiments import (
    BURSTS,
    COMPARED,
    DAMAGES,
    DROPS,
    GUARDED,
    HEADERS,
    LOST_AGAIN,
    MANY,
    SEEDS,
    SMALL_DROPS,
    VEGAS_BESIDE,
    VEGAS_DROPS,
    Settings,
    Study,
    burst,
    damaged,
    neighbours,
    one_window,
    small_window,
    two_windows,
)
from thinpipe.papers.hynderick2004.trace import MSS, Trace

if TYPE_CHECKING:
    from thinpipe.papers.outcomes import Outcome

Measure = Callable[[Study], Sequence[float]]
Value = Callable[[Trace], float | None]
Packets = Callable[[Trace], Iterable[float]]

COUNTS: Final = tuple(range(1, len(DROPS) + 1))
RATE_BPS: Final = 0.8e6
"""Of the study's bottleneck."""

SECOND_DROP: Final = 28
"""The second packet lost, where two are."""

AFTER_LOSS_S: Final = 2.0
"""How long after the loss was noticed the use of the path is compared: ten round trips."""


def of(count: int, value: Value, *variants: str) -> Measure:
    """Measure one value for each variant after so many drops; none where it does not apply."""
    return lambda study: _known(value(study.trace(each, count)) for each in variants)


def listed(variant: str, count: int, packets: Packets) -> Measure:
    """Measure a list of packets of one variant after so many drops."""
    return lambda study: list(packets(study.trace(variant, count)))


def alike(count: int, packets: Packets, *variants: str) -> Measure:
    """Measure a list of packets that these variants share; all lists, where they do not."""

    def measure(study: Study) -> list[float]:
        first, *more = (list(packets(study.trace(each, count))) for each in variants)
        return first if all(each == first for each in more) else [*first, *chain(*more)]

    return measure


def over_counts(value: Callable[[Outcome], float | None], *variants: str) -> Measure:
    """Measure one value for each variant and number of drops."""
    return lambda study: _known(
        value(study.dropped(variant, count)) for variant in variants for count in COUNTS
    )


def timeouts(run: Outcome) -> float:
    """Count the timeouts."""
    return float(run.flow.timeouts)


def round_trips(run: Outcome) -> float | None:
    """Return how many of the minimum round-trip times the recovery took."""
    took_s, rtt_s = walk.recovery_s(Trace.of(run)), run.flow.rtt_s.min
    return None if took_s is None or rtt_s is None else took_s / rtt_s


def sack_is_quickest(study: Study) -> list[float]:
    """Return the share of the patterns of drops after which SACK is clearly quickest, in %."""

    def took_s(variant: str, count: int) -> float:
        return completed_s(study.dropped(variant, count)) or math.inf

    others = tuple(each for each in COMPARED if each != "sack")
    ahead = [
        100 * (took_s("sack", n) / min(took_s(each, n) for each in others) - 1)
        <= WORDS["less"].high
        for n in COUNTS
    ]
    return [100 * sum(ahead) / len(ahead)]


def rounds_of_recovery(run: Outcome) -> float | None:
    """Return the length of the recovery in round trips, that of the packet retransmitted being one.

    The minimum round-trip time is shorter: what a wide window has in the queue delays that packet.
    """
    trace = Trace.of(run)
    took_s, end = walk.recovery_s(trace), walk.answer(trace)
    if took_s is None or end is None:
        return None
    return took_s / (end.time_s - trace.first_loss.time_s)


def round_trips_a_drop(study: Study) -> list[float]:
    """Return the round trips of NewReno's recovery over the number of drops."""
    return [(round_trips(study.dropped("newreno", n)) or 0.0) / n for n in COUNTS]


def bursts(
    variant: str,
    counts: Sequence[int],
    value: Callable[[Outcome], float | None],
    extra: Settings = (),
) -> Measure:
    """Measure one value for each burst in one window, then for each in two successive ones."""
    return lambda study: _known(
        value(study.outcomes[burst(variant, drops(count), extra)])
        for drops in (one_window, two_windows)
        for count in counts
    )


def completed_s(run: Outcome) -> float | None:
    """Return when the transfer was complete."""
    return run.flow.completed_s


def sack_beside_tahoe(extra: Settings = ()) -> Measure:
    """Measure SACK's time over Tahoe's for the whole transfer, for each burst of many drops."""

    def measure(study: Study) -> list[float]:
        sack = bursts("sack", MANY, completed_s)(study)
        tahoe = bursts("tahoe", MANY, completed_s, extra)(study)
        return [each / other for each, other in zip(sack, tahoe, strict=True)]

    return measure


def tahoe_beside(others: Sequence[str], extra: Settings = ()) -> Measure:
    """Measure Tahoe's time over that of the quickest other, for bursts in one window."""

    def measure(study: Study) -> list[float]:
        tahoe = bursts("tahoe", MANY, completed_s, extra)(study)[: len(MANY)]
        each = (bursts(other, MANY, completed_s)(study)[: len(MANY)] for other in others)
        return [own / min(times) for own, *times in zip(tahoe, *each, strict=True)]

    return measure


def packets_after_loss(run: Outcome) -> float:
    """Count what was acknowledged in the time after the loss was noticed."""
    trace = Trace.of(run)
    loss = trace.first_loss
    until = [s for s in trace.steps if s.time_s <= loss.time_s + AFTER_LOSS_S]
    return float(until[-1].ack - loss.ack)


def tahoe_use_beside_sack(study: Study) -> list[float]:
    """Return what Tahoe had acknowledged above what SACK had, after a single drop, in percent."""
    tahoe, sack = (packets_after_loss(study.dropped(v, 1)) for v in ("tahoe", "sack"))
    return [100 * (tahoe / sack - 1)]


def share_of_rate(run: Outcome) -> float:
    """Return the goodput, with headers, in percent of the bottleneck's rate."""
    return 100 * (run.flow.goodput_bps or 0.0) * (MSS + HEADERS) / MSS / RATE_BPS


def mean_share(study: Study, variant: str, loss: float) -> float:
    """Return the mean over seeds at one probability of damage."""
    runs = [study.outcomes[damaged(variant, loss, seed)] for seed in SEEDS]
    return sum(share_of_rate(run) for run in runs) / len(runs)


def sack_beside_others(study: Study) -> list[float]:
    """Return by how many percent SACK's goodput is above the best other's, at a low error rate."""
    low = DAMAGES[0]
    others = (mean_share(study, variant, low) for variant in COMPARED if variant != "sack")
    return [100 * (mean_share(study, "sack", low) / max(others) - 1)]


def damaged_shares(study: Study) -> list[float]:
    """Return the share of the rate that each variant compared keeps under little damage."""
    return [mean_share(study, variant, DAMAGES[0]) for variant in COMPARED]


def of_neighbours(variant: str, value: Callable[[Outcome, tuple[int, ...]], float]) -> Measure:
    """Measure one value for each pair of neighbours dropped."""
    return lambda study: [
        value(study.outcomes[neighbours(variant, drops)], drops) for drops in VEGAS_DROPS
    ]


def resent_on(run: Outcome, packet: int) -> float:
    """Return upon which duplicate a packet is retransmitted, -1 upon an expiry."""
    at = walk.resent_at(Trace.of(run), packet)
    return float("nan") if at is None else float(at)


def timeouts_in_small_window(study: Study) -> list[float]:
    """Count the timeouts after each drop in a small window, Vegas' and then Reno's."""
    return [
        timeouts(study.outcomes[small_window(variant, drop)])
        for variant in VEGAS_BESIDE
        for drop in SMALL_DROPS
    ]


def _lost_again(value: Callable[[Outcome], float], *variants: str) -> Measure:
    return lambda study: [value(study.outcomes[burst(v, LOST_AGAIN)]) for v in variants]


def _known(values: Iterable[float | None]) -> list[float]:
    return [float(value) for value in values if value is not None]


_RECOVERING = ("reno", "newreno", "sack")
"""Those of the variants compared that have a fast recovery."""

_ONE: Final[dict[str, Measure]] = {
    "v1-duplicates": of(1, lambda t: len(t.duplicates(13)), *COMPARED),
    "v1-ssthresh": of(1, lambda t: t.first_loss.ssthresh, *COMPARED),
    "v2-cwnd": of(1, lambda t: t.first_loss.cwnd, "tahoe"),
    "v2-empty": of(1, walk.alone, "tahoe"),
    "v2-opens": of(1, lambda t: walk.whole_cwnd(t.fresh(28)), "tahoe"),
    "v2-slow-start": of(1, walk.last_of_slow_start, "tahoe"),
    "v3-inflated": of(1, lambda t: walk.inflated(t, 13), "reno", "newreno"),
    "v3-sack-inflated": of(1, lambda t: walk.inflated(t, 13), "sack"),
    "v3-sends": alike(1, lambda t: walk.on_last_duplicates(t, 13, 6), *_RECOVERING),
    "v3-end-cwnd": of(1, lambda t: walk.whole_cwnd(t.fresh(28)), *_RECOVERING),
}

_TWO: Final[dict[str, Measure]] = {
    "v4-sends": listed("tahoe", 2, lambda t: walk.upon(t, 27)),
    "v5-released": listed("reno", 2, lambda t: walk.inflated_and_released(t, 13)),
    "v5-then": listed("reno", 2, lambda t: [*walk.windows(t.fresh(27))[:1], *walk.upon(t, 27)]),
    "v5-resent": of(2, lambda t: walk.resent_at(t, 28), "reno"),
    "v5-released-again": listed("reno", 2, lambda t: walk.inflated_and_released(t, 27)),
    "v5-end": listed("reno", 2, lambda t: walk.windows(t.fresh(34))),
    "v6-resent": of(2, lambda t: walk.resent_at(t, 28), "newreno"),
    "v6-released": listed("newreno", 2, lambda t: walk.on_duplicates(t, 27, 1, 5)),
    "v6-end": listed("newreno", 2, walk.end),
    "v7-cwnd": of(2, lambda t: t.first_loss.cwnd, "sack"),
    "v7-released": listed("sack", 2, lambda t: walk.new_on_duplicates(t, 13)),
    "v7-partial": listed("sack", 2, lambda t: [p for p in walk.upon(t, 27) if p > SECOND_DROP]),
    "v7-then": listed("sack", 2, lambda t: walk.new_on_duplicates(t, 27)),
    "v7-end": listed("sack", 2, walk.end),
}

_THREE: Final[dict[str, Measure]] = {
    "v8-sends": listed("tahoe", 3, lambda t: walk.upon(t, 25)),
    "v8-needless": lambda study: [float(walk.needless(study.dropped("tahoe", 3)))],
    "v8-slow-start": of(3, walk.last_of_slow_start, "tahoe"),
    "v9-released": listed("reno", 3, lambda t: walk.inflated_and_released(t, 13)),
    "v9-released-again": listed(
        "reno", 3, lambda t: [walk.inflated(t, 25) or 0, *walk.on_duplicates(t, 25)]
    ),
    "v9-end": listed(
        "reno", 3, lambda t: [int(s.cwnd), s.outstanding] if (s := t.fresh(27)) else []
    ),
    "v10-partial": listed("newreno", 3, lambda t: [*walk.upon(t, 25), *walk.upon(t, 27)]),
    "v10-released": listed("newreno", 3, lambda t: walk.on_duplicates(t, 25)),
    "v10-released-again": listed("newreno", 3, lambda t: walk.on_duplicates(t, 27, 3)),
    "v10-end": listed("newreno", 3, walk.end),
    "v11-released": listed("sack", 3, lambda t: sorted(walk.on_duplicates(t, 13, 4))),
}

_FOUR: Final[dict[str, Measure]] = {
    "v12-sack": listed(
        "sack", 4, lambda t: [p for p in walk.on_duplicates(t, 13) if p in DROPS[-1]]
    ),
    "v13-reno": over_counts(timeouts, "reno"),
    "v13-others": over_counts(timeouts, *(each for each in COMPARED if each != "reno")),
    "v14-newreno": round_trips_a_drop,
    "v15-generally": sack_is_quickest,
}

_BURSTS: Final[dict[str, Measure]] = {
    "v15-sack": sack_beside_tahoe(),
    "v15-sack-guarded": sack_beside_tahoe(GUARDED),
    "v16-sack": _lost_again(timeouts, "sack"),
    "v17-tahoe-timeouts": bursts("tahoe", BURSTS, timeouts),
    "v17-tahoe-rounds": bursts("tahoe", BURSTS, rounds_of_recovery),
    "v17-tahoe-best": tahoe_beside(("reno", "newreno", "sack")),
    "v17-tahoe-guarded": tahoe_beside(("reno", "newreno"), GUARDED),
    "v17-tahoe-idles": tahoe_use_beside_sack,
    "v17-sack-best": sack_beside_others,
    "v18-damage": damaged_shares,
}

_VEGAS: Final[dict[str, Measure]] = {
    "v19-early": of_neighbours("vegas", lambda run, drops: resent_on(run, drops[0])),
    "v19-next": of_neighbours("vegas", lambda run, drops: resent_on(run, drops[1])),
    "v19-timeouts": timeouts_in_small_window,
}

MEASURES: Final[dict[str, Measure]] = {
    **_VEGAS,
    **_ONE,
    **_TWO,
    **_THREE,
    **_FOUR,
    **_BURSTS,
    **theory.MEASURES,
}
"""The measurement of each fact, by its id."""
