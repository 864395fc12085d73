"""Tables for a terminal, and for a pipe without colours or truncated cells."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

PIPE_WIDTH = 160
"""Width without a terminal."""


def console(stream: TextIO | None = None) -> Console:
    """Return a console on a stream, by default standard output."""
    file = stream or sys.stdout
    return Console(file=file, width=None if file.isatty() else PIPE_WIDTH)


def show(
    screen: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    text: frozenset[str] = frozenset(),
) -> None:
    """Print a table; if it is wider than the screen, one list per row."""
    whole = table(columns, rows, text=text)
    wide = screen.options.update(width=sys.maxsize)
    if Measurement.get(screen, wide, whole).maximum <= screen.width:
        screen.print(whole)
        return
    width = max(len(column) for column in columns)
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            screen.print(f"[bold]{column:<{width}}[/]  {cell}", highlight=False, soft_wrap=True)
        screen.print()


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, text: frozenset[str] = frozenset()
) -> Table:
    """Return a table; all columns but those of `text` are right-aligned."""
    result = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        result.add_column(column, justify="left" if column in text else "right")
    for row in rows:
        result.add_row(*row)
    return result
