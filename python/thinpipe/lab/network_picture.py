"""The network of a variant, drawn as ``thinpipe show`` draws it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from thinpipe.inputs import values_of
from thinpipe.lab.request import Request
from thinpipe.lab.serving import answered
from thinpipe.network import Network
from thinpipe.outline import outline

if TYPE_CHECKING:
    from starlette.requests import Request as HttpRequest

    from thinpipe.lab.experiment import Laboratory

KEPT: Final = 16
"""Drawings that are kept: a network is drawn again only if it has changed."""

_one_at_a_time: Final = threading.Lock()
"""The style of drawings is one for all threads."""


def network_of(laboratory: Laboratory, request: Request) -> dict[str, Any]:
    """Return the drawing of the network of the variant in focus, and what it shows as text.

    Raises
    ------
    RequestError, ScenarioError, ValueError, OSError
        If there is something wrong with the request; the message is one line.
    """
    point = laboratory.wanted(request, request.focus).point
    network = Network.of_point(point)
    title = Path(point.scenario.name).stem
    with _one_at_a_time:
        svg = _drawn(network, title)
    return {"svg": svg, "alt": as_text(network, title), "outline": outline(values_of(point))}


def as_text(network: Network, title: str) -> str:
    """Return the list that ``thinpipe show`` prints, as sentences."""
    from thinpipe.plot.network_rows import link_rows, node_rows, place_rows, route_rows

    shown = network.grouped()
    nodes = [
        name + (f" ({count} of them)" if count != "1" else "") + (f", a {box} box" * (box != "–"))
        for name, count, box in node_rows(shown)
    ]
    links = [
        f"{name} ({kind}) from {start} to {end}: {rate}, delay {delay}, queue {queue}"
        for name, kind, start, end, rate, delay, queue in link_rows(shown)
    ]
    routes = [f"At {at}, packets to {to} go via {via}" for at, to, via in route_rows(shown)]
    places = [f"{name} is at {place} m" for name, place, *_ in place_rows(shown)]
    return ". ".join([f"Network of {title}: {'; '.join(nodes)}", *links, *routes, *places]) + "."


@lru_cache(KEPT)
def _drawn(network: Network, title: str) -> str:
    from thinpipe.plot.picture import network_as_svg  # the first time loads matplotlib

    return network_as_svg(network, title=title, note="")


async def _network(request: HttpRequest) -> Response:
    def respond(message: Mapping[str, Any]) -> Response:
        return JSONResponse(network_of(request.app.state.laboratory, Request.of(message)))

    return await answered(request, respond)


ROUTES: Final = [Route("/api/network", _network, methods=["POST"])]
