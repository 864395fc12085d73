"""Arguments that several commands have, and what a shell completes them to."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Final

import typer

from thinpipe.arguments import MOST_SNAP
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.scenario import keys, named
from thinpipe.sweep.measures import measures


def complete_scenario(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the scenarios and pipes that begin with a text, each with its description."""
    for name, each in named().items():
        if name.startswith(incomplete):
            yield name, each.description


def complete_key(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the keys that begin with a text, each with the first sentence about it."""
    for key in keys():
        if key.name.startswith(incomplete):
            yield key.name, key.summary


def complete_measure(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the measures of a run that begin with a text, each with its meaning."""
    for each in measures():
        if each.name.startswith(incomplete):
            yield each.name, each.meaning


def complete_setting(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield settings that begin with a text: ``KEY=``, then the words that the key takes.

    If one key is left, these are its settings: behind a single answer a shell writes a space.
    """
    name, equals, start = incomplete.partition("=")
    found = [key for key in keys() if (key.name == name if equals else key.name.startswith(name))]
    if equals or len(found) == 1:
        words = [word for key in found for word in key.words if " " not in word]
        settings = [f"{found[0].name}={word}" for word in words if word.startswith(start)]
        yield from ((setting, "") for setting in settings)
        if equals or settings:
            return
    yield from ((f"{key.name}=", key.summary) for key in found)


SCENARIO: Final = typer.Argument(
    metavar="SCENARIO",
    help="A scenario that ships, or a file.",
    autocompletion=complete_scenario,
)

SETTINGS: Final = typer.Option(
    "--set",
    metavar="KEY=VALUE",
    help="Change a key of the scenario.",
    autocompletion=complete_setting,
)


def whole(option: str, least: int = 0, most: int | None = None) -> Callable[[str | int], int]:
    """Return a parser of an option's whole number, which raises `BadRequestError`."""
    end = "" if most is None else f" to {most}"

    def parse(text: str | int) -> int:
        found = int(text) if re.fullmatch(r"-?\d+", str(text), re.ASCII) else None
        if found is None or found < least or (most is not None and found > most):
            raise BadRequestError(f"{option} {text}: must be a whole number from {least}{end}")
        return found

    return parse


Snap = Annotated[
    int | None,
    typer.Option(
        "--snap",
        metavar="BYTES",
        parser=whole("--snap", 1, MOST_SNAP),
        help="Keep so many bytes of each packet in captures at most; 128 hold the headers.",
    ),
]

AS_JSON: Final = typer.Option("--json", help="Print the list as JSON.")


def paragraph(text: str) -> str:
    """Return a text as indented lines."""
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    ")


def print_json(rows: Sequence[Mapping[str, object]]) -> None:
    """Print a list as JSON."""
    typer.echo(json.dumps(rows, indent=1, ensure_ascii=False))
