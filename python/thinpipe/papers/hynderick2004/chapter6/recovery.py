"""Link-layer recovery (VI.C): Table VI.1, figures VI.1 to VI.7, and all variants alike."""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.measuring import (
    acknowledged,
    bytes_per_s,
    deviation_ms,
    drops,
    each,
    from_established,
    mean,
    rlc_effort,
    rtt_ms,
    tcp_effort,
    timeouts,
    undisturbed,
)
from thinpipe.papers.hynderick2004.chapter6.setup import COMPARED, SEEDS, WINDOW, bearer, transfer
from thinpipe.papers.hynderick2004.tables import NAMES
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.papers.series import Steps
from thinpipe.report.numbers import percent, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

SF: Final = 8
BLERS: Final = (0.0, 0.01, 0.1)
PAYLOAD: Final = 500

THESIS: Final[Settings] = ()
"""The link control of the thesis, which the scenario has."""

STANDARD: Final[Settings] = (("radio.profile", "3gpp"),)
"""That of TS 25.322 at its best."""

WITHOUT: Final[Settings] = (("radio.rlc.mode", "um"),)
"""No recovery."""

TOGETHER: Final[Settings] = (("radio.dpcch", "with-data"),)
"""One draw decides over a block."""

APART: Final[Settings] = (("radio.dpcch", "apart"),)
"""One draw each for DPDCH and DPCCH, and a block arrives if both do: as in the scenario."""

WIDE: Final[Settings] = (*STANDARD, ("tcp.window", 64))
"""With a window that the round-trip time does not bound, the rate alone decides."""

WAITING: Final[Settings] = (("tcp.delayed_ack", "50 ms"),)
"""The receiver of IV.A: an acknowledgement waits for a second packet, 50 ms “for example”."""

PROFILES: Final = {THESIS: "ours, thesis", STANDARD: "ours, 3gpp"}
BLOCK_BYTES: Final = {THESIS: 60, STANDARD: 40}
"""RLC payload of a block under either profile."""


def cells(bler: float, more: Settings = THESIS, seeds: Iterable[int] = SEEDS) -> list[Point]:
    """Return the runs behind a cell of Table VI.1, one per seed."""
    return [
        transfer(bearer(SF), payload=PAYLOAD, bler=bler, seed=seed, more=more) for seed in seeds
    ]


MANY_SEEDS: Final = range(1, 41)
"""Of what facts compare: without recovery a run's throughput scatters by a quarter of its mean, and
at BLER 10 % a lost SYN costs one run of five a fifth of it."""


def shown(bler: float, more: Settings = THESIS) -> Point:
    """Return the run that a figure shows."""
    return cells(bler, more)[0]


UNREPAIRED: Final = (2_132, 158.1, 10.9)
"""Table VI.1 without recovery: B/s, mean and deviation of the round-trip time in ms."""

_ROWS: Final = (
    ("1 %, no recovery", 0.01, WITHOUT, UNREPAIRED),
    ("1 %", 0.01, THESIS, (50_478, 192.2, 13.7)),
    ("10 %", 0.1, THESIS, (37_409, 259.5, 83.3)),
)
"""Name, block error rate, recovery; as before."""

COLUMNS: Final = (
    ("0 %", 0.0, THESIS, (51_344, 188.8, 4.5)),
    *(
        (f"{name}, {draws}", bler, (*recovery, *drawn), stated)
        for name, bler, recovery, stated in _ROWS
        for draws, drawn in (("one draw a block", TOGETHER), ("two draws", APART))
    ),
)
"""Table VI.1, under either hypothesis of what a block error is."""


def _seeds(profile: Settings, more: Settings) -> Iterable[int]:
    return MANY_SEEDS if profile == THESIS and more[-1:] == APART else SEEDS


