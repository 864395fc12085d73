"""``thinpipe emulate NETWORK --verify``: what is set beside what programs measure."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

import typer

from thinpipe.cli.bad_request import BadRequestError
from thinpipe.files import write_atomically
from thinpipe.point import Point
from thinpipe.report.numbers import short

WIDTHS: Final = (34, 12, 12)
"""Columns of the name, of what is expected and of what is measured."""

NOTE: Final = (
    "expected: rates, delays and losses as set; TCP and the page as the simulator has them of the "
    "same network"
)


def verify(point: Point, options: dict[str, bool], record: Path | None, mtu: int) -> None:
    """Measure a link, a line for each figure as it is known.

    Raises
    ------
    BadRequestError
        If an option is given that needs a program of the user's, or the link cannot be emulated.
    """
    if given := [option for option, is_given in options.items() if is_given]:
        raise BadRequestError(f"--verify runs programs of its own: leave out {given[0]}")
    from thinpipe._core import EmulationError
    from thinpipe.emulation import emulate

    found = []
    try:
        with emulate(point.scenario, dict(point.settings), mtu=mtu) as net:
            typer.echo(_line("", "expected", "measured", ""))
            for figure in net.verify():
                found.append(figure)
                expected, measured = (
                    "–" if value is None else short(value)
                    for value in (figure.expected, figure.measured)
                )
                typer.echo(_line(figure.what, expected, measured, figure.unit))
    except EmulationError as error:
        raise BadRequestError(str(error)) from None
    typer.echo(NOTE, err=True)
    if record is not None:
        text = json.dumps([asdict(figure) for figure in found], indent=2)
        write_atomically(record, f"{text}\n".encode())


def _line(what: str, expected: str, measured: str, unit: str) -> str:
    name, wide, other = WIDTHS
    return f"{what:<{name}}{expected:>{wide}}{measured:>{other}}  {unit}".rstrip()
