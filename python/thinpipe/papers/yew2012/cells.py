"""The measured cells of Tables II to IV as facts: 22 rows of delay, throughput and efficiency.

The paper's rows are single runs; ours are medians over seeds, and agree within a tenth ("one run").
Efficiencies all lie above 99 %, so their complement is judged: packets lost. Why a cell differs is
said by where the paper's number lies among our runs, those begun at home and those begun later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from thinpipe.papers.yew2012.measuring import delay_ms, efficiency, kbps, of
from thinpipe.papers.yew2012.printed import BY_RTT, PACKET, SPACED, STANDARD, Row
from thinpipe.papers.yew2012.setup import ALWAYS, NS2_CAP, OFF, Plan, begins_at_home

if TYPE_CHECKING:
    from decimal import Decimal

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.setup import Points


class Place(Enum):
    """Where a number of the paper lies among ours."""

    BELOW = "below all"
    HOME = "among those begun at home"
    BETWEEN = "above those, below those begun later"
    LATER = "among those begun later"
    ABOVE = "above all"


DELAY_WHY: Final = {
    Place.BETWEEN: "Seven of our ten transfers begin at home, where packets take 5 ms; their means "
    "count these and all lie below the paper's. The three that begin after the move have no such "
    "packets and larger windows, and all lie above it.",
    Place.LATER: "The paper's lies among our three that begin after the move; the median is that "
    "of the seven that begin at home, where packets take 5 ms, which their means count.",
    Place.ABOVE: "The paper's lies 3 % above the three of ours that begin after the move; the "
    "median is that of the seven that begin at home, where packets take 5 ms, which their means "
    "count.",
}
KBPS_WHY: Final = {
    Place.BELOW: "The paper's lies a little below all ten of ours: the seven that begin at home "
    "have up to twice as much, the three that begin after the move five times as much. When the "
    "paper's run began it does not say.",
    Place.HOME: "The paper's lies among our seven that begin at home; the three that begin after "
    "the move have eight times the paper's or more, and raise the median. When the paper's run "
    "began it does not say.",
    Place.BETWEEN: "The paper's lies above our seven that begin at home, in the lower band, and "
    "below the three that begin after the move, in the upper. When its run began it does not say.",
    Place.ABOVE: "The paper's is in the upper band. So are our three that begin after the move, at "
    "760 to 768 kbit/s; the seven that begin at home are in the lower one, and the median is "
    "theirs. When the paper's run began it does not say.",
}
LOST_WHY: Final = {
    True: "Ours lose {ours} a run: upon leaving home, on the radio, or for being under way at "
    "its end. What efficiency is, and where packets were lost, the paper does not say.",
    False: "Ours lose 8 to 21 a run, but most of them begin at home, are in the lower band, and "
    "send less than a fifth as many packets. What efficiency is the paper does not say.",
}
"""By whether the paper's run was in our median's band."""

CHANCE: Final = "No more of the 66 cells agree, four of them, than chance would give."


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the tables: printed values and measure."""

    name: str
    unit: str
    says: Callable[[Row], str]
    printed: Callable[[Row], Decimal]
    measured: Callable[[Outcome], float]


DELAY: Final = Column(
    "delay",
    "ms, mean one-way delay of a run's packets that arrived",
    lambda row: f"network delay {row.delay_ms} ms",
    lambda row: row.delay_ms,
    delay_ms,
)
KBPS: Final = Column(
    "throughput",
    "kbit/s, payload that arrived over the whole run",
    lambda row: f"network throughput {row.kbps} kbit/s",
    lambda row: row.kbps,
    kbps,
)
LOST: Final = Column(
    "lost",
    "% of packets sent that did not arrive",
    lambda row: f"network efficiency {row.efficiency} %",
    lambda row: 100 - row.efficiency,
    lambda run: 100 - efficiency(run),
)
COLUMNS: Final = (DELAY, KBPS, LOST)


@dataclass(frozen=True, slots=True)
class Printed:
    """One of the tables: its rows by packet size or round-trip time, and the runs behind them."""

    name: str
    item: str
    rows: Mapping[int, Row]
    unit: str
    what: str
    lasts_s: int
    runs: Callable[[Plan, int], Points]