TABLE_POINTS: Final = (
    *(
        point
        for profile in PROFILES
        for _, bler, more, _ in COLUMNS
        for point in cells(bler, (*profile, *more), _seeds(profile, more))
    ),
    *(
        point
        for more in (THESIS, STANDARD, WIDE, WITHOUT)
        for bler in BLERS
        for point in cells(bler, more)
    ),
)


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate Table VI.1: the thesis's, ours under its link control, and under the standard's."""
    rows = []
    for name, bler, more, stated in COLUMNS:
        rows.append(("thesis", name, *(short(value, 5) for value in stated), "–", "–", "–"))
        for profile, label in PROFILES.items():
            points = cells(bler, (*profile, *more), _seeds(profile, more))
            runs = [outcomes[point] for point in points]
            rows.append((label, name, *_cells(runs, BLOCK_BYTES[profile])))
    head = ("", "BLER", "B/s", "RTT ms", "deviation ms", "timeouts", "TCP sent/delivered",
            "RLC sent/delivered")  # fmt: skip
    caption = (
        "Table VI.1. Ours are means of forty seeds with two draws under the thesis's link "
        "control, otherwise of five. Transmission effort is beside throughput: payload that TCP "
        "sent, and bytes of blocks sent downlink, divided by payload delivered."
    )
    return (Table(caption, head, tuple(rows)),)


def _cells(runs: Sequence[Outcome], block: int) -> tuple[str, ...]:
    return (
        short(fmean(map(bytes_per_s, runs)), 5),
        short(fmean(map(rtt_ms, runs)), 4),
        short(fmean(map(deviation_ms, runs))),
        short(fmean(map(timeouts, runs))),
        short(fmean(tcp_effort(run, PAYLOAD) for run in runs), 4),
        short(fmean(rlc_effort(run, block) for run in runs), 4),
    )


# --- The grid in which the variants are alike -----------------------------------------------------

GRID: Final = tuple(product((128, 64, 32, 8), (500, 1500), (1, 2, 4), (0.01, 0.1)))
"""Spreading factor, payload, initial window, block error rate."""


def alike(
    variant: str, sf: int, payload: int, initial_window: int, bler: float, more: Settings = ()
) -> Point:
    """Return a run of the grid."""
    return transfer(
        bearer(sf),
        payload=payload,
        bler=bler,
        variant=variant,
        more=(("tcp.initial_window", initial_window), *more),
    )


PATIENT: Final[Settings] = (("tcp.min_rto", "2 s"),)
"""A timer that waits for four packets at 30 kbit/s, which take 1.7 s."""

GRID_POINTS: Final = tuple(alike(variant, *cell) for variant in COMPARED for cell in GRID)
PATIENT_POINTS: Final = tuple(
    alike(variant, *cell, PATIENT) for variant in COMPARED for cell in GRID
)


def _cell(
    outcomes: Outcomes, cell: tuple[int, int, int, float], more: Settings = ()
) -> list[Outcome]:
    return [outcomes[alike(variant, *cell, more)] for variant in COMPARED]


def _cells_that_differ(more: Settings) -> Measure:
    return lambda outcomes: [
        float(sum(not identical(_cell(outcomes, cell, more)) for cell in GRID))
    ]


def identical(runs: Sequence[Outcome]) -> bool:
    """Return whether all acknowledgements came at the same times."""
    return len({(*acknowledged(run), run.flow.completed_s) for run in runs}) == 1


def untimely(runs: Sequence[Outcome]) -> float:
    """Count the acknowledgements that do not come at the same time in all runs."""
    first, *others = (set(zip(*acknowledged(run), strict=True)) for run in runs)
    return float(len(first.union(*others) - first.intersection(*others)))


def different_though_undisturbed(outcomes: Outcomes) -> list[float]:
    """Count the cells in which nothing was dropped or timed out and yet the variants differ."""
    quiet = [runs for cell in GRID if all(map(undisturbed, runs := _cell(outcomes, cell)))]
    return [float(sum(not identical(runs) for runs in quiet))]


def grid(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate the grid."""
    rows = []
    for sf, payload, bler in product((128, 64, 32, 8), (500, 1500), (0.01, 0.1)):
        cells_ = [_cell(outcomes, (sf, payload, window, bler)) for window in (1, 2, 4)]
        counts = [int(sum(timeouts(run) for run in runs)) for runs in cells_]
        rows.append(
            (
                f"SF {sf}, {payload + 40} B, {percent(bler)}",
                *(short(bytes_per_s(runs[0]), 5) for runs in cells_),
                *("the same" if identical(runs) else "differ" for runs in cells_),
                str(sum(counts)),
            )
        )
    head = ("", *(f"B/s, IW {w}" for w in (1, 2, 4)), *(f"variants, IW {w}" for w in (1, 2, 4)),
            "timeouts")  # fmt: skip
    names = ", ".join(NAMES[variant] for variant in COMPARED)
    caption = f"{names}: throughput of the first, and whether all acknowledgements come at the same"
    return (Table(f"{caption} times", head, tuple(rows)),)


def curves() -> tuple[Point, ...]:
    """Return the runs of figures VI.4 to VI.7."""
    return tuple(alike(variant, SF, PAYLOAD, 1, 0.1) for variant in COMPARED)


# --- Measures -------------------------------------------------------------------------------------


def min_rtt_ms(run: Outcome) -> float:
    """Return the minimum round-trip time in ms."""
    return 1000 * (run.flow.rtt_s.min or np.nan)


def max_rtt_ms(run: Outcome) -> float:
    """Return the maximum round-trip time in ms."""
    return 1000 * (run.flow.rtt_s.max or np.nan)


def peak_rtt_ms(run: Outcome) -> float:
    """Return the round-trip time in ms that one sample of a hundred exceeds."""
    return 1000 * (run.flow.rtt_s.p99 or np.nan)


def floor_rtt_ms(run: Outcome) -> float:
    """Return the minimum round-trip time in ms from a second after the window was full."""
    cwnd, rtt = Steps.cwnd(run), run.tables["rtt"]
    sent_s = rtt["time_s"].to_numpy() - rtt["rtt_s"].to_numpy()
    full_s = cwnd.time_s[int(np.argmax(cwnd.value >= WINDOW))]
    return 1000 * float(rtt["rtt_s"].to_numpy()[sent_s >= full_s + 1].min())


