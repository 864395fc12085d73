"""``thinpipe proxy``: the proxy daemon, and what it tells of itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from thinpipe import _core
from thinpipe.cli.bad_request import BadRequestError

DONE: Final = 0
UNFIT: Final = 2
"""Exit status if a check finds what keeps a proxy from its work."""

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="What the proxy shall do.")
]

proxy = typer.Typer(
    invoke_without_command=True,
    rich_markup_mode=None,
    help="Be a proxy for TCP between mobiles and fixed hosts, until SIGTERM or Ctrl-C.",
)


@proxy.callback()
def serve(
    context: typer.Context,
    *,
    config: Config = None,
    check: Annotated[
        bool, typer.Option("--check", help="Look at FILE and at this machine; change nothing.")
    ] = False,
) -> None:
    """Be a proxy for TCP between mobiles and fixed hosts, until SIGTERM or Ctrl-C.

    SIGHUP has it read FILE again. The log goes to standard error, a JSON object a line. The exit
    status is 2 for a FILE or a machine that will not do.
    """
    if context.invoked_subcommand is not None:
        context.obj = config
        if check:
            raise BadRequestError(f"--check does not go with {context.invoked_subcommand}")
        return
    file = _given(config)
    if check:
        raise typer.Exit(_check(file))
    _core.proxy_serve(file)


@proxy.command()
def status(
    context: typer.Context,
    *,
    config: Config = None,
    mobiles: Annotated[bool, typer.Option("--mobiles", help="Show each mobile as well.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Ask the proxy that serves by FILE how it fares. The exit status is 2 if none answers."""
    answer = _core.proxy_status(_given(config or context.obj), mobiles=mobiles)
    if as_json:
        typer.echo(answer, nl=False)
        return
    from thinpipe.cli.terminal import console, show

    screen = console()
    lines, tables = _core.proxy_summary(answer)
    for line in lines:
        screen.print(line, highlight=False, markup=False, soft_wrap=True)
    for header, rows in tables:
        screen.print()
        show(screen, header, rows, text=frozenset(header[:1]))


def _given(config: Path | None) -> Path:
    if config is None:
        raise BadRequestError("--config FILE is missing; see `thinpipe proxy --help`")
    return config


def _check(file: Path) -> int:
    """Print what is found; the status tells whether a proxy would be of use."""
    findings = _core.proxy_check(file)
    for gravity, line in findings:
        sys.stdout.write(f"{gravity}: {line}\n")
    return UNFIT if any(gravity == "error" for gravity, _ in findings) else DONE
