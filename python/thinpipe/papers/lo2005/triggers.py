"""Which trigger sets of the paper's Tables 1 and 2 give the paper's numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thinpipe.papers.facts import Fact, Finding, Verdict
from thinpipe.papers.lo2005.check import MEASURES, mean_throughput
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
    _set("last block, window 100 % full; missing blocks (shipped)", {}, {}),
    _set("the same; and estimated block counter", {}, EPC),
    _set("the same; and estimated block counter, poll timer 150 ms", {"timer": "150 ms"}, EPC),
    _set("last block alone; missing blocks", NO_WINDOW, {}),
    _set("window alone; missing blocks", NO_LAST, {}),
    _set("last block, window 50 % full; missing blocks", {"window_utilization": "50 %"}, {}),
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
"""What may have stood in italics: triggers of the sender (Table 1); of the receiver (Table 2)."""

JUDGED: Final = (
    "throughput-reno-0",
    "throughput-vegas-0",
    "throughput-vegas-30",
    "throughput-reno-30",
    "rtt-vegas-5-samples",
    "rtt-vegas-5-mean",
    "rtt-vegas-5-greatest",
    "cwnd-vegas-5-mean",
    "cwnd-vegas-5-greatest",
    "cwnd-vegas-30-small",
)
"""Facts that a set must meet to fit."""


def points() -> tuple[Point, ...]:
    """Return the runs of every set."""
    return tuple(
        point
        for each in SETS
        for variant, tblers in (("vegas", (0, 5, 30)), ("reno", (0, 30)))
        for point in grid((variant,), tblers, each.settings)
    )


def table(outcomes: Outcomes, facts: tuple[Fact, ...]) -> Table:
    """Return one row a set: its numbers and the facts that it misses."""
    head = ("trigger set", "Reno 0 %", "Reno 30 %", "Vegas 0 %", "Vegas 30 %", "RTT at 5 % s",
            "samples", "cwnd at 5 %", "misses", "verdict")  # fmt: skip
    rows = tuple(_row(each, Study(outcomes, each.settings), facts) for each in SETS)
    return Table("Trigger sets of Tables 1 and 2 against the facts of the text", head, rows)


def _row(each: TriggerSet, study: Study, facts: tuple[Fact, ...]) -> tuple[str, ...]:
    judged = [Finding(fact, tuple(MEASURES[fact.id](study))) for fact in facts if fact.id in JUDGED]
    missed = [found.fact.id for found in judged if found.verdict is Verdict.DIFFERS]
    vegas_5 = study.runs("vegas", 5)
    return (
        each.name,
        *(
            f"{short(mean_throughput(study, variant, tbler))} %"
            for variant, tbler in (("reno", 0), ("reno", 30), ("vegas", 0), ("vegas", 30))
        ),
        short(float(np.mean([run.flow.rtt_s.mean or np.nan for run in vegas_5]))),
        short(float(np.mean([run.flow.rtt_s.samples for run in vegas_5]))),
        short(float(np.mean([run.flow.cwnd_segments.mean or np.nan for run in vegas_5]))),
        ", ".join(missed) or "none",
        "fits" if not missed else "does not fit",
    )
