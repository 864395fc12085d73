"""The layout of a network drawing: positions of nodes and routes of links."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from thinpipe.network import WIRED, Direction, Link, Network

Place = tuple[float, float]
"""x and y in inches from the lower left corner; or a width and a height."""

LINE: Final = 0.165
"""Line height, in inches."""

BEND: Final = 0.4
"""Space on either side of a link's label for bends, in inches."""

MARGIN: Final = 0.15

BETWEEN: Final = 1.5 * LINE
"""From a lane above all rows to the next one, if that has no label, in inches."""

EPSILON: Final = 1e-6
"""Differences up to this many inches do not count."""


@dataclass(frozen=True, slots=True)
class Route:
    """The points of a link's line, and the position of its label's first line."""

    way: tuple[Place, ...]
    label: Place | None

    def lifted(self, by: float) -> Route:
        """Return the route moved up by so many inches."""
        label = None if self.label is None else (self.label[0], self.label[1] + by)
        return Route(tuple((x, y + by) for x, y in self.way), label)


@dataclass(frozen=True, slots=True)
class Plan:
    """Nodes in columns, from the first host at the left to the mobiles at the right, and links.

    The boxes of a column are of one width, and links lead from edge to edge. A link is horizontal
    at its label, in the row of one of its ends. A link that passes a column, or has no room, is
    horizontal above or below all rows. Alike links that outnumber the rows between two columns are
    straight lines with one label above them.
    """

    places: tuple[Place, ...]
    boxes: tuple[Place, ...]
    routes: tuple[Route, ...]
    size: Place

    @classmethod
    def of(
        cls, network: Network, boxes: Sequence[Place], labels: Sequence[tuple[float, int]]
    ) -> Plan:
        """Lay out a network without overlaps.

        Parameters
        ----------
        network
            The network.
        boxes
            The width and height of each node's box.
        labels
            The width of each link's label, and its number of lines below the name.
        """
        column = columns(network)
        members = [
            [node for node, number in enumerate(column) if number == at]
            for at in range(max(column) + 1)
        ]
        widths = [max(boxes[node][0] for node in nodes) for nodes in members]
        boxes = [(widths[at], box[1]) for at, box in zip(column, boxes, strict=True)]
        lines = max((count for _, count in labels), default=0)
        below = max((lines + 0.65) * LINE, max(height for _, height in boxes) / 2) + 0.1
        row = below + max(1.2 * LINE, max(height for _, height in boxes) / 2) + 0.05
        tallest = max(map(len, members))
        middle = below + row * (tallest - 1) / 2
        lefts, gaps, width = _spans(network, column, boxes, [wide for wide, _ in labels])
        places: dict[int, Place] = {}
        for at, nodes in enumerate(members):
            x = lefts[at] + widths[at] / 2
            for rank, node in enumerate(_ordered(nodes, network, places)):
                places[node] = (x, middle + row * ((len(nodes) - 1) / 2 - rank))
        placed = tuple(places[node] for node in range(len(column)))
        router = _Router(network, placed, column, gaps, _Lanes(row, below + row * tallest, below))
        routes = router.routes(network.links)
        lift = below - router.lanes.low
        size = (width, router.lanes.high - router.lanes.low + MARGIN)
        return cls(
            tuple((x, y + lift) for x, y in placed),
            tuple(boxes),
            tuple(route.lifted(lift) for route in routes),
            size,
        )


Alike = tuple[str, Direction, Direction | None]
"""What alike links have in common: all but their ends."""


def alike(link: Link) -> Alike:
    """Return what the label of a link says."""
    return link.name, link.forward, link.reverse


