"""The measured cells of Tables II to IV as facts: 22 rows of delay, throughput and efficiency.

The paper's rows are single runs in one of two bands. Ours are medians over seeds that begin as
the band asks for: after the move for the upper one; at home, in what ns-2 has by default, for the
lower one. They agree within a tenth ("one run"). Efficiencies all lie above 99 %, so their
complement is judged: packets lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from thinpipe.papers.yew2012.arithmetic import segments
from thinpipe.papers.yew2012.measuring import delay_ms, efficiency, kbps, of
from thinpipe.papers.yew2012.printed import BY_RTT, PACKET, SPACED, STANDARD, TABLE_RTT, Row
from thinpipe.papers.yew2012.setup import ALWAYS, NS2_CAP, OFF, Plan

if TYPE_CHECKING:
    from decimal import Decimal

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.setup import Points

OTHER_WINDOW: Final = (
    "By its own delay and throughput the paper's run held {held} segments, not four: why, it does "
    "not say."
)
BY_START: Final = (
    "Ours go from {lowest} to {highest} by their start, from 5 to 0 s; the paper does not say when "
    "its own began."
)
LOST_WHY: Final = {
    True: "Ours lose none: what does not arrive is under way at the end, a third of that share at "
    "most. What efficiency is, the paper does not say.",
    False: "Of the fourteen runs in this band eleven lose 28 to 32{this}, whatever size, RTT and "
    "duration. Ours lose none, and what is under way at the end "
    "is an eighth of that share at most. What efficiency is, the paper does not say.",
}
"""By whether the paper's run is in the upper band."""

USUAL: Final = range(28, 33)
"""Packets that most of the paper's runs in the lower band lose."""

OUR_STARTS: Final = (
    "When a transfer begins decides how much of it is at home, and moves this number (table); the "
    "paper does not say it, and from 0 to 5 s is our choice."
)
"""Of Tables II and III, whose runs last 100 s."""

WHY: Final[Mapping[str, str]] = {
    "table-II-64-throughput": BY_START.format(lowest="14.3", highest="18.8 kbit/s"),
    "table-II-256-delay": "The paper's is more than its own with spacing, 57.7 ms, and than that "
    "of 512 B beside it. " + BY_START.format(lowest="59", highest="51 ms"),
    "table-II-256-throughput": BY_START.format(lowest="53", highest="67 kbit/s"),
    "table-III-64-delay": BY_START.format(lowest="54", highest="44 ms"),
    "table-III-256-throughput": BY_START.format(lowest="54", highest="67 kbit/s"),
    "table-IV-60-throughput": "Two tunnels of IPv6 make 652 B of 512, which are 785 kbit/s at "
    "1 Mbit/s while the transfer runs; the paper's needs packets of 604 B at most (own-cap). With "
    "one tunnel ours agree (upper-single).",
}
"""Why a delay or throughput differs, but for those whose window is another than four segments."""

OTHER: Final = frozenset(
    ("table-II-512-throughput", "table-II-1024-throughput", "table-III-64-throughput",
     "table-III-512-delay", "table-III-512-throughput")
)  # fmt: skip
"""Delays and throughputs that differ as their window is another."""


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
    """One of the tables: its rows by packet size or round-trip time, and the runs of their band."""

    name: str
    rows: Mapping[int, Row]
    unit: str
    what: str
    lasts_s: int
    runs: Callable[[Plan, int], Points]


II: Final = Printed(
    "II", STANDARD, "B", "Standard Vegas", 100, lambda plan, size: plan.sized_in_band(size, OFF)
)
III: Final = Printed(
    "III", SPACED, "B", "Packet spacing", 100, lambda plan, size: plan.sized_in_band(size, ALWAYS)
)
IV: Final = Printed("IV", BY_RTT, "ms", "Packet spacing, RTT", 500, Plan.in_band)
TABLES: Final = (II, III, IV)

ITEM: Final = "by-band"


def held(table: Printed, key: int) -> Decimal:
    """Return the segments that the paper's run held, by its own delay and throughput."""
    row = table.rows[key]
    return segments(row, key) if table is IV else segments(row, TABLE_RTT, key)


def entries() -> Iterator[dict[str, Any]]:
    """Yield the facts as a facts file would have them."""
    for table, key, column in cells():
        name, row = name_of(table, key, column), table.rows[key]
        why = _why(table, key, column)
        yield {
            "id": name,
            "item": ITEM,
            "says": f"{table.what} {key} {table.unit}: {column.says(row)}.",
            "where": f"Table {table.name}",
            "value": float(column.printed(row)),
            **({"basis": "derived", "derived": _DERIVED} if column is LOST else {}),
            "unit": f"{column.unit}, median over seeds of its band",
            "word": "one run",
            "chosen_after": True,
            **({"differs": why} if why else _held(table, row)),
        }


def _held(table: Printed, row: Row) -> dict[str, str]:
    """Return what stands beside a cell that agrees."""
    noted = {} if table is IV else {"note": OUR_STARTS}
    return {"wrong": WRONG[row.is_upper], **noted}


WRONG: Final = {True: "Reno", False: "base RTT learnt anew"}
"""By whether the row is in the upper band: begun later as well; and the other band."""

_DERIVED: Final = (
    "100 less the printed efficiency. That it is packets that arrived over packets sent is our "
    "reading: the paper does not define it, and at 18 kbit/s 99 % cannot be the use of a link."
)


def _why(table: Printed, key: int, column: Column) -> str:
    """Say why a cell differs; nothing if it agrees."""
    row, name = table.rows[key], name_of(table, key, column)
    if column is LOST:
        sent, lost = printed_losses(table, key)
        first = f"By its throughput the paper's run lost some {lost} of {sent} packets."
        this = "" if lost in USUAL else ", this one not"
        return f"{first} {LOST_WHY[row.is_upper].format(this=this)}"
    if name in OTHER:
        return OTHER_WINDOW.format(held=f"{held(table, key):.1f}")
    return WHY.get(name, "")


def printed_losses(table: Printed, key: int) -> tuple[int, int]:
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
        name_of(table, key, column): partial(_median, table.runs(plan, key), column)
        for table, key, column in cells()
    }


def cells() -> Iterator[tuple[Printed, int, Column]]:
    """Go through all cells."""
    for table in TABLES:
        for key in table.rows:
            for column in COLUMNS:
                yield table, key, column


def name_of(table: Printed, key: int, column: Column) -> str:
    """Return the id of a cell's fact."""
    return f"table-{table.name}-{key}-{column.name}"


def _median(points: Points, column: Column, outcomes: Outcomes) -> list[float]:
    return [median(of(outcomes, points, column.measured))]
