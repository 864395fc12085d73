"""The matrix: every scheme against every criterion, the paper's tick beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.table1.criteria import ROWS
from thinpipe.papers.chakravorty2003.table1.schemes import (
    CRITERIA,
    SCHEMES,
    Scheme,
    paper_tick,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure

TICK: Final = {True: "✓", False: "×", None: ""}


@dataclass(frozen=True, slots=True)
class Cell:
    """A scheme and a criterion: what was measured, whether it earns a tick, and the paper's."""

    scheme: Scheme
    criterion: int
    value: float
    ours: bool
    paper: bool | None

    @property
    def agrees(self) -> bool | None:
        """Whether both ticks are alike; ``None`` where the paper has none."""
        return None if self.paper is None else self.ours == self.paper


def matrix(outcomes: Outcomes) -> list[list[Cell]]:
    """Measure every scheme, one list per scheme."""
    return [[_cell(outcomes, scheme, row) for row in range(len(ROWS))] for scheme in SCHEMES]


def _cell(outcomes: Outcomes, scheme: Scheme, row: int) -> Cell:
    value = ROWS[row].value(outcomes, scheme)
    return Cell(scheme, row, value, ROWS[row].ticked(value), paper_tick(scheme, row))


_HIDDEN: Final = "this radio loses nothing in so short a stall, and the queue of 64 KB hides it"
_PLAIN: Final = "so has plain TCP here: it loses less than 3 s beyond the outage"

WHY: Final[dict[tuple[str, str], str]] = {
    ("Snoop", "stall of 5 s"): _HIDDEN,
    ("Snoop", "outage of 30 s"): _PLAIN,
    ("M-TCP", "end-to-end semantics"): "the text says that it preserves them better than I-TCP, "
    "with which it shares a column: it acknowledges what the mobile has acknowledged",
    ("Freeze-TCP", "stall of 5 s"): _HIDDEN,
    ("FDA-like", "fair to all flows"): "a short queue is what the later flow needs",
    ("FDA-like", "block errors"): "the radio repairs its blocks, and only delays are left",
    ("WTCP", "faster start"): "a packet pair, spread by the radio, starts it too slowly",
    ("WTCP", "block errors"): "presumably it takes the radio's jitter for congestion",
    ("WTCP", "stall of 5 s"): "presumably it takes the stall for congestion",
    ("WTCP", "outage of 30 s"): "it sends at its former rate as soon as a probe comes through",
    ("W-TCP", "fair to all flows"): "each connection has the same fixed window on the radio",
    ("Westwood+", "no excess queue"): "without a loss it fills the window as Reno does",
    ("Westwood+", "outage of 30 s"): _PLAIN,
}
"""Why ours and the paper's tick differ, by scheme and criterion."""


def disagreements(cells: list[list[Cell]]) -> list[Cell]:
    """Return the cells in which the paper's tick differs from ours."""
    return [cell for row in cells for cell in row if cell.agrees is False]


def agreeing(outcomes: Outcomes) -> list[float]:
    """Return the share of the paper's ticks and crosses that ours confirm, in per cent."""
    known = [cell.agrees for row in matrix(outcomes) for cell in row if cell.agrees is not None]
    return [100 * sum(known) / len(known)]


def ours_ticked(outcomes: Outcomes) -> list[float]:
    """Return the ticks and crosses that the paper's own scheme earns, as 1 and 0."""
    row = next(row for row in matrix(outcomes) if row[0].scheme.column == "Our approach")
    return [float(cell.ours) for cell in row]


def named(outcomes: Outcomes) -> list[float]:
    """Count the disagreements for which no reason is given, and reasons without one."""
    found = {
        (cell.scheme.name, CRITERIA[cell.criterion]) for cell in disagreements(matrix(outcomes))
    }
    return [float(len(found ^ WHY.keys()))]


MEASURES: Final[dict[str, Measure]] = {
    "p11-agrees": agreeing,
    "p11-atcp": ours_ticked,
    "p11-named": named,
}


def tables(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate values and ticks, and the reasons of differences."""
    cells = matrix(outcomes)
    head = ("", *(f"{row.name}: {row.metric}" for row in ROWS))
    rows = [("a tick is", *(row.threshold() for row in ROWS))]
    rows += [(row[0].scheme.name, *(_text(cell) for cell in row)) for row in cells]
    other = tuple(
        (
            cell.scheme.name,
            CRITERIA[cell.criterion],
            TICK[cell.paper],
            _text(cell).split(" |")[0],
            WHY.get((cell.scheme.name, CRITERIA[cell.criterion]), "–"),
        )
        for cell in disagreements(cells)
    )
    return (
        Table("Table I, measured: value and our tick | the paper's tick", head, tuple(rows)),
        Table(
            "Where the paper says otherwise",
            ("scheme", "criterion", "paper", "ours", "why"),
            other,
        ),
    )


def _text(cell: Cell) -> str:
    ours = f"{short(cell.value)} {TICK[cell.ours]}"
    return ours if cell.paper is None else f"{ours} | {TICK[cell.paper]}"
