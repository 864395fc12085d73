"""Where the nodes of a network stand in a picture, and which way its links take."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from thinpipe.network import WIRED, Link, Network, Way

Place = tuple[float, float]
"""Inches from the left and from below; or a width and a height."""

LINE: Final = 0.165
"""Inches that a line of text takes."""

BEND: Final = 0.4
"""Inches on either side of a link's label, where the link may bend."""

MARGIN: Final = 0.15

LEAST: Final = 1e-6
"""Inches that are no difference."""


@dataclass(frozen=True, slots=True)
class Route:
    """The way of a link, and where its name stands: its other lines stand below."""

    way: tuple[Place, ...]
    label: Place | None

    def lifted(self, by: float) -> Route:
        """Return the way that many inches further up."""
        label = None if self.label is None else (self.label[0], self.label[1] + by)
        return Route(tuple((x, y + by) for x, y in self.way), label)


@dataclass(frozen=True, slots=True)
class Plan:
    """Nodes in columns, the first host's left and the mobiles' right, and links between them.

    A link is level where its label stands, in the row of one of its ends; one that leads past a
    column, or has no room there, is level above or below all rows.
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
        tallest = max(map(len, members))
        middle = below + row * (tallest - 1) / 2
        lefts, gaps, width = _spans(network, column, boxes, [wide for wide, _ in labels])
        places: dict[int, Place] = {}
        for at, nodes in enumerate(members):
            x = lefts[at] + max(boxes[node][0] for node in nodes) / 2
            for rank, node in enumerate(_ordered(nodes, network, places)):
                places[node] = (x, middle + row * ((len(nodes) - 1) / 2 - rank))
        placed = tuple(places[node] for node in range(len(column)))
        router = _Router(network, placed, column, gaps, _Lanes(row, below + row * tallest, below))
        routes = [router.route(link) for link in network.links]
        lift = below - router.lanes.low
        size = (width, router.lanes.high - router.lanes.low + MARGIN)
        return cls(
            tuple((x, y + lift) for x, y in placed),
            tuple(boxes),
            tuple(route.lifted(lift) for route in routes),
            size,
        )


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


@dataclass(slots=True)
class _Lanes:
    """Heights at which links are level above and below all rows; `row` is how high one is."""

    row: float
    high: float
    low: float

    def above(self) -> float:
        """Return the next one above."""
        self.high += self.row
        return self.high - self.row

    def below(self) -> float:
        """Return the next one below."""
        self.low -= self.row
        return self.low


class _Router:
    """Finds ways one after the other, and keeps in mind where labels are."""

    def __init__(
        self,
        network: Network,
        places: Sequence[Place],
        column: Sequence[int],
        gaps: Sequence[Place],
        lanes: _Lanes,
    ) -> None:
        self.places: Final = places
        self.column: Final = column
        self.gaps: Final = gaps
        self.lanes: Final = lanes
        # Heights of labels in each gap, and what the links there say.
        self.taken: Final[dict[int, list[float]]] = defaultdict(list)
        self.said: Final[set[tuple[int, str, Way, Way | None]]] = set()
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
            return self._within(link, self.column[left], start, end)
        at = self.column[right] - 1
        if self.column[right] - self.column[left] > 1:
            return self._around(self.column[left], at, left, right)
        fans = self.fan[left, self.column[right]] > self.fan[right, self.column[left]]
        rows = [end[1], start[1]] if fans else [start[1], end[1]]
        free = next((y for y in rows if self._free(at, y)), None)
        if free is None and not self._is_said(at, link):
            return self._around(at, at, left, right)
        inner, outer = self.gaps[at]
        y = rows[0] if free is None else free
        way = (start, (inner + BEND, y), (outer - BEND, y), end)
        return Route(way, None if free is None else self._label(at, y, link))

    def _within(self, link: Link, at: int, start: Place, end: Place) -> Route:
        """Return a way that leaves the column and comes back."""
        inner, _ = self.gaps[at]
        rows = [(start[1] + end[1]) / 2, start[1], end[1]]
        y = next((y for y in rows if self._free(at, y)), None)
        if y is None:
            y = self.lanes.above()
        return Route((start, (inner + BEND, y), end), self._label(at, y, link))

    def _around(self, at: int, to: int, left: int, right: int) -> Route:
        """Return a way around all rows, from the gap behind one column to the one behind another.

        It is on the side on which fewer nodes are in the way.
        """
        ends = (left, right)
        above = sum(self._beside(end, lambda y, own: y > own) for end in ends)
        below = sum(self._beside(end, lambda y, own: y < own) for end in ends)
        y = self.lanes.above() if above <= below else self.lanes.below()
        (first, _), (inner, outer) = self.gaps[at], self.gaps[to]
        way = (self.places[left], (first + BEND, y), (outer - BEND, y), self.places[right])
        return Route(way, ((inner + outer) / 2, y))

    def _beside(self, node: int, beyond: Callable[[float, float], bool]) -> int:
        """Return how many nodes of a node's column are beyond it."""
        x, own = self.column[node], self.places[node][1]
        column = zip(self.places, self.column, strict=True)
        return sum(beyond(y, own) for (_, y), at in column if at == x)

    def _free(self, at: int, y: float) -> bool:
        """Whether a label has room in a gap: a row is as high as the highest one."""
        return all(abs(y - other) >= self.lanes.row - LEAST for other in self.taken[at])

    def _is_said(self, at: int, link: Link) -> bool:
        return (at, link.name, link.forth, link.back) in self.said

    def _label(self, at: int, y: float, link: Link) -> Place:
        inner, outer = self.gaps[at]
        self.taken[at].append(y)
        self.said.add((at, link.name, link.forth, link.back))
        return (inner + outer) / 2, y
