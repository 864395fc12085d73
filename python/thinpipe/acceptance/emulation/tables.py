"""The measurements of both sides as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinpipe.acceptance.emulation.collect import Compared, compared
from thinpipe.acceptance.emulation.experiments import CONTROLS, Setup
from thinpipe.acceptance.emulation.figures import NAMES
from thinpipe.papers.paper import Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes

HEAD = (
    "sender",
    "seed",
    "kbit/s: simulated",
    "emulated",
    "RTT median s: simulated",
    "emulated",
    "retransmitted: simulated",
    "emulated",
    "emulator's lateness ms: p50",
    "p99",
    "max",
    "receiver's, % of the RTT",
)


def table(outcomes: Outcomes, setup: Setup) -> tuple[Table]:
    """Return one row per sender and seed."""
    rows = (
        _row(control, seed, compared(outcomes[setup.point(control, seed)]))
        for control in CONTROLS
        for seed in setup.seeds
    )
    return (Table("Simulated and emulated", HEAD, tuple(rows)),)


def _row(control: str, seed: int, each: Compared) -> tuple[str, ...]:
    lateness = each.carried.punctuality.emulator
    ways = (each.simulated, each.emulated)
    return (
        NAMES[control],
        str(seed),
        *(short(way.goodput_bps / 1000, 5) for way in ways),
        *(short(way.rtt_median_s, 4) for way in ways),
        *(str(way.retransmits) for way in ways),
        *(short(1000 * (of or 0.0)) for of in (lateness.p50, lateness.p99, lateness.max)),
        short(100 * each.carried.punctuality.ends, 2),
    )
