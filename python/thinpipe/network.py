"""A scenario's network without a run: nodes, links and positions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from thinpipe import _core
from thinpipe.counted import counted
from thinpipe.inputs import customs_of
from thinpipe.point import NO_SETTINGS, Point, Value
from thinpipe.scenario import Source

MIN_ALIKE: Final = 6
"""From this number on, nodes that differ only in their name are merged into one."""

WIRED: Final = "wired"
"""The kind of a wired link."""

WLAN: Final = "wlan"
"""The kind of a link of a wireless LAN."""


@dataclass(frozen=True, slots=True)
class Node:
    """A host or router, or `count` of them that are alike."""

    name: str
    middlebox: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of a link; ``None`` is unlimited, or not a single number.

    ``slots`` are the time slots of a radio that has them instead of a rate. ``shared`` means that
    all links of this kind at the node share one queue, as at an access point.
    """

    rate_bps: float | None
    delay_s: float | None
    queue_packets: int | None
    queue_bytes: int | None
    slots: str | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A link between two nodes, given by index; ``forward`` leads from the first to the second.

    ``kind`` is `WIRED` or that of a radio.
    """

    name: str
    kind: str
    ends: tuple[int, int]
    forward: Direction
    reverse: Direction | None


@dataclass(frozen=True, slots=True)
class Station:
    """A transmitter with a position; ``range_m`` where its coverage is a circle."""

    name: str
    position_m: tuple[float, float]
    range_m: float | None


@dataclass(frozen=True, slots=True)
class Walk:
    """The path of a mobile: time in s and position in m of each waypoint."""

    name: str
    course: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Route:
    """A static route, by node names: at ``at``, packets to ``to`` go via the neighbour ``via``."""

    at: str
    to: str
    via: str


@dataclass(frozen=True, slots=True)
class Network:
    """Nodes, the links between them, and what has a position.

    ``routes`` are the static ones; all other packets take the path with the least delay.
    """

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    stations: tuple[Station, ...]
    walks: tuple[Walk, ...]
    routes: tuple[Route, ...] = ()

    @classmethod
    def of(
        cls,
        scenario: Source,
        settings: Mapping[str, Value] = NO_SETTINGS,
    ) -> Network:
        """Build the network of a scenario with settings as of `thinpipe.run`.

        Raises
        ------
        ScenarioError
            If the scenario or a setting is wrong.
        OSError
            If the scenario's file cannot be read.
        """
        return cls.of_point(Point.of(scenario, settings))

    @classmethod
    def of_point(cls, point: Point) -> Network:
        """Build the network of a point; the errors are those of `of`."""
        scenario = point.scenario
        asked = (scenario.source, scenario.name, point.settings, customs_of(point))
        layout = _core.network(*asked)
        return cls(
            nodes=tuple(Node(each["name"], each["middlebox"]) for each in layout["nodes"]),
            links=_links(layout["links"], dict(_core.values(*asked))),
            stations=tuple(
                Station(each["name"], _pair(each["position_m"]), each["range_m"])
                for each in layout["stations"]
            ),
            walks=tuple(
                Walk(each["name"], tuple((t, x, y) for t, x, y in each["course"]))
                for each in layout["walks"]
            ),
            routes=tuple(Route(each["at"], each["to"], each["via"]) for each in layout["routes"]),
        )

    def grouped(self) -> Network:
        """Return the network with groups of at least `MIN_ALIKE` alike nodes merged."""
        network = self
        # One group at a time: a merge can make neighbours alike.
        while (merged := network._merged()) is not None:
            network = merged
        return network

    def _merged(self) -> Network | None:
        """Return the network with one group of alike nodes merged; ``None`` if all are small."""
        links: dict[int, list[int]] = defaultdict(list)
        for number, link in enumerate(self.links):
            for end in link.ends:
                links[end].append(number)
        alike: dict[object, list[int]] = defaultdict(list)
        for number, node in enumerate(self.nodes):
            around = [self._seen_from(number, link) for link in links[number]]
            alike[node.middlebox, frozenset(Counter(around).items())].append(number)
        enough = (nodes for nodes in alike.values() if len(nodes) >= MIN_ALIKE)
        merged = next(enough, None)
        return None if merged is None else self._merge(merged, links)

    def _seen_from(self, node: int, number: int) -> tuple[object, ...]:
        """Return a link as seen from one of its nodes, without names."""
        link = self.links[number]
        start, end = link.ends
        return (
            (end, "to") if start == node else (start, "from"),
            link.kind,
            link.forward,
            link.reverse,
        )

    def _merge(self, merged: Sequence[int], links: Mapping[int, list[int]]) -> Network:
        nodes, kept = dict(enumerate(self.nodes)), dict(enumerate(self.links))
        first, *others = merged
        names = [self.nodes[node].name for node in merged]
        count = sum(self.nodes[node].count for node in merged)
        nodes[first] = replace(nodes[first], name=_span(names), count=count)
        for place, link in enumerate(links[first]):
            names = [self.links[links[node][place]].name for node in merged]
            kept[link] = replace(kept[link], name=_span(names))
        for node in others:
            del nodes[node]
            for link in links[node]:
                del kept[link]
        number = {old: new for new, old in enumerate(nodes)}
        moved = tuple(
            replace(link, ends=(number[link.ends[0]], number[link.ends[1]]))
            for link in kept.values()
        )
        return replace(self, nodes=tuple(nodes.values()), links=moved)


_TO: Final = " … "


def _span(names: Sequence[str]) -> str:
    if len(set(names)) == 1:
        return names[0]
    first, _, _ = names[0].partition(_TO)
    _, _, last = names[-1].rpartition(_TO)
    return f"{first}{_TO}{last}"


def _links(directions: Sequence[Mapping[str, Any]], values: Mapping[str, str]) -> tuple[Link, ...]:
    """Join the two directions of each link: those with the same name and ends."""
    links: dict[tuple[str, frozenset[int]], Link] = {}
    ends_of = _ends(directions)
    users = Counter((each["name"], ends[0]) for each, ends in zip(directions, ends_of, strict=True))
    for each, ends in zip(directions, ends_of, strict=True):
        name, _, suffix = each["name"].rpartition("/")
        key = (name or suffix, frozenset(ends))
        way = Direction(
            each["rate_bps"],
            each["delay_s"],
            each["queue_packets"],
            each["queue_bytes"],
            _slots(values, suffix) if each["kind"] != WIRED and each["rate_bps"] is None else None,
            shared=each["kind"] == WLAN and suffix == "down" and users[each["name"], ends[0]] > 1,
        )
        forward = links.get(key)
        links[key] = (
            Link(key[0], each["kind"], ends, way, None)
            if forward is None
            else replace(forward, reverse=way)
        )
    return tuple(links.values())


def _ends(directions: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Return the ends of each direction; an unused one begins where its opposite ends."""
    to = {each["name"]: each["to"] for each in directions}
    return [
        (to[_opposite(each["name"])] if each["from"] is None else each["from"], each["to"])
        for each in directions
    ]


def _opposite(name: str) -> str:
    """Return the name of the other direction of a link.

    >>> _opposite("wan/down")
    'wan/up'
    """
    link, _, way = name.rpartition("/")
    return f"{link}/{'up' if way == 'down' else 'down'}"


def _slots(values: Mapping[str, str], way: str) -> str | None:
    slots = values.get(f"radio.{way}link.slots")
    if slots is None:
        return None
    scheme = values["radio.gprs.coding_scheme"].upper()
    return f"{counted(int(slots), 'slot')} of {scheme}"


def _pair(values: Sequence[float]) -> tuple[float, float]:
    x, y = values
    return x, y
