"""Tables: what each variant's recovery cost, and formulas beside the simulator."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import TYPE_CHECKING, Final

from thinpipe.papers.hynderick2004 import formulas, theory, walk
from thinpipe.papers.hynderick2004.check import mean_share, rounds_of_recovery
from thinpipe.papers.hynderick2004.experiments import (
    BURSTS,
    DAMAGES,
    DROPS,
    FORMULA_WINDOW,
    GUARDED,
    LOSSES,
    LOST_AGAIN,
    OPENED,
    OTHERS,
    QUEUED,
    SMALL_DROPS,
    SMALL_WINDOW,
    VARIANTS,
    VEGAS_BESIDE,
    VEGAS_DROPS,
    WIDE_WINDOW,
    Study,
    burst,
    four_drops,
    neighbours,
    one_window,
    opening,
    queueing,
    small_window,
    two_windows,
)
from thinpipe.papers.hynderick2004.trace import Trace
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import percent, short

if TYPE_CHECKING:
    from thinpipe.papers.outcomes import Outcome

NAMES: Final = {
    "tahoe": "Tahoe",
    "reno": "Reno",
    "newreno": "NewReno",
    "sack": "SACK",
    "fack": "FACK",
    "vegas": "Vegas",
    "westwood": "Westwood+",
    "cubic": "CUBIC",
    "bbr": "BBR",
}
"""Names of the variants for readers."""

BURST_SERIES: Final = (
    *((NAMES[variant], variant, ()) for variant in VARIANTS),
    ("Tahoe, guarded", "tahoe", GUARDED),
)
"""Name, variant and further settings of the burst study's rows."""


