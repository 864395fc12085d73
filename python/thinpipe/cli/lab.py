"""``thinpipe lab``: a page to play with."""

from __future__ import annotations

from typing import Annotated

import typer

from thinpipe.cli import arguments, pages
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.settings import Settings
from thinpipe.signals import signals_deferred


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
    port: pages.Port = pages.LAB_PORT,
    is_opened: pages.IsOpened = True,
) -> None:
    """Open a page on which every change of a setting runs the experiment anew.

    Only this machine reaches it, with the token in the address that is printed. Ctrl-C ends it.
    """
    with signals_deferred():
        pages.demand_packages()
        from thinpipe.lab.access import kept_token
        from thinpipe.lab.application import application
        from thinpipe.lab.catalogue import Catalogue
        from thinpipe.lab.opening import opening_of
        from thinpipe.lab.serving import server
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
    with pages.listening("--port", port) as heard:
        pages.announce("the lab", heard, token, is_opened=is_opened)
        server(app).run(sockets=[heard])
