"""Runs in which a cause is switched off: they show the reasons that the study gives.

Each has a fact that says what is left without the cause. Under the wrong model `the cause at work`
it is there again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.today import experiments as runs
from thinpipe.papers.today.measures import (
    best_to_worst,
    each,
    energy,
    goodput,
    jain,
    p95_rtt,
    page_time,
    percent,
    ping_p95,
    repeated_syns,
    retransmits,
    transfer_time,
)
from thinpipe.papers.today.setup import SEEDS, VARIANTS
from thinpipe.papers.wrong import dropped

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.papers.today.measures import Measure, Run, Value
    from thinpipe.point import Point

NO_ERRORS: Final = (("radio.downlink.bler", "0 %"), ("radio.uplink.bler", "0 %"))

NO_WAIT: Final = (
    ("radio.lte.request_period", "1 ms"),
    ("radio.lte.grant_delay", "1 ms"),
    ("radio.lte.first_grant", "10 kB"),
)
"""A mobile that has something to send requests and is granted as early as keys allow."""

NO_LINK_CONTROL: Final = (("radio.harq.repeats", 0), ("radio.lte.rlc.mode", "um"))

MORE_QUEUE: Final = (
    ("tcp.vegas.alpha", 120),
    ("tcp.vegas.beta", 240),
    ("tcp.vegas.gamma", 120),
)
"""A Vegas that leaves 120 to 240 segments in the queue in place of 1 to 3."""

STEADY: Final = (
    ("link.trace.down", "off"),
    ("link.trace.up", "off"),
    ("link.rate", "14 Mbit/s"),
    ("link.back.rate", "7 Mbit/s"),
    ("link.delay", "25 ms"),
)
"""A link that carries at any time what that of lte-drive carries in the mean."""

NO_BURSTS: Final = (("radio.gilbert_elliott.bad", "0 %"),)

NO_LOSS_BETWEEN: Final = (
    ("radio.gilbert_elliott.good", "0 %"),
    ("radio.gilbert_elliott.bad", "0 %"),
    ("radio.leo.begins_bad", "false"),
)
"""Changes of satellites lose what is in the air, and nothing else is lost."""

LOSSLESS: Final = NO_LOSS_BETWEEN[:2]
"""The same of a satellite that stays, which has no changes."""

STEPS_ALONE: Final = (
    *NO_LOSS_BETWEEN,
    ("radio.leo.loses", "false"),
    ("radio.leo.pause", "0 ms"),
)
"""A change of satellites moves the round trip, and does nothing else."""

ONE_PASS: Final = (("radio.leo.slot", "10000 s"),)
"""One satellite, which moves, for the whole run."""

OWN_BEAM: Final = (
    ("radio.beam.background", "0 %"),
    ("radio.downlink.rate", "50 Mbit/s"),
    ("radio.uplink.rate", "10 Mbit/s"),
)
"""No other users, at the rate that they leave."""

ALL_AT_ONCE: Final = (("tcp.initial_window", 5_000),)
"""The first flight is all that geo-600 holds."""

LONG_PAGES: Final = (("flow.web.main.min", "2 MB"),)

AT_ONCE: Final = (("flow.interval", "0 s"),)

SHORT_QUEUE: Final = (("queue.bytes", "300 kB"),)

NO_BASE_POWER: Final = (("radio.power.active", "0 W"),)

WIDER: Final = (("tcp.window", 16_384),)
"""Four times the window of the profile `modern`, in segments."""

FAR: Final = (("wired.core.delay", "5 s"),)
"""A round trip of ten seconds more."""

PATIENT: Final = (("tcp.initial_rto", "60 s"),)

HASTY_ATCP: Final = (("middlebox.atcp.min_rto", "1 s"),)

ROOM: Final = (("queue.bytes", "1 MB"),)
"""A queue that does not overflow."""

NO_TIMER: Final = (("middlebox.snoop.tick", "300 s"),)

NO_BLOCKAGE: Final = (("radio.blockage.loss", "0 dB"),)

ITS_OWN_WINDOW: Final = (("tcp.cubic.reno_friendly", "false"),)
"""CUBIC has no region in which its window is Reno's."""

BBR_BEHIND: Final = (("middlebox.tcp.variant", "bbr"),)


