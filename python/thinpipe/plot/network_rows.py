"""A network as rows of text: its nodes, links, static routes and places."""

from __future__ import annotations

from typing import Final

from thinpipe.network import Network
from thinpipe.plot.network import delay, queue, rate
from thinpipe.report.numbers import short

NODES: Final = ("node", "how many", "middlebox")
LINKS: Final = ("link", "kind", "from", "to", "rate", "delay", "queue")
ROUTES: Final = ("route at", "to", "via")
PLACES: Final = ("name", "place m", "range m", "on the way")

MAX_LISTED: Final = 100
"""Maximum number of mobiles in the list."""

Rows = list[tuple[str, ...]]


def node_rows(network: Network) -> Rows:
    """Return one row per node, or per group of alike ones."""
    return [(node.name, str(node.count), node.middlebox or "–") for node in network.nodes]


def link_rows(network: Network) -> Rows:
    """Return one row per direction of each link."""
    rows: Rows = []
    for link in network.links:
        start, end = (network.nodes[each].name for each in link.ends)
        for way, ends in ((link.forward, (start, end)), (link.reverse, (end, start))):
            if way is not None:
                cells = (rate(way), delay(way) or "–", queue(way) or "no limit")
                rows.append((link.name, link.kind, *ends, *cells))
    return rows


def route_rows(network: Network) -> Rows:
    """Return one row per static route."""
    return [(each.at, each.to, each.via) for each in network.routes]


def place_rows(network: Network) -> Rows:
    """Return one row per transmitter and mobile with a position."""

    def place(x_m: float, y_m: float) -> str:
        return f"{short(x_m, 5)}, {short(y_m, 5)}"

    rows: Rows = [
        (each.name, place(*each.position_m), short(each.range_m, 5), "–")
        for each in network.stations
    ]
    for walk in network.walks[:MAX_LISTED]:
        first, *rest = walk.course
        way = " → ".join(f"{place(x_m, y_m)} at {short(at_s, 5)} s" for at_s, x_m, y_m in rest)
        rows.append((walk.name, place(*first[1:]), "–", way or "–"))
    return rows
