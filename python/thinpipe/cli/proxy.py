"""``thinpipe proxy``: the proxy daemon and its status."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from thinpipe import _core
from thinpipe.cli import pages
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.command import Command, Group
from thinpipe.signals import signals_deferred

DONE: Final = 0
UNFIT: Final = 2
"""Exit status if a check finds an error."""

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="The proxy's configuration.")
]

proxy = typer.Typer(
    cls=Group,
    invoke_without_command=True,
    rich_markup_mode=None,
    help="Run the TCP proxy between mobiles and fixed hosts, until SIGTERM or Ctrl-C.",
)


@proxy.callback()
def serve(
    context: typer.Context,
    *,
    config: Config = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check FILE and this machine; change nothing.")
    ] = False,
) -> None:
    """Run the TCP proxy between mobiles and fixed hosts, until SIGTERM or Ctrl-C.

    SIGHUP reloads FILE. The log goes to standard error, one JSON object per line. The exit status
    is 2 if FILE is invalid or the machine is not suitable.
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


@proxy.command(cls=Command)
def status(
    context: typer.Context,
    *,
    config: Config = None,
    mobiles: Annotated[bool, typer.Option("--mobiles", help="Show each mobile as well.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show the status of FILE's proxy. The exit status is 2 if it does not answer."""
    answer = _core.proxy_status(_given(config or context.obj), mobiles=mobiles)
    if as_json:
        typer.echo(answer, nl=False)
        return
    from thinpipe.cli.terminal import console, show

    screen = console()
    lines, tables = _core.proxy_summary(answer)
    for line in lines:
        screen.print(line, soft_wrap=True)
    for header, rows in tables:
        screen.print()
        show(screen, header, rows, text=frozenset(header[:1]))


@proxy.command(cls=Command)
def lab(
    context: typer.Context,
    *,
    config: Config = None,
    port: pages.Port = pages.PROXY_PORT,
    is_opened: pages.IsOpened = True,
) -> None:
    """Show the status of FILE's proxy on a page that changes nothing, until Ctrl-C.

    Only this machine reaches it, with the token in the address that is printed. The exit status is
    2 if the proxy does not answer.
    """
    file = _given(config or context.obj)
    with signals_deferred():
        pages.demand_packages()
        from thinpipe.lab.access import kept_token
        from thinpipe.lab.live import application
        from thinpipe.lab.live_daemon import daemon
        from thinpipe.lab.serving import server

    def ask() -> str:
        return _core.proxy_status(file, mobiles=True)

    ask()
    token = kept_token()
    with pages.listening("--port", port) as heard:
        pages.announce("the status", heard, token, is_opened=is_opened)
        server(application(daemon(file.name, ask, _core.proxy_summary), token)).run(sockets=[heard])


def _given(config: Path | None) -> Path:
    if config is None:
        raise BadRequestError("--config FILE is missing; see `thinpipe proxy --help`")
    return config


def _check(file: Path) -> int:
    """Print the findings; return the exit status."""
    findings = _core.proxy_check(file)
    for severity, line in findings:
        sys.stdout.write(f"{severity}: {line}\n")
    return UNFIT if any(severity == "error" for severity, _ in findings) else DONE