@dataclass(frozen=True, slots=True)
class Shown:
    """What is left without a cause: its item, its measure, and the runs of that."""

    item: str
    measure: Measure
    runs: tuple[Run, ...]


def _compared(item: str, run: Run, of: Run, value: Value = goodput) -> Shown:
    """Return a value of a run in percent of another's."""
    return Shown(item, percent(value, run, of), (run, of))


def _alone(item: str, run: Run, value: Value) -> Shown:
    return Shown(item, each(value, run), (run,))


def _pair(scenario: str, names: str, *more: Settings, value: Value = goodput) -> Shown:
    """Return a row in percent of another over a pipe of the map, both without a cause."""
    row, of = (runs.over(scenario, name, *more) for name in names.split("/"))
    return _compared("pipes", row, of, value)


def _change(
    scenario: str, name: str, *more: Settings, value: Value = goodput, item: str = "pipes"
) -> Shown:
    """Return a row over a pipe without a cause in percent of what it is with it."""
    return _compared(item, runs.over(scenario, name, *more), runs.over(scenario, name), value)


def _vegas_to_reno(percent_in_error: int, *more: Settings) -> Shown:
    vegas, reno = (runs.in_error(name, percent_in_error, *more) for name in ("vegas", "reno"))
    return _compared("error-rate", vegas, reno)


def _changes(name: str, with_changes: Settings, without: Settings) -> Shown:
    """Return a row over changing satellites in percent of that over one that stays."""
    changing = runs.leo(name, with_changes, changes=True)
    return _compared("leo", changing, runs.leo(name, without, changes=False))


FAR_AWAY: Final = tuple(runs.over("nb-iot", name, FAR) for name in VARIANTS)

