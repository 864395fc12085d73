"""Which trigger sets of the paper's Tables 1 and 2 give the paper's numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from thinpipe.papers.facts import Fact, Finding, Verdict
from thinpipe.papers.lo2005.check import MEASURES
from thinpipe.papers.lo2005.experiments import Settings, Study, grid
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.point import Point
from thinpipe.report.numbers import short


@dataclass(frozen=True, slots=True)
class TriggerSet:
    """A combination of rows of Tables 1 and 2, as settings beside the shipped ones."""

    name: str
    settings: Settings


OFF: Final = "off"
NO: Final = "false"


def _set(name: str, poll: dict[str, str], status: dict[str, str]) -> TriggerSet:
    pairs = [(f"radio.rlc.poll.{key}", value) for key, value in poll.items()]
    pairs += [(f"radio.rlc.status.{key}", value) for key, value in status.items()]
    return TriggerSet(name, tuple(pairs))


NO_LAST: Final = {"last_in_buffer": NO, "last_in_retransmission_buffer": NO}
NO_WINDOW: Final = {"window_utilization": OFF}
NO_MISSING: Final = {"missing": NO}
EPC: Final = {"estimated_pdu_counter": "120 ms"}

SETS: Final = (
    _set("last block, window 50 % full; missing blocks (shipped)", {}, {}),
    _set("last block, window; missing blocks and estimated counter (both)", {}, EPC),
    _set("last block, window; both, poll timer 150 ms", {"timer": "150 ms"}, EPC),
    _set("last block alone; missing blocks", NO_WINDOW, {}),
    _set("window alone; missing blocks", NO_LAST, {}),
    _set("last block, window 100 % full; missing blocks", {"window_utilization": "100 %"}, {}),
    _set("last block, window, every 32 blocks; missing blocks", {"every_pdus": "32"}, {}),
    _set("last block, window, every 256 blocks; missing blocks", {"every_pdus": "256"}, {}),
    _set("last block, window, every packet; missing blocks", {"every_sdus": "1"}, {}),
    _set("every packet alone; missing blocks", {**NO_LAST, **NO_WINDOW, "every_sdus": "1"}, {}),
    _set("no poll; missing blocks", {**NO_LAST, **NO_WINDOW, "timer": OFF}, {}),
    _set("last block, window; polls alone", {}, NO_MISSING),
    _set("last block, window, every 32 blocks; polls alone", {"every_pdus": "32"}, NO_MISSING),
    _set("last block, window, every packet; polls alone", {"every_sdus": "1"}, NO_MISSING),
    _set("last block, window; estimated block counter", {}, {**NO_MISSING, **EPC}),
    _set("shipped, poll timer 170 ms, status prohibit 150 ms", {"timer": "170 ms"},
         {"prohibit": "150 ms"}),
)  # fmt: skip
"""Triggers that may be in italics: of the sender (Table 1) and the receiver (Table 2)."""

JUDGED: Final = {
    "throughput-reno-0": "Reno 0 %",
    "throughput-reno-30": "Reno 30 %",
    "throughput-vegas-0": "Vegas 0 %",
    "throughput-vegas-30": "Vegas 30 %",
    "rtt-vegas-5-samples": "RTT samples",
    "rtt-vegas-5-mean": "RTT s",
    "rtt-vegas-5-greatest": "max RTT s",
    "cwnd-vegas-5-mean": "cwnd",
    "cwnd-vegas-30-small": "% cwnd ≤ 2",
}
"""Facts that a set must meet to fit, also those that they set, and their columns."""


def points() -> tuple[Point, ...]:
    """Return the runs of every set."""
    return tuple(
        point
        for each in SETS
        for variant, tblers in (("vegas", (0, 5, 30)), ("reno", (0, 30)))
        for point in grid((variant,), tblers, each.settings)
    )


def table(outcomes: Outcomes, facts: tuple[Fact, ...]) -> Table:
    """Return one row a set: means over seeds, a cross at each fact that it misses."""
    judged = [replace(fact, claimed=True) for name in JUDGED for fact in facts if fact.id == name]
    rows = tuple(_row(each, Study(outcomes, each.settings), judged) for each in SETS)
    caption = (
        "Trigger sets: sender's (Table 1); receiver's (Table 2). Means over seeds, with a cross "
        "at each fact that is missed. RTT and cwnd are Vegas' at 5 %, the share of time at cwnd ≤ "
        "2 at 30 %."
    )
    return Table(caption, ("trigger set", "fits", *JUDGED.values()), rows)


def _row(each: TriggerSet, study: Study, judged: list[Fact]) -> tuple[str, ...]:
    findings = [Finding(fact, tuple(MEASURES[fact.id](study))) for fact in judged]
    missed = [found.verdict is Verdict.DIFFERS for found in findings]
    cells = (
        short(found.mean) + (" ✗" if misses else "")
        for found, misses in zip(findings, missed, strict=True)
    )
    return (each.name, "no" if any(missed) else "yes", *cells)
