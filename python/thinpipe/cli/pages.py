"""What commands that serve a page share: the port, the token, and the browser."""

from __future__ import annotations

import os
import socket
import webbrowser
from typing import Annotated, Final

import typer

from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError

MOST_PORT: Final = 65535
LAB_PORT: Final = 8765
PROXY_PORT: Final = 8766
EMULATOR_PORT: Final = 8767

Port = Annotated[
    int,
    typer.Option(
        metavar="NUMBER",
        parser=arguments.whole("--port", 0, MOST_PORT),
        help="The port on loopback; 0 is any that is free.",
    ),
]
IsOpened = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")]


def demand_packages() -> None:
    """Check that the packages of the extra are installed.

    Raises
    ------
    BadRequestError
        If not; the message is the command that installs them.
    """
    try:
        import orjson  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError:
        reason = "the lab needs more packages: pip install 'thinpipe[lab]'"
        raise BadRequestError(reason) from None


def listening(option: str, port: int) -> socket.socket:
    """Return a socket that listens on loopback.

    Raises
    ------
    BadRequestError
        If the port is taken or may not be used.
    """
    from thinpipe.lab.serving import listen

    try:
        return listen(port)
    except OSError as error:
        reason = f"{os.strerror(error.errno or 0)}; 0 takes any that is free"
        raise BadRequestError(f"{option} {port}: {reason}") from None


def announce(what: str, heard: socket.socket, token: str, *, is_opened: bool) -> None:
    """Print the page's address, and open it in a browser if that is wanted."""
    address = f"http://127.0.0.1:{heard.getsockname()[1]}/?token={token}"
    typer.echo(f"{what} is at {address}", err=True)
    if is_opened:
        webbrowser.open(address)
