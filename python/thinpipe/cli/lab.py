"""``thinpipe lab``: a page to play with."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.inputs import INPUTS_FILE, Inputs
from thinpipe.recording import load
from thinpipe.scenario import Scenario, find
from thinpipe.signals import signals_deferred

if TYPE_CHECKING:
    from thinpipe.lab.catalogue import Opened

PORT: Final = 8765
MOST_PORT: Final = 65535


def lab(
    opened: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO|RUN_DIR",
            help="A scenario that ships, a file, or what `thinpipe run --out` wrote.",
            autocompletion=arguments.complete_scenario,
        ),
    ] = None,
    *,
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
        from thinpipe.lab.server import application
        from thinpipe.lab.serving import listen, server
    token = kept_token()
    app = application(Catalogue({} if opened is None else _opened(opened)), token)
    try:
        listening = listen("127.0.0.1", port)
    except OSError as error:
        raise BadRequestError(
            f"--port {port}: {error.strerror}; 0 takes any that is free"
        ) from None
    with listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}"
        typer.echo(f"the lab is at {address}", err=True)
        if is_opened:
            webbrowser.open(address)
        server(app).run(sockets=[listening])


def _opened(source: str) -> dict[str, Opened]:
    """Return a scenario or a saved run under the name that the page shows."""
    from thinpipe.lab.catalogue import Opened

    if (Path(source) / INPUTS_FILE).is_file():
        inputs = Inputs.read(Path(source))
        scenario = Scenario(inputs.scenario, load(source).scenario.source)
        return {Path(source).resolve().name: Opened(scenario, tuple(inputs.settings))}
    found = find(source)
    return {Path(found.name).stem: Opened(found)}
