"""Tables for a terminal, and for a pipe without colours or truncated cells."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Final, TextIO

from rich.console import Console, JustifyMethod
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

Cell = str | Text
"""The text of a cell, as it is, or in a style."""

PIPE_WIDTH: Final = 160
"""Width of text without a terminal."""


def console(stream: TextIO | None = None) -> Console:
    """Return a console on a stream, by default standard output, which shows text as it is."""
    file = stream or sys.stdout
    width = None if file.isatty() else PIPE_WIDTH
    return Console(file=file, width=width, markup=False, highlight=False)


def show(
    screen: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    text: frozenset[str] = frozenset(),
) -> None:
    """Print a table; if it is too wide, with folded headers; if still too wide, a list per row.

    Without a terminal it is whole, however wide.
    """
    for heads in (columns, _folded(screen, columns, rows)):
        made = table(columns, rows, text=text, heads=heads)
        needed = widths(screen, made).maximum
        if needed <= screen.width or not screen.is_terminal:
            screen.width = max(screen.width, needed)
            screen.print(made)
            return
    width = max(len(column) for column in columns)
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            screen.print(Text.assemble((f"{column:<{width}}", "bold"), "  ", cell), soft_wrap=True)
        screen.print()


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    text: frozenset[str] = frozenset(),
    heads: Sequence[str] | None = None,
) -> Table:
    """Return a table with its columns' headers, or others; only columns of `text` align left."""
    result = Table(box=None, header_style="bold", pad_edge=False)
    for column, head in zip(columns, heads or columns, strict=True):
        justify: JustifyMethod = "left" if column in text else "right"
        result.add_column(head, justify=justify, vertical="bottom" if heads else "top")
    for row in rows:
        result.add_row(*row)
    return result


def widths(screen: Console, made: Table) -> Measurement:
    """Return how narrow and how wide a table can be."""
    return Measurement.get(screen, screen.options.update(width=sys.maxsize), made)


def _folded(screen: Console, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the headers in lines as wide as the cells or a word."""
    heads = []
    for place, column in enumerate(columns):
        cells = [screen.measure(row[place]).maximum for row in rows]
        width = max([*cells, *map(len, column.split()), 1])
        heads.append(textwrap.fill(column, width, break_long_words=False, break_on_hyphens=False))
    return heads
