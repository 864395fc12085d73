"""Measure eight named pipes, and print what is expected and measured as a table of Markdown.

It takes two minutes.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
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

SIDE_BY_SIDE: Final = 2
"""Pipes that are measured at once: programs at their ends need processors, too."""


def main() -> None:
    """Measure, then print."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        found = dict(zip(PIPES, pool.map(_figures, PIPES), strict=True))
    names = [figure.what for figure in found[PIPES[0]]]
    lines = [["figure", *PIPES], ["---"] * (1 + len(PIPES))]
    for row, name in enumerate(names):
        each = (figures[row] for figures in found.values())
        # The objects of a page are as large as the rate allows.
        lines.append([name.partition(" of 10")[0], *map(_cell, each)])
    sys.stdout.write("".join(f"| {' | '.join(line)} |\n" for line in lines))


def _figures(name: str) -> list[Figure]:
    with tp.emulate(name) as net:
        return [*net.verify()]


def _cell(figure: Figure) -> str:
    expected, measured = (
        "–" if value is None else short(value) for value in (figure.expected, figure.measured)
    )
    return f"{expected}; {measured} {figure.unit}"


if __name__ == "__main__":
    main()