II: Final = Printed(
    "II", "table-2-3", STANDARD, "B", "Standard Vegas", 100,
    lambda plan, size: plan.tables_2_3[size, OFF],
)  # fmt: skip
III: Final = Printed(
    "III", "table-2-3", SPACED, "B", "Packet spacing", 100,
    lambda plan, size: plan.tables_2_3[size, ALWAYS],
)  # fmt: skip
IV: Final = Printed(
    "IV", "table-4", BY_RTT, "ms", "Packet spacing, RTT", 500,
    lambda plan, rtt: plan.table_4[rtt, ALWAYS],
)  # fmt: skip
TABLES: Final = (II, III, IV)

MET: Final = frozenset(
    ("table-III-64-throughput", "table-III-1024-throughput", "table-IV-120-lost",
     "table-IV-150-lost")
)  # fmt: skip
"""The cells that ours come near to."""


def expected(table: Printed, key: int, column: Column) -> Place:
    """Return where the paper's delay or throughput lies among ours; the tests see to it."""
    if column is DELAY:
        if table is IV and key >= 100:  # noqa: PLR2004 - ms
            return {100: Place.ABOVE, 120: Place.BETWEEN}.get(key, Place.LATER)
        return Place.BETWEEN
    if table.rows[key].is_upper:
        return Place.ABOVE
    if table is not IV and key < PACKET:
        return Place.HOME
    if key > PACKET:
        return Place.BELOW if table is II else Place.HOME
    return Place.BETWEEN


def found(table: Printed, key: int, column: Column, plan: Plan, outcomes: Outcomes) -> Place | None:
    """Return where it does lie; ``None`` in any other place."""
    runs = table.runs(plan, key)
    home, later = (
        of(outcomes, [it for it in runs if begins_at_home(it) is at_home], column.measured)
        for at_home in (True, False)
    )
    value = float(column.printed(table.rows[key]))
    places = {
        Place.BELOW: value < min(home),
        Place.HOME: min(home) <= value <= max(home),
        Place.BETWEEN: max(home) < value < min(later),
        Place.LATER: min(later) <= value <= max(later),
        Place.ABOVE: value > max(later),
    }
    return next((place for place, here in places.items() if here), None)


def entries() -> Iterator[dict[str, Any]]:
    """Yield the facts as a facts file would have them."""
    for table, key, column in cells():
        name, row = _name(table, key, column), table.rows[key]
        yield {
            "id": name,
            "item": table.item,
            "says": f"{table.what} {key} {table.unit}: {column.says(row)}.",
            "where": f"Table {table.name}",
            "value": float(column.printed(row)),
            **({"basis": "derived", "derived": _DERIVED} if column is LOST else {}),
            "unit": f"{column.unit}, median over seeds",
            "word": "one run",
            **(
                {"wrong": "base RTT learnt anew", "note": CHANCE}
                if name in MET
                else {"differs": _why(table, key, column)}
            ),
        }


_DERIVED: Final = (
    "100 less the printed efficiency. That it is packets that arrived over packets sent is our "
    "reading: the paper does not define it, and at 18 kbit/s 99 % cannot be the use of a link."
)


def _why(table: Printed, key: int, column: Column) -> str:
    if column is LOST:
        sent, lost = _lost(table, key)
        first = f"By its throughput the paper's run lost some {lost} of {sent} packets."
        why = LOST_WHY[not table.rows[key].is_upper]
        return f"{first} {why.format(ours='8 to 14' if table is IV else '8 to 36')}"
    return {DELAY: DELAY_WHY, KBPS: KBPS_WHY}[column][expected(table, key, column)]


def _lost(table: Printed, key: int) -> tuple[int, int]:
    """Return how many packets the paper's run sent and lost, by its throughput and efficiency."""
    row = table.rows[key]
    size = PACKET if table is IV else key
    size = size // 2 if size > NS2_CAP else size
    arrived = 1000 * row.kbps * table.lasts_s / (8 * size)
    sent = 100 * arrived / row.efficiency
    return round(sent), round(sent - arrived)


def measures(plan: Plan) -> dict[str, Callable[[Outcomes], Sequence[float]]]:
    """Return the measures by fact id."""
    return {
        _name(table, key, column): partial(_median, table.runs(plan, key), column)
        for table, key, column in cells()
    }


def cells() -> Iterator[tuple[Printed, int, Column]]:
    """Go through all cells."""
    for table in TABLES:
        for key in table.rows:
            for column in COLUMNS:
                yield table, key, column


def _name(table: Printed, key: int, column: Column) -> str:
    return f"table-{table.name}-{key}-{column.name}"


def _median(points: Points, column: Column, outcomes: Outcomes) -> list[float]:
    return [median(of(outcomes, points, column.measured))]
