"""A map of the run in focus: transmitters with their ranges, and the ways of mobiles."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from thinpipe.lab.panel import Handle, Layer, PanelKind, Sight
from thinpipe.lab.run_inputs import network, values
from thinpipe.network import Walk
from thinpipe.plot.network_places import places_by_time
from thinpipe.tables import NoTableError
from thinpipe.values import as_toml

STATIONS: Final = ("wlan.access_point", "radio.node_b")
"""Lists of what transmits; each has a `position`."""

MOST_HANDLES: Final = 40
MOST_WALKS: Final = 40
"""Of more mobiles, these are shown: more lines cannot be told apart."""

NEW_PLACE: Final = ["{x} m", "{y} m"]


def is_there(sight: Sight) -> bool:
    """Return whether anything has a place."""
    try:
        its = network(sight.run)
    except NoTableError:
        return False
    return bool(its.stations or its.walks)


def layers(sight: Sight) -> list[Layer]:
    """Return transmitters with their ranges, and each mobile's way with the times at its turns."""
    its = network(sight.run)
    drawn: list[Layer] = []
    if its.stations:
        places = np.array([each.position_m for each in its.stations], dtype=np.float64)
        ranges = [each.range_m for each in its.stations]
        named = [
            f"{each.name}: {each.position_m[0]:g} m, {each.position_m[1]:g} m"
            for each in its.stations
        ]
        drawn += [
            sight.layer(
                "circles",
                "transmitter and its range" if any(ranges) else "base station",
                x=places[:, 0],
                y=places[:, 1],
                radius=np.array([each or 0.0 for each in ranges]),
                tone="acknowledgement",
                tips=named,
            ),
            sight.layer(
                "words",
                x=places[:, 0],
                y=places[:, 1],
                text=[f"  {each.name}" for each in its.stations],
                tone="ink",
                shift=-14,
            ),
        ]
    for hue, walk in enumerate(its.walks[:MOST_WALKS]):
        drawn += _way(sight, walk, hue, labelled=len(its.walks) <= MOST_WALKS)
    return drawn


def _way(sight: Sight, walk: Walk, hue: int, *, labelled: bool) -> list[Layer]:
    time_s, x, y = (np.array(each, dtype=np.float64) for each in zip(*walk.course, strict=True))
    way = {"time_s": time_s, "x": x, "y": y, "hue": hue}
    drawn = [sight.layer("course", walk.name if labelled else "", **way)]
    if ahead := _ahead(sight, walk):
        xs, ys = map(np.array, zip(walk.course[-1][1:], *ahead, strict=True))
        drawn.append(sight.layer("line", x=xs, y=ys, hue=hue, dotted=True))
    stays = places_by_time(walk)
    if labelled and len(stays) > 1:
        drawn.append(
            sight.layer(
                "words",
                x=np.array([place[0] for place, _ in stays]),
                y=np.array([place[1] for place, _ in stays]),
                text=[f"  {when}" for _, when in stays],
                hue=hue,
                apart=True,
                shift=14,
            )
        )
    return drawn


def _ahead(sight: Sight, walk: Walk) -> list[tuple[float, float]]:
    """Return the turns of a walk that it does not reach before the end of the run."""
    legs = _value(values(sight.run), f"wlan.mobile.{walk.name}.walk")
    turns = [(metres(leg["to"][0]), metres(leg["to"][1])) for leg in legs]
    places = iter([(x, y) for _, x, y in walk.course])
    reached = sum(1 for turn in turns if turn in places)  # each after the one before
    return turns[reached:]


def handles(sight: Sight) -> list[Handle]:
    """Return what can be dragged: transmitters, and the starts and turns of walks.

    A way that a velocity gives has no turns.
    """
    given = values(sight.run)
    found: list[Handle] = []
    for table in STATIONS:
        for name in _names(given, table):
            key = f"{table}.{name}.position"
            x, y = (metres(each) for each in _value(given, key))
            text = as_toml(key, NEW_PLACE)
            found.append({"label": name, "key": key, "x": x, "y": y, "text": text})
    for name in _names(given, "wlan.mobile"):
        key = f"wlan.mobile.{name}.position"
        x, y = (metres(each) for each in _value(given, key))
        text = as_toml(key, NEW_PLACE)
        found.append({"label": f"Start of {name}", "key": key, "x": x, "y": y, "text": text})
        found += _turns(f"wlan.mobile.{name}.walk", name, given)
    return found[:MOST_HANDLES]


def _turns(key: str, name: str, given: Mapping[str, str]) -> list[Handle]:
    """Return a handle for each turn of a walk: its key's value with another place there."""
    legs = _value(given, key)
    found = []
    for number, leg in enumerate(legs):
        moved = [*legs[:number], {**leg, "to": NEW_PLACE}, *legs[number + 1 :]]
        x, y = (metres(each) for each in leg["to"])
        label = f"Turn {number + 1} of {name}"
        found.append({"label": label, "key": key, "x": x, "y": y, "text": as_toml(key, moved)})
    return found


def _names(given: Mapping[str, str], table: str) -> list[str]:
    head, tail = f"{table}.", ".name"
    named = [key for key in given if key.startswith(head) and key.endswith(tail)]
    return [key[len(head) : -len(tail)] for key in named]


def _value(given: Mapping[str, str], key: str) -> list[Any]:
    """Return the value of a key that is a list; of one that is not given, nothing."""
    value: list[Any] = tomllib.loads(f"value = {given.get(key) or '[]'}")["value"]
    return value


def metres(length: str) -> float:
    """Return a length with its unit in metres.

    >>> metres("1.5 km")
    1500.0
    """
    number, _, unit = length.strip().partition(" ")
    return float(number) * {"m": 1.0, "km": 1000.0}[unit.strip()]


PLACES: Final = PanelKind(
    "map", "Map", "m", layers, runs="focus", axis="place", handles=handles, there=is_there
)
