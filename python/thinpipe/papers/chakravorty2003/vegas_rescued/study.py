"""Throughput against block error rate: Vegas plain, split, behind Snoop and behind atcp."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

from thinpipe.papers.lo2005.experiments import SCENARIO, TBLERS
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.point import Point
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.chakravorty2003.setup import Settings

SEEDS: Final = (1, 2, 3)
LASTS_S: Final = 200
"""A fifth of lo2005's time: enough for a window that is wrong to stay so."""

VEGAS: Final = (("tcp.variant", "vegas"),)
RENO: Final = (("tcp.variant", "reno"),)
SPLIT: Final = (("middlebox.kind", "i-tcp"),)
CLAMP: Final = f"{64 * 512} B"
"""The window that Reno has in lo2005."""


def _radio(variant: str) -> Settings:
    return (("middlebox.tcp.variant", variant),)


WAYS: Final[dict[str, Settings]] = {
    "Reno": RENO,
    "Vegas": VEGAS,
    "Vegas wired, Reno radio (I-TCP)": (*VEGAS, *SPLIT, *_radio("reno")),
    "Reno wired, Vegas radio (I-TCP)": (*RENO, *SPLIT, *_radio("vegas")),
    "Vegas on both (I-TCP)": (*VEGAS, *SPLIT, *_radio("vegas")),
    "Vegas, Snoop": (*VEGAS, ("middlebox.kind", "snoop")),
    "Vegas, atcp": (*VEGAS, ("middlebox.kind", "atcp"), ("middlebox.atcp.clamp", CLAMP)),
}

RESCUED: Final = tuple(name for name in WAYS if name not in ("Reno", "Vegas"))
REACHED: Final = 0.95
"""Of Reno's throughput: what counts as its curve."""


def runs(way: str, tbler: int) -> tuple[Point, ...]:
    """Return the runs behind one mark of the figure; `tbler` in per cent."""
    settings: Settings = (
        *WAYS[way],
        ("radio.tbler", f"{tbler} %"),
        ("duration", f"{LASTS_S} s"),
    )
    return tuple(Point.of(SCENARIO, dict([*settings, ("seed", seed)])) for seed in SEEDS)


POINTS: Final = tuple(point for way in WAYS for tbler in TBLERS for point in runs(way, tbler))


def throughput(outcomes: Outcomes, way: str, tbler: int) -> float:
    """Return the mean throughput in per cent of the channel, headers included, as in Fig. 5(a)."""
    return fmean(
        100 * (outcomes[point].flow.normalized_throughput or 0.0) for point in runs(way, tbler)
    )


def beside_reno(way: str, tblers: Sequence[int] = TBLERS) -> Measure:
    """Measure throughput over plain Reno's, one value per block error rate."""
    return lambda outcomes: [
        throughput(outcomes, way, tbler) / throughput(outcomes, "Reno", tbler) for tbler in tblers
    ]


MEASURES: Final[dict[str, Measure]] = {
    "vegas-wired": beside_reno(RESCUED[0]),
    "vegas-radio": beside_reno(RESCUED[1], (30,)),
    "vegas-snoop": beside_reno(RESCUED[3], (30,)),
    "vegas-atcp": beside_reno(RESCUED[4]),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate throughput by block error rate, and which way reaches Reno."""
    rows = []
    for way in WAYS:
        cells = [throughput(outcomes, way, tbler) for tbler in TBLERS]
        reaches = min(beside_reno(way)(outcomes)) >= REACHED
        rows.append((way, *(short(cell) for cell in cells), "yes" if reaches else "no"))
    head = ("", *(f"{tbler} %" for tbler in TBLERS), "reaches Reno")
    caption = (
        "Throughput in % of 384 kbit/s by transport block error rate, mean of three seeds; Reno's "
        "curve is reached with 95 % of it at every rate"
    )
    return (Table(caption, head, tuple(rows)),)
