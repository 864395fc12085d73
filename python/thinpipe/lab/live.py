"""Panels of something that runs now: samples of it, for as long as the page looks back."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from thinpipe.lab.access import Access
from thinpipe.lab.panel import Layer, rounded
from thinpipe.lab.serving import FILES, as_json, html

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

KEPT: Final = 2_400
"""Samples that are kept: ten minutes, at four a second."""

Samples = Mapping[str, float | None]
"""One sample: a number for each curve; ``None`` if it has none now."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of a live panel: the name of its samples, and how it is drawn."""

    name: str
    label: str
    run: int = 0
    tone: str | None = None


@dataclass(frozen=True, slots=True)
class LivePanel:
    """A panel of curves over the time since the start."""

    name: str
    title: str
    unit: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """What a source tells at one time: its samples, tables below the panels, and a line."""

    samples: Samples
    tables: Sequence[tuple[Sequence[str], Sequence[Sequence[str]]]] = ()
    line: str = ""


class Source:
    """Something that runs: asked every `period_s`, as long as somebody looks.

    Parameters
    ----------
    ask
        Returns what is there now. An exception's text is shown in its place.
    panels
        What is drawn; a source that finds more curves later gives a function.
    """

    def __init__(
        self,
        title: str,
        ask: Callable[[], Look],
        panels: Callable[[], Sequence[LivePanel]],
        period_s: float,
    ) -> None:
        self.title: Final = title
        self.period_s: Final = period_s
        self._ask: Final = ask
        self._panels: Final = panels
        self._began: Final = time.monotonic()
        self._kept: Final[deque[tuple[float, Samples]]] = deque(maxlen=KEPT)
        self._latest = Look({})
        self._error: str | None = None
        self._due = 0.0

    def look(self) -> dict[str, Any]:
        """Ask if it is time, and return the panels as the page takes them."""
        now = time.monotonic()
        if now >= self._due:
            self._due = now + 0.9 * self.period_s
            try:
                self._latest, self._error = self._ask(), None
            except (OSError, RuntimeError, ValueError) as error:
                self._error = str(error)
            else:
                self._kept.append((now - self._began, self._latest.samples))
        end_s = now - self._began
        start_s = self._kept[0][0] if self._kept else 0.0
        return {
            "title": self.title,
            "error": self._error,
            "line": self._latest.line,
            "span": [start_s, max(end_s, start_s + 10.0)],
            "panels": [self._drawn(panel) for panel in self._panels()],
            "tables": [
                {"columns": list(columns), "rows": [list(row) for row in rows]}
                for columns, rows in self._latest.tables
            ],
        }

    def _drawn(self, panel: LivePanel) -> dict[str, Any]:
        return {
            "name": panel.name,
            "title": panel.title,
            "unit": panel.unit,
            "axis": "time",
            "rows": None,
            "handles": [],
            "layers": [self._layer(curve) for curve in panel.curves],
        }

    def _layer(self, curve: Curve) -> Layer:
        times = np.array([at for at, _ in self._kept])
        values = [samples.get(curve.name) for _, samples in self._kept]
        numbers = np.array([np.nan if value is None else value for value in values], dtype=float)
        tone = {} if curve.tone is None else {"tone": curve.tone}
        return {
            "kind": "line",
            "run": curve.run,
            "ghost": False,
            "label": curve.label,
            "x": rounded(times, 8),
            "y": rounded(numbers),
            **tone,
        }


def application(source: Source, token: str, *, more: Sequence[BaseRoute] = ()) -> Starlette:
    """Return the live page of a source as an ASGI application; `more` are routes beside its own."""

    async def page(_request: Request) -> Response:
        return html("live.html")

    async def drive(watching: WebSocket) -> None:
        await watching.accept()
        leaving = asyncio.create_task(_gone(watching))
        try:
            while not leaving.done():
                told = await asyncio.to_thread(source.look)
                await watching.send_text(as_json(told))
                await asyncio.wait([leaving], timeout=source.period_s)
        except (WebSocketDisconnect, RuntimeError):  # it left while it was told
            pass
        finally:
            leaving.cancel()

    return Starlette(
        routes=[
            Route("/", page),
            WebSocketRoute("/socket", drive),
            *more,
            FILES,
        ],
        middleware=[Middleware(Access, token=token)],
    )


async def _gone(watching: WebSocket) -> None:
    """Wait until the page has left; it has nothing to say."""
    try:
        while True:
            await watching.receive_text()
    except (WebSocketDisconnect, KeyError, RuntimeError):
        return
