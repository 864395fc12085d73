"""Tables of equations 1 to 4: the analytic model, and the simulator beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.lo2005.experiments import (
    ISOLATED,
    SCENARIO,
    TRACED_SEED,
    TRACED_SEEDS,
    point,
)
from thinpipe.papers.lo2005.model import PATH, next_tti, shrinking_rtt
from thinpipe.papers.lo2005.rounds import Rounds
from thinpipe.papers.lo2005.split import INTERFACES, Split, min_extra_delay_ms
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.scenario import find

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SHOWN_WINDOWS: Final = (5, 6, 7)
BETA: Final[int] = tomllib.loads(find(SCENARIO).source)["tcp"]["vegas"]["beta"]
"""Segments."""


def tables(outcomes: Outcomes) -> tuple[Table, ...]:
    """Return all tables."""
    return (
        _equation_1(outcomes),
        _error_free_round_trip(),
        _delays_by_interface(Split.of(outcomes[point("vegas", 5, TRACED_SEED)])),
        _rounds_of_retransmission(outcomes),
    )


def _equation_1(outcomes: Outcomes) -> Table:
    found = [Rounds.of(outcomes[point("vegas", 5, seed)], PATH.mss) for seed in TRACED_SEEDS]
    return Table(
        "Eq. 1: the mean round-trip time at which Vegas reduces its window by one, traced runs at "
        "5 % block errors; by formula, with Δ rounded",
        ("segments", "round trips", "shrank", "max RTT that did not", "min RTT that did",
         "min by formula"),
        tuple(_at_window(found, window) for window in SHOWN_WINDOWS),
    )  # fmt: skip


def _at_window(found: Sequence[Rounds], window: int) -> tuple[str, ...]:
    rtt_s = np.concatenate([each.mean_rtt_s[each.at(window, 0.0)] for each in found])
    shrank = np.concatenate([(each.after < each.before)[each.at(window, 0.0)] for each in found])
    formula = shrinking_rtt(window, PATH.error_free_rtt(), BETA)
    return (
        str(window),
        f"{len(rtt_s):,}",
        f"{shrank.sum():,}",
        _seconds(rtt_s[~shrank].max(initial=0.0)),
        _seconds(rtt_s[shrank].min(initial=np.inf)),
        _seconds(float(formula)),
    )


def _error_free_round_trip() -> Table:
    down, up = PATH.downlink, PATH.uplink
    segment, ack = down.delay(PATH.segment_sdu), up.delay(PATH.acknowledgement_sdu)
    wire = 2 * PATH.wired
    wait_down = next_tti(wire, down.tti) - wire
    wait_up = PATH.error_free_rtt() - wire - wait_down - segment - ack
    rows = (
        ("host to RNC, IuPS + Gn + Gi, there and back (fitted)", wire),
        ("wait for the next downlink TTI", wait_down),
        (f"segment over Uu, {down.ttis(PATH.segment_sdu)} TTIs (eq. 4)", segment),
        ("wait for the next uplink TTI", wait_up),
        (f"acknowledgement over Uu, {up.ttis(PATH.acknowledgement_sdu)} TTI (eq. 4)", ack),
        ("round trip without errors (eq. 2)", PATH.error_free_rtt()),
    )
    return Table(
        "The error-free round trip by the analytic model",
        ("part", "delay"),
        tuple((part, _ms(delay)) for part, delay in rows),
    )


def _delays_by_interface(split: Split) -> Table:
    ways = (("down", split.segment_s), ("up", split.acknowledgement_s))
    rows = [_row(f"{each}, {way}", parts[each]) for way, parts in ways for each in INTERFACES]
    return Table(
        f"Eq. 3: where {len(split.rtt_s):,} segments and their acknowledgements spent their time, "
        f"Vegas at 5 % block errors, seed {TRACED_SEED}",
        ("interface", "min", "mean", "max"),
        (*rows, _row("sum", split.sum_s()), _row("the sender's round-trip times", split.rtt_s)),
    )


def _row(name: str, delays_s: Floats) -> tuple[str, ...]:
    smallest, mean, largest = (float(f(delays_s)) for f in (np.min, np.mean, np.max))
    return (name, *(_ms(Decimal(each)) for each in (smallest, mean, largest)))


def _rounds_of_retransmission(outcomes: Outcomes) -> Table:
    runs = [outcomes[point("reno", 20, seed, ISOLATED)] for seed in TRACED_SEEDS]
    return Table(
        "How much rounds of retransmission add to a segment's error-free delay over Uu: by the "
        "analytic model, where the first wait depends on the TTI in which the gap appears, and "
        "the min in traced runs of one packet at a time, 20 % block errors, none in the uplink",
        ("rounds", "gap in its first TTI", "gap in its last TTI", "min in traced runs"),
        tuple(
            (
                str(rounds),
                *(_ms(delay) for delay in PATH.retransmission_delays(rounds)),
                f"{min(min_extra_delay_ms(run, rounds) for run in runs):.1f} ms",
            )
            for rounds in (1, 2, 3)
        ),
    )


def _ms(delay_s: Decimal) -> str:
    return f"{1000 * delay_s:.1f} ms"


def _seconds(value: float) -> str:
    return f"{value:.3f} s" if 0 < value < np.inf else "–"