def columns(network: Network) -> tuple[int, ...]:
    """Return the column of each node: its distance from the first host in wired links.

    Mobiles are behind all wired nodes.
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
    """Return the left edge of each column, the gap behind it, and the total width."""
    lefts, gaps, left = [], [], MARGIN
    for at in range(max(column) + 1):
        lefts.append(left)
        left += max(box[0] for box, number in zip(boxes, column, strict=True) if number == at)
        # A label is in the gap before the end further right.
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
    """Return the nodes of a column from top to bottom, ordered to avoid crossings."""

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
    """Free heights for links above and below all rows; `row` is the height of a row."""

    row: float
    high: float
    low: float

    def above(self, *, labelled: bool = True) -> float:
        """Return the next height above."""
        y = self.high if labelled else self.high - self.row + BETWEEN
        self.high = y + self.row
        return y

    def below(self) -> float:
        """Return the next height below."""
        self.low -= self.row
        return self.low


class _Router:
    """Routes links one after the other, and tracks the space that labels take."""

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
        # Heights of the horizontal lines in each gap.
        self.taken: Final[dict[int, list[float]]] = defaultdict(list)
        # What a label says that is for all links of a gap, or for all around rows from a node.
        self.said_in: Final[set[tuple[int, Alike]]] = set()
        self.said_from: Final[set[tuple[int, Alike]]] = set()
        # The number of links from each node to each column.
        self.fan: Final = Counter(
            (end, column[other])
            for link in network.links
            for end, other in (link.ends, link.ends[::-1])
        )

    def routes(self, links: Sequence[Link]) -> list[Route]:
        """Return the route of each link.

        Bundles have the first choice, then links between nodes of one height.
        """
        found: dict[int, Route] = {}
        for bundle in self._bundles(links):
            for rank, number in enumerate(bundle):
                found[number] = self._straight(links[number], labelled=rank == 0)
        level = [len({self.places[end][1] for end in link.ends}) == 1 for link in links]
        for number in sorted(range(len(links)), key=lambda number: not level[number]):
            if number not in found:
                found[number] = self._route(links[number])
        return [found[number] for number in range(len(links))]

    def _bundles(self, links: Sequence[Link]) -> list[list[int]]:
        """Return alike links between two columns, where they outnumber the nodes of each.

        Of links between the same nodes there is only one.
        """
        groups: dict[tuple[int, int, Alike], dict[tuple[int, int], int]] = defaultdict(dict)
        for number, link in enumerate(links):
            left, right = self._ends(link)
            group = groups[self.column[left], self.column[right], alike(link)]
            group.setdefault((left, right), number)
        return [
            list(group.values())
            for (at, to, _), group in groups.items()
            if to - at == 1
            and all(len(group) > len(set(side)) for side in zip(*group, strict=True))
        ]

    def _straight(self, link: Link, *, labelled: bool) -> Route:
        """Return a straight route of a link in a bundle; the label of all is above the rows."""
        left, right = self._ends(link)
        at = self.column[left]
        (inner, outer), start, end = self.gaps[at], self.places[left][1], self.places[right][1]
        if start == end:
            self.taken[at].append(start)
        self.said_in.add((at, alike(link)))
        label = ((inner + outer) / 2, self.lanes.above()) if labelled else None
        return Route(((inner, start), (outer, end)), label)

    def _route(self, link: Link) -> Route:
        """Return the route of a link that is in no bundle."""
        left, right = self._ends(link)
        if self.column[left] == self.column[right]:
            return self._within(left, right)
        at = self.column[right] - 1
        if self.column[left] < at:
            return self._around(link, left, right)
        start, end = self.places[left][1], self.places[right][1]
        fans = self.fan[left, self.column[right]] > self.fan[right, self.column[left]]
        rows = [end, start] if fans else [start, end]
        y = next((y for y in rows if self._free(at, y)), None)
        if y is None:
            return self._around(link, left, right)
        inner, outer = self.gaps[at]
        way = ((inner, start), (inner + BEND, y), (outer - BEND, y), (outer, end))
        return Route(way, self._label(at, y))

    def _ends(self, link: Link) -> tuple[int, int]:
        """Return the ends of a link, that in the column further left first."""
        left, right = sorted(link.ends, key=lambda end: self.column[end])
        return left, right

    def _within(self, one: int, other: int) -> Route:
        """Return a route that leaves the column and returns."""
        at = self.column[one]
        inner, _ = self.gaps[at]
        start, end = self.places[one][1], self.places[other][1]
        rows = [(start + end) / 2, start, end]
        y = next((y for y in rows if self._free(at, y)), None)
        if y is None:
            y = self.lanes.above()
        way = ((inner, start), (inner + BEND, y), (inner, end))
        return Route(way, self._label(at, y))

    def _around(self, link: Link, left: int, right: int) -> Route:
        """Return a route around all rows, on the side with fewer nodes in between."""
        ends, at = (left, right), self.column[right] - 1
        above = sum(self._beside(end, lambda y, own: y > own) for end in ends)
        below = sum(self._beside(end, lambda y, own: y < own) for end in ends)
        said = (at, alike(link)) in self.said_in or (left, alike(link)) in self.said_from
        self.said_from.add((left, alike(link)))
        y = self.lanes.above(labelled=not said) if above <= below else self.lanes.below()
        (first, _), (inner, outer) = self.gaps[self.column[left]], self.gaps[at]
        start, end = self.places[left][1], self.places[right][1]
        way = ((first, start), (first + BEND, y), (outer - BEND, y), (outer, end))
        return Route(way, None if said else ((inner + outer) / 2, y))

    def _beside(self, node: int, beyond: Callable[[float, float], bool]) -> int:
        """Count the nodes of a node's column that are beyond it."""
        x, own = self.column[node], self.places[node][1]
        column = zip(self.places, self.column, strict=True)
        return sum(beyond(y, own) for (_, y), at in column if at == x)

    def _free(self, at: int, y: float) -> bool:
        """Return whether a gap has room for a label: rows have the height of the tallest."""
        return all(abs(y - other) >= self.lanes.row - EPSILON for other in self.taken[at])

    def _label(self, at: int, y: float) -> Place:
        inner, outer = self.gaps[at]
        self.taken[at].append(y)
        return (inner + outer) / 2, y
