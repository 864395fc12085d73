"""``thinpipe lab``: a page to play with."""

from __future__ import annotations

import os
import webbrowser
from typing import Annotated, Final

import typer

from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.settings import Settings
from thinpipe.signals import signals_deferred

PORT: Final = 8765
MOST_PORT: Final = 65535


def lab(
    opened: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO|RUN_DIR|SWEEP.parquet",
            help="A scenario that ships, a file, what `thinpipe run --out` wrote, or the table of "
            "a sweep, whose runs are dots to choose from.",
            autocompletion=arguments.complete_scenario,
        ),
    ] = None,
    *,
    settings: Annotated[list[str] | None, arguments.SETTINGS] = None,
    port: Annotated[
        int,
        typer.Option(
            metavar="NUMBER",
            parser=arguments.whole("--port", 0, MOST_PORT),
            help="The port on loopback; 0 is any that is free.",
        ),
    ] = PORT,
    is_opened: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Open a page on which every change of a setting runs the experiment anew.

    Only this machine reaches it, with the token in the address that is printed. Ctrl-C ends it.
    """
    with signals_deferred():
        try:
            import uvicorn  # noqa: F401 - what the extra brings
        except ImportError:
            raise BadRequestError(
                "the lab needs more packages: pip install 'thinpipe[lab]'"
            ) from None
        from thinpipe.lab.access import kept_token
        from thinpipe.lab.catalogue import Catalogue
        from thinpipe.lab.opening import opening_of
        from thinpipe.lab.server import application
        from thinpipe.lab.serving import listen, server
    token = kept_token()
    asked = Settings.of(settings)
    if opened is None and asked.pairs:
        raise BadRequestError(f"--set {'='.join(asked.pairs[0])}: needs a scenario to set it in")
    if opened is None:
        catalogue = Catalogue({})
    else:
        with asked.named():
            found = opening_of(opened, dict(asked.pairs))
        catalogue = Catalogue({found.name: found.opened}, found.rows)
    app = application(catalogue, token)
    try:
        listening = listen("127.0.0.1", port)
    except OSError as error:
        raise BadRequestError(
            f"--port {port}: {os.strerror(error.errno or 0)}; 0 takes any that is free"
        ) from None
    with listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}"
        typer.echo(f"the lab is at {address}", err=True)
        if is_opened:
            webbrowser.open(address)
        server(app).run(sockets=[listening])
