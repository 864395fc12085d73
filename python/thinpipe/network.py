"""A scenario's network without a run: nodes, links and places."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from thinpipe import _core
from thinpipe.point import Point, Value
from thinpipe.scenario import Scenario

ALIKE: Final = 6
"""From so many on, nodes that differ in nothing but their name stand as one."""

WIRED: Final = "wired"
"""The kind of a link that is no radio."""


@dataclass(frozen=True, slots=True)
class Node:
    """A host or router, or `count` of them that are alike."""

    name: str
    middlebox: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Way:
    """One direction of a link; ``None`` has no limit, or is no matter of one number.

    ``slots`` are the time slots of a radio that has them in the place of a rate.
    """

    rate_bps: float | None
    delay_s: float | None
    queue_packets: int | None
    queue_bytes: int | None
    slots: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link between two nodes of a network, by their numbers: forth from the first to the second.

    ``kind`` is `WIRED` or that of a radio.
    """

    name: str
    kind: str
    ends: tuple[int, int]
    forth: Way
    back: Way | None


@dataclass(frozen=True, slots=True)
class Station:
    """What stands somewhere and sends; ``range_m`` where its reach is a circle."""

    name: str
    position_m: tuple[float, float]
    range_m: float | None


@dataclass(frozen=True, slots=True)
class Walk:
    """Where a mobile goes: time in s and place in m where its way bends and where it ends."""

    name: str
    course: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Network:
    """Nodes and the links between them, and what has a place."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    stations: tuple[Station, ...]
    walks: tuple[Walk, ...]

    @classmethod
    def of(
        cls,
        scenario: str | os.PathLike[str] | Scenario,
        settings: Mapping[str, Value] | Iterable[tuple[str, Value]] = (),
    ) -> Network:
        """Build the network of a scenario under settings, which are those of `thinpipe.run`.

        Raises
        ------
        ScenarioError
            If the scenario or a setting is wrong.
        OSError
            If the scenario's file cannot be read.
        """
        point = Point.of(scenario, settings)
        asked = (point.scenario.source, point.scenario.name, point.settings)
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
        )

    def grouped(self) -> Network:
        """Return the network with nodes that are alike as one, from `ALIKE` of them on."""
        links: dict[int, list[int]] = defaultdict(list)
        for number, link in enumerate(self.links):
            for end in link.ends:
                links[end].append(number)
        alike: dict[object, list[int]] = defaultdict(list)
        for number, node in enumerate(self.nodes):
            around = [self._seen_from(number, link) for link in links[number]]
            alike[node.middlebox, frozenset(Counter(around).items())].append(number)
        merged = [nodes for nodes in alike.values() if len(nodes) >= ALIKE]
        return self._merge(merged, links) if merged else self

    def _seen_from(self, node: int, number: int) -> tuple[object, ...]:
        """Return what a link is to a node: all but names, its own and the node's."""
        link = self.links[number]
        start, end = link.ends
        return (end, "to") if start == node else (start, "from"), link.kind, link.forth, link.back

    def _merge(self, merged: Sequence[Sequence[int]], links: Mapping[int, list[int]]) -> Network:
        nodes, kept = dict(enumerate(self.nodes)), dict(enumerate(self.links))
        for first, *others in merged:
            names = [self.nodes[node].name for node in (first, *others)]
            nodes[first] = replace(nodes[first], name=_span(names), count=len(names))
            for place, link in enumerate(links[first]):
                names = [self.links[links[node][place]].name for node in (first, *others)]
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


def _span(names: Sequence[str]) -> str:
    return names[0] if len(set(names)) == 1 else f"{names[0]} … {names[-1]}"


def _links(ways: Sequence[Mapping[str, Any]], values: Mapping[str, str]) -> tuple[Link, ...]:
    """Join the directions that have a name and both ends in common."""
    links: dict[tuple[str, frozenset[int]], Link] = {}
    for each in ways:
        name, _, suffix = each["name"].rpartition("/")
        ends = (each["from"], each["to"])
        key = (name or suffix, frozenset(ends))
        way = Way(
            each["rate_bps"],
            each["delay_s"],
            each["queue_packets"],
            each["queue_bytes"],
            _slots(values, suffix) if each["kind"] != WIRED and each["rate_bps"] is None else None,
        )
        forth = links.get(key)
        links[key] = (
            Link(key[0], each["kind"], ends, way, None)
            if forth is None
            else replace(forth, back=way)
        )
    return tuple(links.values())


def _slots(values: Mapping[str, str], way: str) -> str | None:
    slots = values.get(f"radio.{way}link.slots")
    if slots is None:
        return None
    scheme = values["radio.gprs.coding_scheme"].upper()
    return f"{slots} slot{'' if slots == '1' else 's'} of {scheme}"


def _pair(values: Sequence[float]) -> tuple[float, float]:
    x, y = values
    return x, y
