"""Where the nodes of a network stand in a picture, and which way its links take."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from thinpipe.network import WIRED, Link, Network

Place = tuple[float, float]
"""Inches from the left and from below; or a width and a height."""

LINE: Final = 0.165
"""Inches that a line of text takes."""

BEND: Final = 0.4
"""Inches on either side of a link's label, where the link may bend."""

MARGIN: Final = 0.15


@dataclass(frozen=True, slots=True)
class Route:
    """The way of a link, and where its name stands: its other lines stand below."""

    way: tuple[Place, ...]
    label: Place | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Nodes in columns, the first host's left and the mobiles' right, and links between them.

    A link is level where its label stands, in the row of one of its ends; one that leads past a
    column is level above all rows.
    """

    places: tuple[Place, ...]
    boxes: tuple[Place, ...]
    routes: tuple[Route, ...]
    size: Place

    @classmethod
    def of(
        cls, network: Network, boxes: Sequence[Place], labels: Sequence[tuple[float, int]]
    ) -> Plan:
        """Find places such that nothing covers anything.

        Parameters
        ----------
        network
            What to place.
        boxes
            The width and height of each node's box.
        labels
            The width of each link's label, and how many lines stand below its name.
        """
        column = columns(network)
        members = [
            [node for node, number in enumerate(column) if number == at]
            for at in range(max(column) + 1)
        ]
        lines = max((count for _, count in labels), default=0)
        below = max((lines + 0.65) * LINE, max(height for _, height in boxes) / 2) + 0.1
        row = below + max(1.2 * LINE, max(height for _, height in boxes) / 2) + 0.05
        long = [link for link in network.links if _length(link, column) > 1]
        tallest = max(map(len, members))
        height = row * (tallest + len(long)) + MARGIN
        middle = below + row * (tallest - 1) / 2
        lefts, gaps, width = _spans(network, column, boxes, [wide for wide, _ in labels])
        places: dict[int, Place] = {}
        for at, nodes in enumerate(members):
            x = lefts[at] + max(boxes[node][0] for node in nodes) / 2
            for rank, node in enumerate(_ordered(nodes, network, places)):
                places[node] = (x, middle + row * ((len(nodes) - 1) / 2 - rank))
        placed = tuple(places[node] for node in range(len(column)))
        router = _Router(network, placed, column, gaps, (below + row * tallest, row))
        routes = tuple(router.route(link) for link in network.links)
        return cls(placed, tuple(boxes), routes, (width, height))


def columns(network: Network) -> tuple[int, ...]:
    """Return the column of each node: how many wires it is from the first host.

    Mobiles stand behind all that has wires.
    """
    wires: dict[int, list[int]] = defaultdict(list)
    for link in network.links:
        if link.kind == WIRED:
            for end, other in (link.ends, link.ends[::-1]):
                wires[end].append(other)
    hosts = [end for end in wires[0] if len(wires[end]) == 1 and len(wires[0]) > 1]
    first = hosts[0] if hosts else 0
    found, ahead = {first: 0}, deque([first])
    while ahead:
        node = ahead.popleft()
        for other in wires[node]:
            if other not in found:
                found[other] = found[node] + 1
                ahead.append(other)
    last = max(found.values())
    return tuple(found.get(node, last + 1) for node in range(len(network.nodes)))


def _length(link: Link, column: Sequence[int]) -> int:
    start, end = (column[each] for each in link.ends)
    return abs(end - start)


def _spans(
    network: Network, column: Sequence[int], boxes: Sequence[Place], widths: Sequence[float]
) -> tuple[list[float], list[Place], float]:
    """Return where columns begin, from where to where the gap behind each is, and all's width."""
    lefts, gaps, left = [], [], MARGIN
    for at in range(max(column) + 1):
        lefts.append(left)
        left += max(box[0] for box, number in zip(boxes, column, strict=True) if number == at)
        # A label stands in the gap ahead of the further end.
        behind = [
            width
            for link, width in zip(network.links, widths, strict=True)
            if max(max(column[end] for end in link.ends) - 1, 0) == at
        ]
        gap = max(behind, default=-2 * BEND) + 2 * BEND
        gaps.append((left, left + gap))
        left += gap
    return lefts, gaps, left + MARGIN


def _ordered(nodes: Sequence[int], network: Network, places: dict[int, Place]) -> list[int]:
    """Return the nodes of a column from top to bottom, so that links cross little."""

    def depth(node: int) -> float:
        others = [
            places[other][1]
            for link in network.links
            for end, other in (link.ends, link.ends[::-1])
            if end == node and other in places
        ]
        return -sum(others) / len(others) if others else 0.0

    return sorted(nodes, key=lambda node: (depth(node), node))


class _Router:
    """Finds ways one after the other, and keeps in mind where labels are."""

    def __init__(
        self,
        network: Network,
        places: Sequence[Place],
        column: Sequence[int],
        gaps: Sequence[Place],
        lanes: tuple[float, float],
    ) -> None:
        self.places: Final = places
        self.column: Final = column
        self.gaps: Final = gaps
        self.lane, self.row = lanes
        self.taken: set[tuple[int, float]] = set()
        # How many links each end has with each column.
        self.fan: Final = Counter(
            (end, column[other])
            for link in network.links
            for end, other in (link.ends, link.ends[::-1])
        )

    def route(self, link: Link) -> Route:
        """Return the way of a link between two columns, or within one."""
        left, right = sorted(link.ends, key=lambda end: self.column[end])
        start, end = self.places[left], self.places[right]
        if self.column[left] == self.column[right]:
            return self._within(self.column[left], start, end)
        at = self.column[right] - 1
        inner, outer = self.gaps[at]
        middle = (inner + outer) / 2
        if self.column[right] - self.column[left] > 1:
            y, first = self.lane, self.gaps[self.column[left]][0]
            self.lane += self.row
            return Route((start, (first + BEND, y), (outer - BEND, y), end), (middle, y))
        fans = self.fan[left, self.column[right]] > self.fan[right, self.column[left]]
        rows = [end[1], start[1]] if fans else [start[1], end[1]]
        free = [y for y in rows if (at, y) not in self.taken]
        y = (free or rows)[0]
        self.taken.add((at, y))
        bend = ((inner + BEND, y), (outer - BEND, y))
        return Route((start, *bend, end), (middle, y) if free else None)

    def _within(self, at: int, start: Place, end: Place) -> Route:
        """Return a way that leaves the column and comes back."""
        inner, outer = self.gaps[at]
        y = (start[1] + end[1]) / 2
        return Route((start, (inner + BEND, y), end), ((inner + outer) / 2, y))
