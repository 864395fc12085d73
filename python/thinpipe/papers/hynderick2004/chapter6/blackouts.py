"""Black-outs (VI.E): figures VI.35 to VI.40, the retransmission timer's ceiling, the variants."""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6 import queues
from thinpipe.papers.hynderick2004.chapter6.measuring import (
    acked_by,
    kbps,
    mean,
    percent_more,
    resent,
    resent_at_s,
    rlc_effort,
    rtt_ms,
    spurious,
    tau,
    tcp_effort,
)
from thinpipe.papers.hynderick2004.chapter6.recovery import THESIS, WITHOUT
from thinpipe.papers.hynderick2004.chapter6.setup import (
    WINDOW,
    bearer,
    transfer,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.papers.series import Steps
from thinpipe.plot.series import acks_received, segments_sent, sending_end
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Floats = NDArray[np.float64]
    Measure = Callable[[Outcomes], Sequence[float]]
    Spell = tuple[float, float]

SF: Final = 32
"""120 kbit/s."""

PAYLOAD: Final = 1500

BLACK_OUTS_A: Final = ((5.0, 20.0), (50.0, 60.0))
BLACK_OUTS_C: Final = ((4.0, 10.0), (20.0, 25.0))
"""From and until, in s."""

LATER_S: Final = tuple(number / 10 for number in range(20))
"""How much later both begin in each run of scenario C: as with rates that jump, what a black-out
does depends on where the window stands, and without errors seeds make no difference."""

START_B_S: Final = 15.0
"""Of the black-out of figure VI.38, in which the timer runs out first at 17 s (52 s less 7 R)."""

READINGS: Final = ((START_B_S, 50.0), (START_B_S, START_B_S + 50))
"""The thesis has the link back at 50 s and calls that a black-out of 50 s."""

CEILINGS_S: Final = (4, 8, 16, 32, 64)
"""Greatest retransmission timeouts."""

CEILED_LENGTHS_S: Final = (10, 30, 60, 120)
UNLUCKY_S: Final = tuple(range(100, 300, 4))
"""Lengths among which the worst case is looked for."""

BEARABLE_S: Final = tuple(range(10, 46, 5))
"""Lengths that no connection gives up in."""

ATTEMPTS: Final = 13


def dark(spells: Iterable[Spell]) -> Settings:
    """Return the settings of spells without coverage."""
    schedule = [
        step
        for start_s, end_s in spells
        for step in (
            {"at": f"{start_s:g} s", "coverage": False},
            {"at": f"{end_s:g} s", "coverage": True},
        )
    ]
    return (("radio.schedule", schedule),)


def scenario_a() -> Point:
    """Return the run of figures VI.35 to VI.37."""
    return transfer(bearer(SF), payload=PAYLOAD, more=dark(BLACK_OUTS_A))


def scenario_b(reading: Spell, recovery: Settings = THESIS) -> Point:
    """Return the run of figure VI.38."""
    return transfer(bearer(SF), payload=PAYLOAD, queue=2, more=(*dark([reading]), *recovery))


def scenario_c(queue: int, payload: int, later_s: float = 0.0) -> Point:
    """Return a run of figures VI.39 and VI.40."""
    spells = [(start_s + later_s, end_s + later_s) for start_s, end_s in BLACK_OUTS_C]
    return transfer(bearer(SF), payload=payload, queue=queue, more=dark(spells))


def scenarios_c(queue: int, payload: int) -> tuple[Point, ...]:
    """Return the runs behind one mark of those figures."""
    return tuple(scenario_c(queue, payload, later_s) for later_s in LATER_S)


def ceiled(ceiling_s: int, length_s: int, recovery: Settings = THESIS) -> Point:
    """Return a run with a maximum retransmission timeout."""
    more = (
        *dark([(START_B_S, START_B_S + length_s)]),
        ("tcp.max_rto", f"{ceiling_s} s"),
        ("tcp.initial_rto", f"{min(ceiling_s, 6)} s"),  # ns-2's, if the ceiling lets it
        ("tcp.max_retransmissions", ATTEMPTS),
        *recovery,
    )
    return transfer(bearer(SF), payload=PAYLOAD, queue=2, more=more)


RECOVERIES: Final = (THESIS, WITHOUT)
B_POINTS: Final = tuple(
    scenario_b(reading, recovery) for reading in READINGS for recovery in RECOVERIES
)
C_POINTS: Final = tuple(
    point
    for queue, payload in product(queues.QUEUES, queues.PAYLOADS)
    for point in scenarios_c(queue, payload)
)
CEILING_POINTS: Final = (
    *(
        ceiled(ceiling_s, length_s, recovery)
        for ceiling_s, length_s, recovery in product(CEILINGS_S, CEILED_LENGTHS_S, RECOVERIES)
    ),
    *(ceiled(CEILINGS_S[-1], length_s, WITHOUT) for length_s in UNLUCKY_S),
    *(ceiled(ceiling_s, length_s, WITHOUT) for ceiling_s in CEILINGS_S for length_s in BEARABLE_S),
)
# --- Measures -------------------------------------------------------------------------------------


def _expired(run: Outcome) -> pl.DataFrame:
    events = run.tables["events"]
    return events.filter(events["event"].cast(str).is_in(("timeout", "spurious_timeout")))


def expired_s(run: Outcome) -> list[float]:
    """Return when the timer ran out."""
    return [float(s) for s in _expired(run)["time_s"]]


def attempts_s(run: Outcome, start_s: float) -> list[float]:
    """Return when the timer first ran out after a time, and again for the same packet."""
    expired = _expired(run)
    expired = expired.filter(expired["time_s"] > start_s)
    if len(expired) == 0:
        return []
    return [float(s) for s in expired.filter(expired["offset"] == expired["offset"][0])["time_s"]]


def chain(run: Outcome) -> list[float]:
    """Return the second to fifth attempt after the first, in terms of the time to the second."""
    times_s = attempts_s(run, START_B_S)
    first_s, period_s = times_s[0], times_s[1] - times_s[0]
    return [round((at_s - first_s) / period_s, 6) for at_s in times_s[1:5]]


def wasted_s(run: Outcome, return_s: float) -> float:
    """Return how long after the return of the link the sender sends its first data."""
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    later = sent.time_s[sent.carries_data & (sent.time_s >= return_s)]
    return float(later[0] - return_s) if len(later) else np.nan


def resent_after_return(run: Outcome) -> float:
    """Count packets retransmitted in scenario A between its black-outs."""
    (_, return_s), (next_s, _) = BLACK_OUTS_A
    return resent_between(run, return_s, next_s)


def resent_between(run: Outcome, start_s: float, end_s: float) -> float:
    """Count packets retransmitted in a time."""
    times_s = resent_at_s(run)
    return float(np.sum((times_s >= start_s) & (times_s < end_s)))


def linear_from_s(run: Outcome) -> list[float]:
    """Return when the window first grows by less than a packet an acknowledgement, if it does."""
    cwnd = Steps.cwnd(run)
    full = int(np.argmax(cwnd.value >= WINDOW))
    steps = np.diff(cwnd.value[: full + 1])
    return [float(s) for s in cwnd.time_s[1 : full + 1][(steps > 0) & (steps < 1)][:1]]


def waits(run: Outcome) -> tuple[Floats, Floats]:
    """Return when each packet was acknowledged, and the time since it first left, in s."""
    rows = sending_end(run.tables["segments"], flow=0)
    sent, heard = segments_sent(rows), acks_received(rows)
    first = sent.only(sent.carries_data & ~sent.retransmitted)
    reached = np.maximum.accumulate(heard.ack)
    place = np.searchsorted(reached, first.last)
    known = place < len(reached)
    acked_s = heard.time_s[place[known]]
    return acked_s, acked_s - first.time_s[known]


def longest_wait_s(run: Outcome) -> float:
    """Return the longest time from a packet's first departure to its acknowledgement."""
    return float(waits(run)[1].max())


def whole_window_again(run: Outcome) -> float:
    """Count the different packets retransmitted in the first black-out of scenario A."""
    start_s, end_s = BLACK_OUTS_A[0]
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    dark_ = sent.retransmitted & (sent.time_s >= start_s) & (sent.time_s < end_s)
    return float(len(set(sent.first[dark_].tolist())))


def worst_wait_s(outcomes: Outcomes) -> list[float]:
    """Return the longest wait for data after a black-out, among many lengths."""
    return [
        max(
            wasted_s(outcomes[ceiled(CEILINGS_S[-1], length_s, WITHOUT)], START_B_S + length_s)
            for length_s in UNLUCKY_S
        )
    ]


def completed_s(run: Outcome) -> float:
    """Return when the transfer was over."""
    return run.flow.completed_s or np.nan


def ceilings(value: Callable[[Outcome, int], float], *lengths_s: int) -> Measure:
    """Measure a value at each maximum timeout, mean of black-outs, without recovery."""
    return lambda outcomes: [
        fmean(
            value(outcomes[ceiled(ceiling_s, length_s, WITHOUT)], length_s)
            for length_s in lengths_s
        )
        for ceiling_s in CEILINGS_S
    ]


def wait_s(run: Outcome, length_s: int) -> float:
    """Return how long data wait after a black-out of `ceiled`."""
    return wasted_s(run, START_B_S + length_s)


def useless(run: Outcome, length_s: int) -> float:
    """Count packets retransmitted during a black-out of `ceiled`."""
    return resent_between(run, START_B_S, START_B_S + length_s)


def needed_c(outcomes: Outcomes) -> list[float]:
    """Return the queue that suffices in scenario C, one value per payload."""
    return [queues.needed_between(_c(kbps, payload)(outcomes)) for payload in queues.PAYLOADS]


def needed_sooner(outcomes: Outcomes) -> list[float]:
    """Return that less the sufficient queue at a constant BLER of 10 %, one value per payload."""
    constant = [
        queues.needed_between(queues.curve(outcomes, kbps, 120, payload, 0.1))
        for payload in queues.PAYLOADS
    ]
    return [ours - theirs for ours, theirs in zip(needed_c(outcomes), constant, strict=True)]


def _c(value: Callable[[Outcome], float], payload: int) -> Callable[[Outcomes], list[float]]:
    return lambda outcomes: [
        mean(outcomes, scenarios_c(queue, payload), value) for queue in queues.QUEUES
    ]


def larger_is_faster(outcomes: Outcomes) -> list[float]:
    """Return the share of queues in per cent at which 1,500 B reach more than 500 B."""
    pairs = zip(_c(kbps, 1500)(outcomes), _c(kbps, 500)(outcomes), strict=True)
    return [100 * fmean(large > small for large, small in pairs)]


def rtt_levels(outcomes: Outcomes) -> list[float]:
    """Return the RTT's growth per packet of queue beyond 15 over that up to it, per payload."""
    return [queues.levelling(_c(rtt_ms, payload)(outcomes)) for payload in queues.PAYLOADS]


def _a(value: Callable[[Outcome], float]) -> Measure:
    return lambda outcomes: [value(outcomes[scenario_a()])]


def given_up_s(run: Outcome, _: int) -> float:
    """Return when the connection was given up; the end of the run if it was not."""
    return run.flow.given_up_s or run.result.duration_s


def fifth_s(outcomes: Outcomes) -> list[float]:
    """Return when the fifth attempt is made, without recovery."""
    return attempts_s(outcomes[scenario_b(READINGS[0], WITHOUT)], START_B_S)[4:5]


def dark_bytes(run: Outcome, spells: Iterable[Spell]) -> list[float]:
    """Return the bytes acknowledged from 1 s into each black-out to its end."""
    ends = [acked_by(run, (start_s + 1, end_s)) for start_s, end_s in spells]
    return [float(last - first) for first, last in ends]


MEASURES: Final[dict[str, Measure]] = {
    "e2-top": _a(longest_wait_s),
    "e3": _a(resent_after_return),
    "e4": lambda outcomes: linear_from_s(outcomes[scenario_a()]),
    "e5-window": _a(whole_window_again),
    "e6": _a(lambda run: dark_bytes(run, BLACK_OUTS_A)[0]),
    "e7-chain": lambda outcomes: chain(outcomes[scenario_b(READINGS[0], WITHOUT)]),
    "e7-times": fifth_s,
    "e8-at-50": lambda outcomes: [
        wasted_s(outcomes[scenario_b(READINGS[0], WITHOUT)], READINGS[0][1])
    ],
    "e8-after-50": lambda outcomes: [
        wasted_s(outcomes[scenario_b(READINGS[1], WITHOUT)], READINGS[1][1])
    ],
    "e9": worst_wait_s,
    "e11-waits": lambda outcomes: [tau(ceilings(wait_s, *BEARABLE_S)(outcomes))],
    "e11-useless": lambda outcomes: [tau(ceilings(useless, 120)(outcomes))],
    "e11-given-up": lambda outcomes: [tau(ceilings(given_up_s, 120)(outcomes))],
    "e13-larger": larger_is_faster,
    "e13-flat": needed_c,
    "e13-sooner": needed_sooner,
    "e14-grows": lambda outcomes: [
        tau(_c(rtt_ms, payload)(outcomes)) for payload in queues.PAYLOADS
    ],
    "e14-levels": percent_more(rtt_levels),
    "e14-needless": lambda outcomes: [
        (values := _c(spurious, payload)(outcomes))[-1] - values[0] for payload in queues.PAYLOADS
    ],
}


# --- Tables ---------------------------------------------------------------------------------------


def table_b(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate the black-out of 50 s in both readings, with and without recovery."""
    rows = []
    for (reading, recovery), name in zip(
        product(READINGS, RECOVERIES),
        ("until 50 s, recovery", "until 50 s, none", "50 s long, recovery", "50 s long, none"),
        strict=True,
    ):
        run = outcomes[scenario_b(reading, recovery)]
        times = ", ".join(short(at_s, 4) for at_s in attempts_s(run, START_B_S))
        rows.append((name, times, short(wasted_s(run, reading[1])), short(completed_s(run), 4)))
    head = ("black-out from 15 s", "the timer resends at s", "wasted s", "transfer s")
    stated = ("thesis", "17, 22, 32, 52, 92", "42", "–")
    return (Table("A black-out of 50 s", head, (stated, *rows)),)


def table_ceilings(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate what the maximum timeout does, with and without recovery."""
    tables = []
    for recovery, name in zip(RECOVERIES, ("with", "without"), strict=True):
        rows = tuple(
            (
                f"{ceiling_s} s",
                *(
                    _ceiling(outcomes, ceiling_s, length_s, recovery)
                    for length_s in CEILED_LENGTHS_S
                ),
            )
            for ceiling_s in CEILINGS_S
        )
        head = ("max timeout", *(f"{length_s} s" for length_s in CEILED_LENGTHS_S))
        caption = (
            f"Wait after a black-out of so many seconds / packets retransmitted in it, {name} link-"
            f"layer recovery; given up after {ATTEMPTS} attempts"
        )
        tables.append(Table(caption, head, rows))
    return tuple(tables)


def _ceiling(outcomes: Outcomes, ceiling_s: int, length_s: int, recovery: Settings) -> str:
    run = outcomes[ceiled(ceiling_s, length_s, recovery)]
    if run.flow.given_up_s is not None:
        return f"given up at {short(run.flow.given_up_s, 4)} s / {useless(run, length_s):.0f}"
    return f"{short(wait_s(run, length_s))} s / {useless(run, length_s):.0f}"


def table_c(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate scenario C."""
    rows = []
    for payload in queues.PAYLOADS:
        for name, value in (
            ("kbit/s", kbps),
            ("RTT ms", rtt_ms),
            ("retransmitted", resent),
            ("spurious timeouts", spurious),
            ("TCP sent/delivered", lambda run, p=payload: tcp_effort(run, p)),
            ("RLC sent/delivered", rlc_effort),
        ):
            cells = _c(value, payload)(outcomes)
            rows.append((f"{payload} B, {name}", *(short(cell, 4) for cell in cells)))
    head = ("", *(f"queue {queue}" for queue in queues.QUEUES))
    caption = "Black-outs of 4 to 10 s and 20 to 25 s, 120 kbit/s, Tahoe, mean of twenty moments"
    return (Table(caption, head, tuple(rows)),)
