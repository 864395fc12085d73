"""Pages and the server that serves them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from thinpipe.lab.access import POLICY

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

PAGE: Final = Path(__file__).parent / "page"
LONGEST_MESSAGE: Final = 1 << 20

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def html(file: Path) -> Response:
    """Return a page that loads nothing from elsewhere."""
    return Response(file.read_text(encoding="utf-8"), media_type="text/html", headers=HEADERS)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free.

    Raises
    ------
    OSError
        If the port is taken or may not be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=128)


def server(app: Starlette) -> uvicorn.Server:
    """Return a server for the application, to be run with sockets of `listen`."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ws_max_size=LONGEST_MESSAGE,
            timeout_graceful_shutdown=1,
        )
    )


@contextmanager
def served(app: Starlette, listening: socket.socket) -> Iterator[None]:
    """Serve an application in a thread meanwhile."""
    serving = server(app)
    thread = threading.Thread(
        target=serving.run, kwargs={"sockets": [listening]}, name="lab", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        serving.should_exit = True
        thread.join()
