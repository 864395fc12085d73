"""How each fact of ``facts.toml`` is measured: one value a run, or a list of packets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

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
    VEGAS_DROPS,
    Settings,
    Study,
    burst,
    damaged,
    neighbours,
    one_window,
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


def over_counts(value: Callable[[Outcome], float | None], *variants: str) -> Measure:
    """Measure one value for each variant and number of drops."""
    return lambda study: _known(
        value(study.dropped(variant, count)) for variant in variants for count in COUNTS
    )


def timeouts(run: Outcome) -> float:
    """Count the timeouts."""
    return float(run.flow.timeouts)


def round_trips(run: Outcome) -> float | None:
    """Return how many of the least round-trip times the recovery took."""
    took_s, rtt_s = walk.recovery_s(Trace.of(run)), run.flow.rtt_s.min
    return None if took_s is None or rtt_s is None else took_s / rtt_s


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
    """Return the share of the rate that each variant compared keeps under much damage."""
    return [mean_share(study, variant, DAMAGES[-1]) for variant in COMPARED]


def of_neighbours(variant: str, value: Callable[[Outcome, tuple[int, ...]], float]) -> Measure:
    """Measure one value for each pair of neighbours dropped."""
    return lambda study: [
        value(study.outcomes[neighbours(variant, drops)], drops) for drops in VEGAS_DROPS
    ]


def resent_on(run: Outcome, packet: int) -> float:
    """Return upon which duplicate a packet leaves again, -1 upon an expiry."""
    at = walk.resent_at(Trace.of(run), packet)
    return float("nan") if at is None else float(at)


def _lost_again(value: Callable[[Outcome], float], *variants: str) -> Measure:
    return lambda study: [value(study.outcomes[burst(v, LOST_AGAIN)]) for v in variants]


def _known(values: Iterable[float | None]) -> list[float]:
    return [float(value) for value in values if value is not None]


_RECOVERING = ("reno", "newreno", "sack")
"""Those of the variants compared that have a fast recovery."""

_ONE: Final[dict[str, Measure]] = {
    "v0-rtt": lambda study: [
        1000 * (study.dropped(variant, 1).flow.rtt_s.min or 0.0) for variant in COMPARED
    ],
    "v1-duplicates": of(1, lambda t: len(t.duplicates(13)), *COMPARED),
    "v1-ssthresh": of(1, lambda t: t.first_loss.ssthresh, *COMPARED),
    "v2-cwnd": of(1, lambda t: t.first_loss.cwnd, "tahoe"),
    "v2-empty": of(1, walk.alone, "tahoe"),
    "v2-answer": of(1, lambda t: s.ack if (s := walk.answer(t)) else None, "tahoe"),
    "v2-opens": of(1, lambda t: walk.whole_cwnd(t.fresh(28)), "tahoe"),
    "v2-sends": listed("tahoe", 1, lambda t: walk.upon(t, 28)),
    "v2-slow-start": of(1, walk.last_of_slow_start, "tahoe"),
    "v3-inflated": of(1, lambda t: walk.inflated(t, 13), "reno", "newreno"),
    "v3-sack-inflated": of(1, lambda t: walk.inflated(t, 13), "sack"),
    "v3-sack-cwnd": of(1, lambda t: t.first_loss.cwnd, "sack"),
    **{
        f"v3-{variant}-sends": listed(variant, 1, lambda t: walk.on_last_duplicates(t, 13, 6))
        for variant in _RECOVERING
    },
    "v3-end": of(1, lambda t: s.ack if (s := walk.recovered(t)) else None, *_RECOVERING),
    "v3-end-cwnd": of(1, lambda t: walk.whole_cwnd(walk.recovered(t)), *_RECOVERING),
}

_TWO: Final[dict[str, Measure]] = {
    "v4-duplicates": of(2, lambda t: len(t.duplicates(13)), *COMPARED),
    "v4-answer": of(2, lambda t: s.ack if (s := walk.answer(t)) else None, "tahoe"),
    "v4-sends": listed("tahoe", 2, lambda t: walk.upon(t, 27)),
    "v5-inflated": of(2, lambda t: walk.inflated(t, 13), "reno"),
    "v5-released": listed("reno", 2, lambda t: walk.new_on_duplicates(t, 13)),
    "v5-first-end": of(2, lambda t: walk.whole_cwnd(t.fresh(27)), "reno"),
    "v5-then": listed("reno", 2, lambda t: walk.upon(t, 27)),
    "v5-duplicates": of(2, lambda t: len(t.duplicates(27)), "reno"),
    "v5-resent": of(2, lambda t: walk.resent_at(t, 28), "reno"),
    "v5-inflated-again": of(2, lambda t: walk.inflated(t, 27), "reno"),
    "v5-released-again": listed("reno", 2, lambda t: walk.new_on_duplicates(t, 27)),
    "v5-end-cwnd": of(2, lambda t: walk.whole_cwnd(t.fresh(34)), "reno"),
    "v5-end-ssthresh": of(2, lambda t: s.ssthresh if (s := t.fresh(34)) else None, "reno"),
    "v6-resent": of(2, lambda t: walk.resent_at(t, 28), "newreno"),
    "v6-released": listed("newreno", 2, lambda t: walk.on_duplicates(t, 27, 1, 5)),
    "v6-end": of(2, lambda t: s.ack if (s := walk.recovered(t)) else None, "newreno"),
    "v6-end-cwnd": of(2, lambda t: walk.whole_cwnd(walk.recovered(t)), "newreno"),
    "v7-pipe": of(2, walk.pipe_at_loss, "sack"),
    "v7-pipe-drained": of(2, walk.pipe_drained, "sack"),
    "v7-pipe-refilled": of(2, walk.pipe_refilled, "sack"),
    "v7-cwnd": of(2, lambda t: t.first_loss.cwnd, "sack"),
    "v7-released": listed("sack", 2, lambda t: walk.new_on_duplicates(t, 13)),
    "v7-partial": listed("sack", 2, lambda t: [p for p in walk.upon(t, 27) if p > SECOND_DROP]),
    "v7-then": listed("sack", 2, lambda t: sorted({*walk.on_duplicates(t, 27, 1, 5)} - {28})),
    "v7-highest": of(2, lambda t: walk.highest_before(t, walk.recovered(t)), "sack"),
    "v7-end": of(2, lambda t: s.ack if (s := walk.recovered(t)) else None, "sack"),
    "v7-end-cwnd": of(2, lambda t: walk.whole_cwnd(walk.recovered(t)), "sack"),
}

_THREE: Final[dict[str, Measure]] = {
    "v8-duplicates": of(3, lambda t: len(t.duplicates(13)), *COMPARED),
    "v8-answer": of(3, lambda t: s.ack if (s := walk.answer(t)) else None, "tahoe"),
    "v8-sends": listed("tahoe", 3, lambda t: walk.upon(t, 25)),
    "v8-needless": lambda study: [float(walk.needless(study.dropped("tahoe", 3)))],
    "v8-slow-start": of(3, walk.last_of_slow_start, "tahoe"),
    "v9-inflated": of(3, lambda t: walk.inflated(t, 13), "reno"),
    "v9-released": listed("reno", 3, lambda t: walk.new_on_duplicates(t, 13)),
    "v9-outstanding": of(3, lambda t: walk.outstanding(t, 25), "reno"),
    "v9-inflated-again": of(3, lambda t: walk.inflated(t, 25), "reno"),
    "v9-released-again": listed("reno", 3, lambda t: walk.on_duplicates(t, 25)),
    "v9-end-cwnd": of(3, lambda t: walk.whole_cwnd(t.fresh(27)), "reno"),
    "v9-end-outstanding": of(3, lambda t: walk.outstanding(t, 27), "reno"),
    "v10-partial": listed("newreno", 3, lambda t: walk.upon(t, 25)),
    "v10-released": listed("newreno", 3, lambda t: walk.on_duplicates(t, 25)),
    "v10-partial-again": listed("newreno", 3, lambda t: walk.upon(t, 27)),
    "v10-outstanding": of(3, lambda t: walk.outstanding(t, 27), "newreno"),
    "v10-released-again": listed("newreno", 3, lambda t: walk.on_duplicates(t, 27)),
    "v10-end": of(3, lambda t: s.ack if (s := walk.recovered(t)) else None, "newreno"),
    "v10-end-cwnd": of(3, lambda t: walk.whole_cwnd(walk.recovered(t)), "newreno"),
    "v11-released": listed("sack", 3, lambda t: sorted(walk.on_duplicates(t, 13, 4))),
}

_FOUR: Final[dict[str, Measure]] = {
    "v12-newreno": of(4, lambda t: s.ack if (s := walk.answer(t)) else None, "newreno"),
    "v12-sack": listed(
        "sack", 4, lambda t: [p for p in walk.on_duplicates(t, 13) if p in DROPS[-1]]
    ),
    "v13-reno": over_counts(timeouts, "reno"),
    "v13-others": over_counts(timeouts, *(each for each in COMPARED if each != "reno")),
    "v14-newreno": round_trips_a_drop,
}

_BURSTS: Final[dict[str, Measure]] = {
    "v15-sack": sack_beside_tahoe(),
    "v15-sack-guarded": sack_beside_tahoe(GUARDED),
    "v16-sack": _lost_again(timeouts, "sack"),
    "v17-tahoe-timeouts": bursts("tahoe", BURSTS, timeouts),
    "v17-tahoe-rounds": bursts("tahoe", BURSTS, round_trips),
    "v17-tahoe-best": tahoe_beside(("reno", "newreno", "sack")),
    "v17-tahoe-guarded": tahoe_beside(("reno", "newreno"), GUARDED),
    "v17-tahoe-idles": tahoe_use_beside_sack,
    "v17-sack-best": sack_beside_others,
    "v18-damage": damaged_shares,
}

_VEGAS: Final[dict[str, Measure]] = {
    "v19-early": of_neighbours("vegas", lambda run, drops: resent_on(run, drops[0])),
    "v19-next": of_neighbours("vegas", lambda run, drops: resent_on(run, drops[1])),
    "v19-timeouts": lambda study: [timeouts(study.outcomes[neighbours("vegas", VEGAS_DROPS[-1])])],
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
