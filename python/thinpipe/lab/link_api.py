"""A running link over HTTP: what can be changed, how it fares, and changes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse
from starlette.routing import Route

from thinpipe._core import EmulationError, ScenarioError
from thinpipe.lab.controls import control
from thinpipe.running_link import ChangeableLink
from thinpipe.scenario import Key, keys

if TYPE_CHECKING:
    from starlette.requests import Request

WRONG: Final = 422
GONE: Final = 503
"""Status of an answer if a value is wrong, and if the emulator has stopped."""


def routes(link: ChangeableLink) -> list[Route]:
    """Return the routes of a link.

    ``GET /api/link`` returns its state: ``changeable`` (keys and values), ``controls`` (what a page
    offers for each), ``black_out_s`` and ``meter``. ``PATCH /api/link`` takes an object of keys and
    values, ``POST /api/link/black-out`` an object ``{"seconds": 3}``, of which 0 or null ends a
    black-out. Both return the new state, or ``{"error": …}`` with status 422; then nothing has
    changed.
    """

    async def get(_request: Request) -> JSONResponse:
        return await _answer(lambda: None)

    async def patch(request: Request) -> JSONResponse:
        settings = await _object(request)
        if settings is None:
            return _error('expected an object of keys and values: {"link.rate": "1 Mbit/s"}')
        return await _answer(lambda: link.change(settings))

    async def black_out(request: Request) -> JSONResponse:
        asked = await _object(request)
        if asked is None or asked.keys() != {"seconds"} or not _is_number(asked["seconds"]):
            return _error('expected an object with a number of seconds: {"seconds": 3}')
        return await _answer(lambda: link.black_out(asked["seconds"] or 0.0))

    async def _answer(work: Callable[[], None]) -> JSONResponse:
        def state() -> dict[str, Any]:
            work()
            return _state(link)

        try:
            return JSONResponse(await asyncio.to_thread(state))
        except (ValueError, TypeError, OverflowError) as error:
            return _error(str(error))
        except EmulationError as error:
            return _error(str(error), GONE)

    return [
        Route("/api/link", get, methods=["GET"]),
        Route("/api/link", patch, methods=["PATCH"]),
        Route("/api/link/black-out", black_out, methods=["POST"]),
    ]


def _state(link: ChangeableLink) -> dict[str, Any]:
    changeable = link.changeable
    return {
        "changeable": changeable,
        "controls": {key: _control(key, value) for key, value in changeable.items()},
        "black_out_s": link.black_out_s,
        "meter": link.meter(),
    }


def _control(name: str, value: str) -> dict[str, Any]:
    """Return what a page offers to set a key with that has this value."""
    key = _keys()[name]
    try:
        number = key.number(value)
    except ScenarioError:  # the directions differ
        number = None
    return control(key, number)


@cache
def _keys() -> dict[str, Key]:
    return {key.name: key for key in keys()}


async def _object(request: Request) -> dict[str, Any] | None:
    """Return the JSON object of a request; ``None`` if it is none."""
    try:
        content = json.loads(await request.body())
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _error(line: str, status: int = WRONG) -> JSONResponse:
    return JSONResponse({"error": line}, status_code=status)
