"""Measure eight named pipes side by side, and write the table of docs/pipes.md.

``--write`` changes the page; without it the table is printed. It takes three minutes.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

import thinpipe as tp
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.verification import Figure

PIPES: Final = (
    "webpagetest:3g",
    "chrome:slow-4g",
    "lighthouse:mobile-slow-4g",
    "firefox:good-3g",
    "atc:edge-lossy",
    "apple:very-bad-network",
    "sitespeed:4g",
    "browserstack:umts-lossy",
)

PAGE: Final = Path(__file__).parents[1] / "docs" / "pipes.md"

BEGIN, END = "| pipe | ", "\n\n"


def main() -> None:
    """Measure, then print or write."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        measured = dict(zip(PIPES, pool.map(_figures, PIPES), strict=True))
    table = "\n".join(_table(measured))
    if "--write" not in sys.argv[1:]:
        sys.stdout.write(f"{table}\n")
        return
    text = PAGE.read_text(encoding="utf-8")
    start = text.index(BEGIN)
    PAGE.write_text(text[:start] + table + text[text.index(END, start) :], encoding="utf-8")


SIDE_BY_SIDE: Final = 2
"""Pipes that are measured at once: programs at their ends need processors, too."""


def _figures(name: str) -> list[Figure]:
    with tp.emulate(name) as net:
        return [*net.verify()]


def _table(measured: dict[str, list[Figure]]) -> list[str]:
    heads = [
        f"{figure.what.partition(' of 10')[0]}, {figure.unit}" for figure in measured[PIPES[0]]
    ]
    lines = [f"{BEGIN}{' | '.join(heads)} |", "|---|" + "---|" * len(heads)]
    for name, figures in measured.items():
        cells = (f"{_cell(each.expected)}; {_cell(each.measured)}" for each in figures)
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return lines


def _cell(value: float | None) -> str:
    return "–" if value is None else short(value)


if __name__ == "__main__":
    main()