def sent_yet_again(run: Outcome) -> float:
    """Return the share of downlink PDUs retransmitted, in per cent, that were so more than once."""
    blocks = run.tables["blocks"]
    down = blocks.filter((blocks["direction"] == "down") & (blocks["kind"] != "control"))
    times: dict[int, int] = {}
    found: list[int] = []
    for sn, kind in zip(down["sn"], down["kind"].cast(str), strict=True):
        if kind == "data":  # numbers come back: the PDU that had it before is through
            found.append(times.get(sn, 0))
            times[sn] = 0
        else:
            times[sn] = times.get(sn, 0) + 1
    again = np.array([*found, *times.values()])
    return 100 * float(np.mean(again[again > 0] > 1))


def grown_to(run: Outcome) -> float:
    """Return the window in packets at the end of the transfer; 0 if it ever shrank."""
    cwnd = Steps.cwnd(run)
    until = cwnd.time_s <= (run.flow.completed_s or np.inf)
    value = cwnd.value[until]
    return 0.0 if np.any(np.diff(value) < 0) else float(value[-1])


def in_flight_share(run: Outcome) -> float:
    """Return throughput since the connection stands, times mean RTT, over the window."""
    return from_established(run) * rtt_ms(run) / 1000 / (WINDOW * PAYLOAD)


def lost_segments(run: Outcome) -> float:
    """Return the data segments lost on their way in per cent of those sent, of a traced run."""
    table = run.tables["segments"]
    data = table.filter(table["payload_bytes"] > 0)
    received, sent = (len(data.filter(data["event"] == way)) for way in ("received", "sent"))
    return 100 * (1 - received / sent)


def _of(
    bler: float,
    value: Callable[[Outcome], float],
    more: Settings = THESIS,
    seeds: Iterable[int] = SEEDS,
) -> Measure:
    return lambda outcomes: each(outcomes, cells(bler, more, seeds), value)


def ratio(bler: float, more: Settings) -> Measure:
    """Return the throughput at a block error rate over that at none, one value per seed."""
    return lambda outcomes: [
        bytes_per_s(outcomes[some]) / bytes_per_s(outcomes[none])
        for some, none in zip(cells(bler, more), cells(0.0, more), strict=True)
    ]


def kept(outcomes: Outcomes) -> list[float]:
    """Return the throughput at BLER 10 % in % of that without errors, one value per seed."""
    whole = mean(outcomes, cells(0.0), bytes_per_s)
    runs = each(outcomes, cells(0.1, APART, MANY_SEEDS), bytes_per_s)
    return [100 * run / whole for run in runs]


def recovery_adds(outcomes: Outcomes) -> list[float]:
    """Return by how many ms the mean round-trip time at BLER 1 % is longer with recovery."""
    with_, without = (cells(0.01, (*more, *APART), MANY_SEEDS) for more in (THESIS, WITHOUT))
    return [mean(outcomes, with_, rtt_ms) - mean(outcomes, without, rtt_ms)]


def _row(name: str, bler: float, more: Settings, seeds: Iterable[int]) -> dict[str, Measure]:
    return {
        f"{name}-rate": _of(bler, bytes_per_s, more, seeds),
        f"{name}-rtt": _of(bler, rtt_ms, more, seeds),
        f"{name}-dev": _of(bler, deviation_ms, more, seeds),
    }


MEASURES: Final[dict[str, Measure]] = {
    "c1-least": _of(0.01, min_rtt_ms, WITHOUT),
    "c1-greatest": _of(0.01, max_rtt_ms, WITHOUT),
    "c2-peak": _of(0.01, peak_rtt_ms),
    "c2-more": recovery_adds,
    "c2-rarely-twice": _of(0.01, sent_yet_again),
    "c3-floor": _of(0.1, floor_rtt_ms),
    **_row("c4", 0.0, THESIS, SEEDS),
    **_row("c5", 0.01, (*WITHOUT, *APART), MANY_SEEDS),
    **_row("c6", 0.01, APART, MANY_SEEDS),
    **_row("c7", 0.1, APART, MANY_SEEDS),
    "c4-rate-established": _of(0.0, from_established, THESIS, SEEDS),
    "c6-rate-established": _of(0.01, from_established, APART, MANY_SEEDS),
    "c7-rate-established": _of(0.1, from_established, APART, MANY_SEEDS),
    "c8": kept,
    "c9": different_though_undisturbed,
    "c9-everywhere": _cells_that_differ(()),
    "c9-patient": _cells_that_differ(PATIENT),
    "c10": lambda outcomes: [untimely([outcomes[point] for point in curves()])],
    "c11": lambda outcomes: [sum(each(outcomes, GRID_POINTS, drops))],
    "c11-window": lambda outcomes: each(outcomes, curves(), grown_to),
    "c12": lambda outcomes: [
        mean(outcomes, points, in_flight_share)
        for points in (cells(0.0), *(cells(bler, APART, MANY_SEEDS) for bler in BLERS[1:]))
    ],
    "c13-10-standard": ratio(0.1, STANDARD),
    "c13-10-wide": ratio(0.1, WIDE),
    "c14-apart": _of(0.01, lost_segments, (*WITHOUT, *APART)),
}
