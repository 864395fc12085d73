"""Mobiles as both ends of a connection, and as senders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.measuring import (
    each,
    mean,
    mean_rtt,
    received_s,
)
from thinpipe.papers.chakravorty2003.setup import (
    FEW,
    KB,
    PLAIN,
    RADIO,
    Settings,
    second,
    seeds,
    size,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure, Value
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

AFTER_S: Final = 20
FIRST_KB: Final = 100
SECOND_KB: Final = 20
LIMIT: Final[Settings] = (("duration", "400 s"),)

BETWEEN: Final[Settings] = (("radio.ues", 2), ("flow.direction", "between-mobiles"))
UP: Final[Settings] = (("flow.direction", "uplink"),)
GROUP_UP: Final[Settings] = (("flow.group.second.direction", "uplink"),)
GROUP_BETWEEN: Final[Settings] = (("flow.group.second.direction", "between-mobiles"),)

UPLINK_CLAMP: Final = "7 kB"
"""Five segments of a second each."""

ATCP: Final[Settings] = (
    ("middlebox.kind", "atcp"),
    ("middlebox.atcp.clamp", f"{10 * KB} B"),
)
"""At the gateway: what goes from mobile to mobile does not come as far as the paper's proxy."""

BOXES: Final[dict[str, Settings]] = {
    "no box": PLAIN,
    "atcp": ATCP,
    "atcp, uplink clamped": (*ATCP, ("middlebox.atcp.uplink_clamp", UPLINK_CLAMP)),
}


def between(box: str) -> tuple[Point, ...]:
    """Return a transfer from one mobile to another, and a second one 20 s later."""
    return _runs((*BETWEEN, *GROUP_BETWEEN), box)


def upward(box: str) -> tuple[Point, ...]:
    """Return a transfer from a mobile, and a second one 20 s later."""
    return _runs((*UP, *GROUP_UP), box)


def _runs(way: Settings, box: str) -> tuple[Point, ...]:
    pair = (*size(FIRST_KB), *second(AFTER_S, SECOND_KB))
    return seeds(RADIO, way, pair, BOXES[box], LIMIT, among=FEW)


POINTS: Final = tuple(point for box in BOXES for way in (between, upward) for point in way(box))


def connected_s(run: Outcome) -> float:
    """Return how long the second connection took to open, in s."""
    return (run.result.flows[1].established_s or float("inf")) - AFTER_S


def second_s(run: Outcome) -> float:
    """Return the time of the second transfer, in s."""
    return received_s(run, 1, AFTER_S)


def both_s(run: Outcome) -> float:
    """Return when the data of both transfers had arrived, in s."""
    return max(received_s(run), received_s(run, 1))


def slower(value: Value) -> Measure:
    """Measure a time of uploads, uplink clamped, beside that without a box, in % of difference."""

    def measure(outcomes: Outcomes) -> list[float]:
        clamped, plain = (
            mean(outcomes, upward(box), value) for box in ("atcp, uplink clamped", "no box")
        )
        return [100 * (clamped / plain - 1)]

    return measure


MEASURES: Final[dict[str, Measure]] = {
    "between-connect": each(between("atcp"), connected_s),
    "between-no-box": each(between("no box"), connected_s),
    "between-whole": each(between("atcp"), second_s),
    "uplink-connect": each(upward("atcp, uplink clamped"), connected_s),
    "uplink-first": slower(received_s),
    "uplink-both": slower(both_s),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate connecting, transfers and round-trip times."""
    tables = []
    for name, way in (("One mobile to another", between), ("From a mobile", upward)):
        rows = tuple(
            (
                box,
                short(mean(outcomes, way(box), received_s)),
                short(mean(outcomes, way(box), mean_rtt)),
                short(mean(outcomes, way(box), connected_s)),
                short(mean(outcomes, way(box), second_s)),
            )
            for box in BOXES
        )
        head = ("", f"{FIRST_KB} KB: s", "mean RTT s", "second connects in s",
                f"its {SECOND_KB} KB: s")  # fmt: skip
        tables.append(Table(f"{name}, mean of three seeds", head, rows))
    return tuple(tables)
