"""Pages and the server that serves them."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import orjson
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from thinpipe.controller import fault
from thinpipe.lab import PAGE
from thinpipe.lab.access import POLICY
from thinpipe.lab.request import RequestError

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request as HttpRequest

LONGEST_MESSAGE: Final = 1 << 20

FILES: Final = Mount("/page", StaticFiles(directory=PAGE))
"""The files that pages load."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def html(name: str) -> Response:
    """Return a page that loads nothing from elsewhere."""
    text = (PAGE / name).read_text(encoding="utf-8")
    return Response(text, media_type="text/html", headers=HEADERS)


def as_json(content: Mapping[str, Any]) -> str:
    """Return what a socket tells a page."""
    return orjson.dumps(content).decode()


async def answered(
    request: HttpRequest, respond: Callable[[Mapping[str, Any]], Response]
) -> Response:
    """Answer what a page posted, in a thread; what is wrong with it is one line."""
    try:
        message = json.loads(await _body(request))
        if not isinstance(message, dict):
            raise RequestError("a request must be an object")
        return await asyncio.to_thread(respond, message)
    except asyncio.CancelledError:  # the server ends
        return Response(status_code=503)
    except Exception as error:
        if (said := told(error)) is None:
            raise
        return JSONResponse({"error": said}, status_code=400)


async def _body(request: HttpRequest) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_MESSAGE:
            raise RequestError(f"a request must have at most {LONGEST_MESSAGE:,} bytes")
    return bytes(body)


def told(error: Exception) -> str | None:
    """Return the one line that a page shows of an error in its request; ``None`` of a bug."""
    if isinstance(error, RecursionError | json.JSONDecodeError | UnicodeError):
        return "a request must be an object in JSON"
    said = str(error) if isinstance(error, RequestError | ValueError | OSError) else fault(error)
    return None if said is None else said.encode("utf-8", "backslashreplace").decode()


def listen(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 is any that is free.

    Raises
    ------
    OSError
        If the port is taken or may not be used.
    """
    return socket.create_server(("127.0.0.1", port), backlog=128)


def server(app: Starlette) -> uvicorn.Server:
    """Return a server for the application, to be run with sockets of `listen`.

    That it ends while it draws or runs something is nothing to tell.
    """
    import uvicorn

    told = logging.getLogger("uvicorn.error")
    told.addFilter(lambda record: "timeout graceful shutdown" not in record.getMessage())
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ws_max_size=LONGEST_MESSAGE,
            ws_per_message_deflate=False,  # takes longer than loopback saves
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
