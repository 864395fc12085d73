"""The measured cells of Tables II to IV as facts: 22 rows of delay, throughput and efficiency.

The paper's rows are single runs; ours are medians over seeds, and agree within a tenth ("one run").
Efficiencies all lie above 99 %, so their complement is judged: packets lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from thinpipe.papers.yew2012.measuring import delay_ms, efficiency, kbps, of
from thinpipe.papers.yew2012.printed import BY_RTT, SPACED, STANDARD, Row
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, Plan

if TYPE_CHECKING:
    from decimal import Decimal

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.setup import Points


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the tables: what is printed, how it is measured, and why ours is another."""

    name: str
    unit: str
    says: Callable[[Row], str]
    printed: Callable[[Row], Decimal]
    measured: Callable[[Outcome], float]
    why: str


COLUMNS: Final = (
    Column(
        "delay",
        "ms",
        lambda row: f"A delay of {row.delay_ms} ms",
        lambda row: row.delay_ms,
        delay_ms,
        "Most of our transfers begin at home, where packets take 5 ms, and the mean counts them.",
    ),
    Column(
        "throughput",
        "kbit/s",
        lambda row: f"A throughput of {row.kbps} kbit/s",
        lambda row: row.kbps,
        kbps,
        "A transfer is in the lower band if it began at home and in the upper if after the move; "
        "the paper does not say when its runs began. At most round-trip times its value is above "
        "all of ours in its band, and no cause for that is known.",
    ),
    Column(
        "lost",
        "% of packets",
        lambda row: f"An efficiency of {row.efficiency} %",
        lambda row: 100 - row.efficiency,
        lambda run: 100 - efficiency(run),
        "What is lost is lost in handovers, of which the paper does not say enough.",
    ),
)


@dataclass(frozen=True, slots=True)
class Printed:
    """One of the tables: its rows by packet size or round-trip time, and the runs behind them."""

    name: str
    item: str
    rows: Mapping[int, Row]
    unit: str
    runs: Callable[[Plan, int], Points]


TABLES: Final = (
    Printed("II", "table-2-3", STANDARD, "B", lambda plan, size: plan.tables_2_3[size, OFF]),
    Printed("III", "table-2-3", SPACED, "B", lambda plan, size: plan.tables_2_3[size, ALWAYS]),
    Printed("IV", "table-4", BY_RTT, "ms", lambda plan, rtt: plan.table_4[rtt, ALWAYS]),
)

MET: Final = frozenset(
    ("table-III-64-throughput", "table-III-1024-throughput", "table-IV-120-lost",
     "table-IV-150-lost")
)  # fmt: skip
"""The cells that ours come near to."""


def entries() -> Iterator[dict[str, Any]]:
    """Yield the facts as a facts file would have them."""
    for table, key, column in _cells():
        name = _name(table, key, column)
        value = column.printed(table.rows[key])
        derived = "100 less the printed efficiency." if column.name == "lost" else ""
        yield {
            "id": name,
            "item": table.item,
            "says": f"{column.says(table.rows[key])} at {key} {table.unit}.",
            "where": f"Table {table.name}",
            "value": float(value),
            **({"basis": "derived", "derived": derived} if derived else {}),
            "unit": f"{column.unit}, median over seeds",
            "word": "one run",
            **({"wrong": "a mobile at rest"} if name in MET else {"differs": column.why}),
        }


def measures(plan: Plan) -> dict[str, Callable[[Outcomes], Sequence[float]]]:
    """Return what is measured for each."""
    return {
        _name(table, key, column): partial(_median, table.runs(plan, key), column)
        for table, key, column in _cells()
    }


def _cells() -> Iterator[tuple[Printed, int, Column]]:
    for table in TABLES:
        for key in table.rows:
            for column in COLUMNS:
                yield table, key, column


def _name(table: Printed, key: int, column: Column) -> str:
    return f"table-{table.name}-{key}-{column.name}"


def _median(points: Points, column: Column, outcomes: Outcomes) -> list[float]:
    return [median(of(outcomes, points, column.measured))]