def vegas(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate what sets off each retransmission, Vegas' and Reno's."""

    def cell(run: Outcome, packet: int) -> str:
        at = walk.resent_at(Trace.of(run), packet)
        return {None: "–", -1: "timeout", 0: "new ACK"}.get(at, f"duplicate {at}")

    rows = tuple(
        (
            f"{NAMES[variant]}, packets {walk.spelled(drops)}",
            *(cell(outcomes[neighbours(variant, drops)], packet) for packet in drops),
        )
        for drops in VEGAS_DROPS
        for variant in VEGAS_BESIDE
    )
    small = tuple(
        (
            NAMES[variant],
            *(cell(outcomes[small_window(variant, drop)], drop) for drop in SMALL_DROPS),
        )
        for variant in VEGAS_BESIDE
    )
    head = (f"window of {SMALL_WINDOW}", *(f"packet {drop}" for drop in SMALL_DROPS))
    return (
        Table("What retransmits each of two neighbours", ("dropped", "first", "second"), rows),
        Table("What retransmits the packet dropped in a small window", head, small),
    )


def recovery(count: int) -> Callable[[Outcomes], tuple[Table, ...]]:
    """Return a function that tabulates each variant's recovery from a number of drops."""
    drops = DROPS[count - 1]
    head = ("variant", "retransmitted", "of these needlessly", "timeouts", "recovery ms",
            "round trips", "200 packets s")  # fmt: skip

    def tabulate(outcomes: Outcomes) -> tuple[Table, ...]:
        rows = tuple(
            _recovery(NAMES[variant], outcomes[four_drops(variant, drops)])
            for variant in (*VARIANTS, *OTHERS)
        )
        caption = (
            f"Dropped: packet{'s' if count > 1 else ''} {walk.spelled(drops)}. Recovery lasts from "
            "the first retransmission until all that was outstanding then is acknowledged; round "
            "trips are the run's minimum."
        )
        return (Table(caption, head, rows),)

    return tabulate


def _recovery(name: str, run: Outcome) -> tuple[str, ...]:
    trace, flow = Trace.of(run), run.flow
    took_s = walk.recovery_s(trace)
    rounds = None if took_s is None or flow.rtt_s.min is None else took_s / flow.rtt_s.min
    return (
        name,
        str(flow.retransmits),
        str(walk.needless(run)),
        str(flow.timeouts),
        short(None if took_s is None else 1000 * took_s, 4),
        short(rounds),
        short(flow.completed_s, 4),
    )


def bursts(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate what bursts cost, and what a lost retransmission does."""
    shapes = (("one window", one_window), ("two windows", two_windows))
    counted = tuple(
        (f"{name}, {shape}", *(_again(outcomes[burst(v, drops(n), extra)]) for n in BURSTS))
        for shape, drops in shapes
        for name, v, extra in BURST_SERIES
    )
    again = tuple(
        _recovery(NAMES[variant], outcomes[burst(variant, LOST_AGAIN)]) for variant in VARIANTS
    )
    head = ("variant", "retransmitted", "of these needlessly", "timeouts", "recovery ms",
            "round trips", "200 packets s")  # fmt: skip
    rounds = tuple(
        (f"Tahoe, {shape}", *(short(rounds_of_recovery(outcomes[burst("tahoe", drops(n))]))
                              for n in BURSTS))
        for shape, drops in shapes
    )  # fmt: skip
    return (
        Table(
            "Round trips of the recovery, that of the retransmitted packet being one",
            ("burst", *map(str, BURSTS)),
            rounds,
        ),
        Table(
            "Packets retransmitted after a burst of so many drops; + is a timeout",
            ("burst", *map(str, BURSTS)),
            counted,
        ),
        Table("Packet 31 and its retransmission dropped", head, again),
    )


def _again(run: Outcome) -> str:
    return f"{run.flow.retransmits}{'+' * run.flow.timeouts}"


def damage(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate throughput under damage, as a share of the bottleneck's rate."""
    study = Study(outcomes)
    rows = tuple(
        (NAMES[variant], *(percent(mean_share(study, variant, loss) / 100) for loss in DAMAGES))
        for variant in (*VARIANTS, *OTHERS)
    )
    head = ("variant", *(f"at {percent(loss)} loss" for loss in DAMAGES))
    return (Table("Goodput with headers over the bottleneck's rate, mean of five seeds", head,
                  rows),)  # fmt: skip


def slow_start(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate how long slow start lasts, and what it needs of a buffer."""
    lasts = tuple(
        (
            str(window),
            short(theory.opened_after(outcomes[opening(window)], window), 4),
            short(formulas.slow_start_round_trips(window), 4),
        )
        for window in OPENED
    )
    needs = tuple(
        (
            str(window),
            short(theory.waiting(outcomes[queueing(window)]), 4),
            short(formulas.slow_start_buffer(window), 4),
        )
        for window in QUEUED
    )
    return (
        Table("Round trips that slow start takes", ("window", "ours", "log2 W"), lasts),
        Table(
            "Most packets in the buffer, without the one being sent",
            ("window", "ours", "W/2"),
            needs,
        ),
    )


def tahoe_factor(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate Tahoe's factor, ours and the formula's."""
    study = Study(outcomes)
    rows = []
    for loss in LOSSES:
        ours = fmean(theory.factors(study, "tahoe", loss))
        counted = formulas.tahoe_factor_by_rounds(loss, FORMULA_WINDOW)
        row = _beside(percent(loss), ours, formulas.tahoe_factor(loss, FORMULA_WINDOW))
        rows.append((*row, short(counted), _deviation(ours, counted)))
    head = ("P a packet", "ours", "1/(1 + 2PW)", "deviation", "all round trips", "deviation")
    caption = f"Share of its throughput that Tahoe keeps, W = {FORMULA_WINDOW}"
    return (Table(caption, head, tuple(rows)),)


def steady_state(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate packets sent a round trip, ours and by both formulas."""
    study = Study(outcomes)
    rows = []
    for loss in LOSSES:
        for variant in ("reno", "newreno", "sack"):
            runs = study.lossy(variant, loss, WIDE_WINDOW)
            ours = fmean(theory.sent_a_round_trip(run) for run in runs)
            rtt_s = fmean(theory.rtt_s(run) for run in runs)
            pftk = theory.by_pftk(study, variant, loss) * rtt_s
            row = _beside(f"{percent(loss)}, {NAMES[variant]}", ours, formulas.mathis(loss))
            rows.append((*row, short(pftk), _deviation(ours, pftk)))
    head = ("p", "ours", "Mathis", "deviation", "PFTK", "deviation")
    return (Table("Packets sent a round trip, mean of five seeds", head, tuple(rows)),)


def _beside(name: str, ours: float, formula: float) -> tuple[str, ...]:
    return (name, short(ours), short(formula), _deviation(ours, formula))


def _deviation(ours: float, formula: float) -> str:
    return f"{100 * (ours / formula - 1):+.0f} %".replace("-", "−")
