"""What can be emulated, and the keys that keywords of an emulation mean."""

from __future__ import annotations

import re
import tomllib

from thinpipe import _core
from thinpipe.point import Point
from thinpipe.scenario import Scenario
from thinpipe.scenario import keys as all_keys


def check(point: Point) -> None:
    """Check that a scenario is valid, with one stationary mobile and no middlebox.

    Raises
    ------
    ScenarioError
        If something is wrong.
    """
    name = point.scenario.name
    values = dict(_core.values(point.scenario.source, name, point.settings))
    named = sum(re.fullmatch(r"radio\.ue\.[\w-]+\.name", key) is not None for key in values)
    mobiles = int(values.get("radio.ues", "0")) + named
    if "mobile_ip.kind" in values:
        raise _core.ScenarioError(
            f"{name}: its mobiles move through an IPv6 network, and an emulated one is a chain: "
            "take a scenario without [mobile_ip]"
        )
    if mobiles > 1:
        cure = "leave one [[radio.ue]]" if named else "--set radio.ues=1"
        raise _core.ScenarioError(
            f"{name}: has {mobiles} mobiles, and an emulated program is one alone: {cure}"
        )
    if values.get("middlebox.kind", "none") != "none":
        raise _core.ScenarioError(
            f"{name}: has a middlebox, and an emulated network has none: --set middlebox.kind=none"
        )


def key_of(scenario: Scenario, keyword: str) -> str:
    """Return the key that a keyword argument means."""
    known = {key.name for key in all_keys()}
    if "__" in keyword or keyword in known:
        return keyword.replace("__", ".")
    tables = tomllib.loads(scenario.source)
    table = next((name for name in ("radio", "link") if name in tables), None)
    return keyword if table is None else f"{table}.{keyword}"
