"""The results of a reproduced paper, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.text import Text

from thinpipe.cli.terminal import Cell, console, show, table, widths
from thinpipe.papers.facts import AFTER, BUSY, CHOSEN_AFTER, DERIVED, OWN, Finding, Verdict
from thinpipe.papers.paper import Reproduction
from thinpipe.report import counts

if TYPE_CHECKING:
    from rich.console import Console

MEANINGS: Final = {
    DERIVED: "not stated by the paper, but follows from it",
    OWN: "our own, not stated by the paper",
    AFTER: f"{CHOSEN_AFTER} a result had been seen",
}

LONGEST_LIST: Final = 13
"""Maximum length of a list in a cell: with two such cells a table fits 80 columns."""

WRONG: Final = "bold red"
"""The style of what should not be."""

WRAPPED_WIDTH: Final = 24
"""Minimum width of a column that wraps."""


def print_reproduction(made: Reproduction) -> None:
    """Print the facts and the tables of each item."""
    screen = console()
    print_facts(screen, made.findings)
    shown = "".join(each.fact.paper() + each.verdict_text() for each in made.findings)
    for mark, meaning in MEANINGS.items():
        if mark in shown:
            screen.print(f"{mark} {meaning}")
    _print_wrong(screen, made.findings)
    for section in made.sections:
        for each in section.tables:
            screen.print(f"\n{each.caption}", style="bold")
            if not _printed(screen, each.head, each.rows, frozenset(each.head), each.head[0]):
                show(screen, each.head, each.rows, text=frozenset(each.head))


def print_counts(made: Sequence[Reproduction]) -> None:
    """Print what could not be reproduced or judged, and the counts of all papers."""
    screen = console()
    for each in made:
        if each.missed:
            screen.print(f"\n{each.paper.id}, not reproduced:", style="bold")
            screen.print(each.missed)
        unjudged = [f.fact.id for f in each.findings if f.verdict is Verdict.NOT_JUDGED]
        if unjudged:
            screen.print(f"\n{each.paper.id}, {BUSY}:", style="bold")
            screen.print(", ".join(unjudged))
    screen.print(f"\nFacts: {counts.CELL}", style="bold")
    show(screen, counts.HEAD, counts.rows(made), text=frozenset({"paper"}))


def _print_wrong(screen: Console, findings: Sequence[Finding]) -> None:
    rows = [
        (
            finding.fact.id,
            finding.fact.wrong,
            finding.wrong.ours(),
            finding.fact.band(),
            Text("passes", WRONG) if finding.passes_wrong_model else "fails",
        )
        for finding in findings
        if finding.wrong is not None
    ]
    if rows:
        columns = ("fact", "wrong model", "it gives", "accepted", "and")
        show(screen, columns, rows, text=frozenset({"fact", "wrong model", "and"}))


def paper(finding: Finding) -> str:
    """Return the paper's number; for a long list its length."""
    text = finding.fact.paper()
    return f"{len(finding.fact.listed)} values" if _is_long(finding) else text


def ours(finding: Finding) -> str:
    """Return our number; for a long list how many values match."""
    if not _is_long(finding):
        return finding.ours()
    listed = finding.fact.listed
    same = sum(a == b for a, b in zip(listed, finding.values, strict=False))
    return f"{same} of {len(listed)}"


def _is_long(finding: Finding) -> bool:
    return bool(finding.fact.listed) and len(finding.fact.paper()) > LONGEST_LIST


def print_facts(screen: Console, findings: Sequence[Finding]) -> None:
    """Print one row per fact; a narrow screen drops unit and range rather than truncate numbers."""
    columns = ("fact", "verdict", "paper", "ours", "accepted", "min – max", "unit")
    rows = [
        (
            finding.fact.id,
            _colored(finding),
            paper(finding),
            ours(finding),
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
    rows: Sequence[Sequence[Cell]],
    text: frozenset[str],
    wrapping: str,
) -> bool:
    """Print a table in which one column may wrap, if the others then fit; return whether."""
    made = table(columns, rows, text=text)
    for place, column in enumerate(made.columns):
        cells = (columns[place], *(row[place] for row in rows))
        whole = max(screen.measure(cell).maximum for cell in cells)
        column.no_wrap = column.header != wrapping
        column.min_width = whole if column.no_wrap else min(whole, WRAPPED_WIDTH)
    if widths(screen, made).minimum > screen.width:
        return False
    screen.print(made)
    return True


def _colored(finding: Finding) -> Text:
    style = {"holds": "green", "differs": WRONG}.get(finding.verdict.value, "")
    return Text(finding.verdict_text(), style)
