"""State shared inside the sender instead of a box (RFC 9040)."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.measuring import received_s
from thinpipe.papers.chakravorty2003.setup import (
    FEW,
    PLAIN,
    RADIO,
    Settings,
    clamp,
    download,
    seeds,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.point import Point

FLOWS: Final = 8
OBJECT_KB: Final = 10
EVERY_S: Final = 8

OBJECTS: Final[Settings] = (
    *download(OBJECT_KB),
    ("flow.count", FLOWS),
    ("flow.interval", f"{EVERY_S} s"),
    ("duration", "200 s"),
)
"""Objects of a page, one connection each, one after the other."""

WAYS: Final[dict[str, Settings]] = {
    "each connection alone": PLAIN,
    "shared, one after the other (temporal)": (("tcp.share_state", "temporal"),),
    "shared, at the same time (ensemble)": (("tcp.share_state", "ensemble"),),
    "atcp": clamp(10),
}


def runs(way: str) -> tuple[Point, ...]:
    """Return the objects with one way of sharing."""
    return seeds(RADIO, OBJECTS, WAYS[way], among=FEW)


POINTS: Final = tuple(point for way in WAYS for point in runs(way))


def object_s(outcomes: Outcomes, way: str) -> float:
    """Return the mean time of an object but the first, in s."""
    return fmean(
        received_s(outcomes[point], flow, EVERY_S * flow)
        for point in runs(way)
        for flow in range(1, FLOWS)
    )


ALONE, TEMPORAL, ENSEMBLE, BOX = WAYS


def gained(way: str) -> Measure:
    """Measure what a way of sharing gains of what the box gains, in per cent."""

    def measure(outcomes: Outcomes) -> list[float]:
        alone, shared, box = (object_s(outcomes, each) for each in (ALONE, way, BOX))
        return [100 * (alone - shared) / (alone - box)]

    return measure


MEASURES: Final[dict[str, Measure]] = {
    "shared-gain": gained(TEMPORAL),
    "shared-ensemble": gained(ENSEMBLE),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate the mean time of an object."""
    rows = tuple((way, short(object_s(outcomes, way))) for way in WAYS)
    caption = f"Mean time of {FLOWS - 1} objects of {OBJECT_KB} KB after a first, in s"
    return (Table(caption, ("", "s"), rows),)
