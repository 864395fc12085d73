"""The lab's server: the page, and a socket that answers each state of the page with pictures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from thinpipe.lab.access import Access
from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.copying import ROUTES as COPIES
from thinpipe.lab.downloads import ROUTES as TABLES
from thinpipe.lab.experiment import CancelledError, Laboratory
from thinpipe.lab.lessons import lessons
from thinpipe.lab.network_picture import ROUTES as PICTURES
from thinpipe.lab.request import NO_NUMBER, Request, RequestError, number_of
from thinpipe.lab.serving import FILES, as_json, html, told

if TYPE_CHECKING:
    from starlette.requests import Request as HttpRequest


class Session:
    """A page: its newest request is under way, older ones are cancelled."""

    def __init__(self, laboratory: Laboratory, send: Callable[[str], Any]) -> None:
        self._laboratory: Final = laboratory
        self._send: Final = send
        self._newest = -1
        self._tasks: Final[set[asyncio.Task[None]]] = set()

    def take(self, text: str) -> None:
        """Take a message of the page, and answer it when it is done, unless a newer one comes."""
        task = asyncio.create_task(self._answer(text))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def end(self) -> None:
        """Cancel all: the page has gone."""
        self._newest = 1 << 60

    async def _answer(self, text: str) -> None:
        number = NO_NUMBER
        try:
            message = json.loads(text)
            number = number_of(message)
            self._newest = max(self._newest, number)
            request = Request.of(message)
            answer = await asyncio.to_thread(
                self._laboratory.answer, request, lambda: request.number < self._newest
            )
        except CancelledError:
            return
        except Exception as error:
            if (said := told(error)) is None:
                raise
            answer = {"number": number, "error": said}
        if number == NO_NUMBER or number >= self._newest:
            with suppress(WebSocketDisconnect, RuntimeError):  # it left while it was told
                await self._send(as_json(answer))


async def _drive(page: WebSocket) -> None:
    await page.accept()
    session = Session(page.app.state.laboratory, page.send_text)
    try:
        while True:
            session.take(await page.receive_text())
    except (WebSocketDisconnect, KeyError):  # a message in bytes has no text
        pass
    finally:
        session.end()


async def _page(_request: HttpRequest) -> Response:
    return html("index.html")


async def _catalogue(request: HttpRequest) -> Response:
    catalogue: Catalogue = request.app.state.laboratory.catalogue
    return JSONResponse(
        {
            "scenarios": catalogue.listed(),
            "first": catalogue.first,
            "keys": catalogue.documented(),
            "rows": [asdict(each) for each in catalogue.rows],
        }
    )


async def _lessons(_request: HttpRequest) -> Response:
    return JSONResponse({"lessons": [each.page() for each in lessons()]})


async def _scenario(request: HttpRequest) -> Response:
    catalogue: Catalogue = request.app.state.laboratory.catalogue
    try:
        return JSONResponse(catalogue.described(request.path_params["name"]))
    except (RequestError, ValueError, OSError) as error:
        return JSONResponse({"error": str(error)}, status_code=404)


def application(catalogue: Catalogue, token: str) -> Starlette:
    """Return the lab as an ASGI application."""
    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/api/catalogue", _catalogue),
            Route("/api/lessons", _lessons),
            Route("/api/scenario/{name:path}", _scenario),
            WebSocketRoute("/socket", _drive),
            *COPIES,
            *PICTURES,
            *TABLES,
            FILES,
        ],
        middleware=[Middleware(Access, token=token)],
    )
    app.state.laboratory = Laboratory(catalogue)
    return app
