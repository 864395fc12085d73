"""The program: its commands, and what it says and returns when something is wrong."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from thinpipe._core import ScenarioError
from thinpipe.cli.listing import profiles, scenarios
from thinpipe.cli.reproduce import reproduce
from thinpipe.cli.run import run

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="TCP over long thin radio pipes: simulate it, draw it, reproduce published papers.",
)
app.command()(run)
app.command()(reproduce)
app.command()(scenarios)
app.command()(profiles)

BAD_INPUT = 2
"""Exit status if what was asked cannot be done."""


def main() -> None:
    """Run the program. Bad input is one line on standard error and exit status 2."""
    try:
        app()
    except ScenarioError as error:
        _refuse(str(error))
    except OSError as error:
        _refuse(": ".join(str(part) for part in (error.filename, error.strerror) if part))


def _print_version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if asked:
        import thinpipe

        typer.echo(f"thinpipe {thinpipe.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and leave.",
            is_eager=True,
            callback=_print_version,
        ),
    ] = False,
) -> None:
    """Options before a command."""


def _refuse(reason: str) -> None:
    sys.stderr.write(f"thinpipe: {reason}\n")
    sys.exit(BAD_INPUT)