SHOWN: Final = {
    "reno-lte-queue": _change("lte-cat4", "reno", (("queue.bytes", "100 kB"),)),
    "vegas-lte-errors": _pair("lte-cat4", "vegas/cubic", NO_ERRORS),
    "vegas-lte-wait": _pair("lte-cat4", "vegas/cubic", NO_WAIT),
    "vegas-lte-both": _change("lte-cat4", "vegas", NO_ERRORS, NO_WAIT),
    "vegas-lte-queue": _pair("lte-cat4", "vegas/cubic", MORE_QUEUE),
    "vegas-steady": _pair("lte-drive", "vegas/cubic", STEADY),
    "bbr-steady": _pair("lte-drive", "bbr/cubic", STEADY, value=p95_rtt),
    "atcp-steady": _pair("lte-drive", "atcp/cubic", STEADY),
    "bbr-geo-clean": _pair("geo-12-3-lossy", "bbr/cubic", NO_BURSTS),
    "westwood-geo-clean": _pair("geo-12-3-lossy", "westwood/reno", NO_BURSTS),
    "snoop-lte-bare": _pair("lte-cat4", "snoop/cubic", NO_LINK_CONTROL),
    "snoop-geo-clean": _pair("geo-12-3-lossy", "snoop/cubic", NO_BURSTS),
    "split-geo-bbr": _change("geo-12-3-lossy", "split", BBR_BEHIND),
    "start-known": _compared(
        "start", runs.start("cubic", ALL_AT_ONCE), runs.start("atcp"), transfer_time
    ),
    "start-split-known": _compared(
        "start", runs.start("split", ALL_AT_ONCE), runs.start("cubic"), transfer_time
    ),
    "nr-window": _change("nr-tdd-100", "cubic", WIDER),
    "reno-30-bare": _compared(
        "error-rate", runs.in_error("reno", 30, NO_LINK_CONTROL), runs.in_error("reno", 0)
    ),
    "vegas-no-errors": _vegas_to_reno(0, NO_ERRORS),
    "vegas-30-no-wait": _vegas_to_reno(30, NO_WAIT),
    "vegas-neither": _vegas_to_reno(0, NO_ERRORS, NO_WAIT),
    "leo-cubic-bursts": _changes("cubic", NO_LOSS_BETWEEN, LOSSLESS),
    "leo-cubic-between": _compared(
        "leo", runs.leo("cubic", NO_LOSS_BETWEEN, changes=True), runs.leo("cubic", changes=True)
    ),
    "leo-vegas-steps": _changes("vegas", STEPS_ALONE, LOSSLESS),
    "leo-vegas-beam": _changes("vegas", OWN_BEAM, OWN_BEAM),
    "leo-vegas-moving": _compared(
        "leo",
        runs.leo("vegas", OWN_BEAM, NO_LOSS_BETWEEN, ONE_PASS, changes=True),
        runs.leo("vegas", OWN_BEAM, LOSSLESS, changes=False),
    ),
    "leo-vegas-calm": _compared(
        "leo",
        runs.leo("vegas", OWN_BEAM, LOSSLESS, changes=False),
        runs.leo("cubic", OWN_BEAM, LOSSLESS, changes=False),
    ),
    "pages-short": _compared(
        "pages", runs.pages("lte-cat4", "vegas"), runs.pages("lte-cat4", "cubic"), page_time
    ),
    "pages-long": _compared(
        "pages",
        runs.pages("lte-cat4", "vegas", LONG_PAGES),
        runs.pages("lte-cat4", "cubic", LONG_PAGES),
        page_time,
    ),
    "pages-known": _compared(
        "pages",
        runs.pages("geo-600", "cubic", ALL_AT_ONCE),
        runs.pages("geo-600", "atcp"),
        page_time,
    ),
    "fair-reno-at-once": _alone("fairness", runs.shared("lte-cat4", "reno", AT_ONCE), jain),
    "fair-reno-short-queue": _alone("fairness", runs.shared("lte-cat4", "reno", SHORT_QUEUE), jain),
    "energy-no-base": _compared(
        "energy", runs.alone("vegas", NO_BASE_POWER), runs.alone("cubic", NO_BASE_POWER), energy
    ),
    "energy-cubic-base": _compared(
        "energy", runs.alone("cubic", NO_BASE_POWER), runs.alone("cubic"), energy
    ),
    "nbiot-far": Shown("nb-iot", best_to_worst(*FAR_AWAY), FAR_AWAY),
    "nbiot-patient": _alone("nb-iot", runs.over("nb-iot-2", "cubic", PATIENT), repeated_syns),
    "nbiot-hasty": _compared(
        "nb-iot",
        runs.over("nb-iot-1", "atcp", HASTY_ATCP),
        runs.over("nb-iot-1", "cubic"),
        retransmits,
    ),
    "nbiot-room": _change("nb-iot-1", "cubic", ROOM, value=retransmits, item="nb-iot"),
    "nbiot-snoop": _change("nb-iot-2", "snoop", NO_TIMER, item="nb-iot"),
    "mmwave-clear": _compared(
        "mmwave",
        runs.behind("codel", "cubic", NO_BLOCKAGE),
        runs.behind("droptail", "cubic", NO_BLOCKAGE),
    ),
    "mmwave-bbr": _compared("mmwave", runs.behind("codel", "bbr"), runs.behind("droptail", "bbr")),
    "mmwave-delay": _compared(
        "mmwave",
        runs.behind("droptail", "cubic", NO_BLOCKAGE),
        runs.behind("droptail", "cubic"),
        ping_p95,
    ),
}
"""By the fact that says what is left."""

MEASURES: Final = {name: shown.measure for name, shown in SHOWN.items()}


def points(item: str) -> tuple[Point, ...]:
    """Return the runs without a cause that an item has."""
    return tuple(
        run(seed)
        for shown in SHOWN.values()
        if shown.item == item
        for run in shown.runs
        for seed in SEEDS
    )


_SWITCHES: Final = (
    NO_ERRORS, NO_WAIT, NO_LINK_CONTROL, MORE_QUEUE, STEADY, STEPS_ALONE, OWN_BEAM, ALL_AT_ONCE,
    LONG_PAGES, SHORT_QUEUE, NO_BASE_POWER, FAR, PATIENT, NO_TIMER, NO_BLOCKAGE, BBR_BEHIND,
    ITS_OWN_WINDOW,
)  # fmt: skip

AT_WORK: Final = dropped(
    "The cause is at work, as in the scenario.",
    *(key for switch in _SWITCHES for key, _ in switch),
)
"""Under it, what is left without the cause is what there is with it."""
