"""What came of a paper, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.measure import Measurement

from thinpipe.cli.terminal import console, show, table
from thinpipe.papers.facts import DERIVED, Finding, Verdict
from thinpipe.papers.paper import Reproduction

if TYPE_CHECKING:
    from rich.console import Console

WRAPPED_WIDTH: Final = 24
"""Columns of text that a column keeps at least when it wraps."""


def print_reproduction(made: Reproduction) -> None:
    """Print the facts, their count and the tables of each item."""
    screen = console()
    print_facts(screen, made.findings)
    counts = ", ".join(f"{verdict.value} {made.count(verdict)}" for verdict in Verdict)
    screen.print(f"{made.paper.id}: {counts}", style="bold", highlight=False)
    screen.print(f"{DERIVED} not stated by the paper, but follows from it", highlight=False)
    for section in made.sections:
        for each in section.tables:
            screen.print(f"\n{each.caption}", style="bold", highlight=False)
            if not _printed(screen, each.head, each.rows, frozenset(each.head), each.head[0]):
                show(screen, each.head, each.rows, text=frozenset(each.head))


def print_facts(screen: Console, findings: Sequence[Finding]) -> None:
    """Print one row a fact, on a narrow screen without unit or range: no number is ever cut."""
    columns = ("fact", "verdict", "paper", "ours", "accepted", "least – greatest", "unit")
    rows = [
        (
            finding.fact.id,
            _colored(finding),
            finding.fact.paper(),
            finding.ours(),
            finding.fact.band(),
            finding.spread(),
            finding.fact.unit,
        )
        for finding in findings
    ]
    text = frozenset({"fact", "verdict", "unit"})
    for count in range(len(columns), len(columns) - 3, -1):
        shown = [row[:count] for row in rows]
        if _printed(screen, columns[:count], shown, text, wrapping="unit"):
            return
    show(screen, columns, rows, text=text)


def _printed(
    screen: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    text: frozenset[str],
    wrapping: str,
) -> bool:
    """Print a table in which one column may wrap, if the others then stay whole."""
    made = table(columns, rows, text=text)
    for place, column in enumerate(made.columns):
        cells = (columns[place], *(row[place] for row in rows))
        whole = max(screen.measure(cell).maximum for cell in cells)
        column.no_wrap = column.header != wrapping
        column.min_width = whole if column.no_wrap else min(whole, WRAPPED_WIDTH)
    anywhere = screen.options.update(width=sys.maxsize)
    if Measurement.get(screen, anywhere, made).minimum > screen.width:
        return False
    screen.print(made)
    return True


def _colored(finding: Finding) -> str:
    word = finding.verdict.value
    return {"holds": f"[green]{word}[/]", "differs": f"[bold red]{word}[/]"}.get(word, word)
