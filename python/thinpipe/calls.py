"""Rate calls that were carried elsewhere, as those of a run are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thinpipe import _core
from thinpipe.arguments import check
from thinpipe.call_result import Call
from thinpipe.inputs import customs_of
from thinpipe.point import Point

LONGEST_S: Final = 1e6
"""More than any frame is worth waiting for; nanoseconds of it fit in 64 bits."""


def rate_call(point: Point, group: str, delays_s: Sequence[float | None]) -> Call:
    """Rate one direction of a call by the E-model (ITU-T G.107).

    Parameters
    ----------
    point
        A scenario and settings with the call's keys, ``flow.group.NAME.voip``.
    group
        The name of its group, whose application is ``voip``.
    delays_s
        What each frame took from sender to receiver, in s, from the first one sent to the last;
        ``None`` if it was lost.

    Raises
    ------
    ScenarioError
        If a setting is wrong, or the group has no call.
    ValueError
        If a delay is below zero or endless.

    Examples
    --------
    >>> import thinpipe as tp
    >>> point = tp.Point.of("umts-384", {"flow.group.call.application": "voip"})
    >>> round(tp.rate_call(point, "call", [0.15, 0.16, None, 0.15] * 100).mos, 1)
    1.9
    """
    check(point=point, group=group, delays_s=delays_s)
    for number, delay_s in enumerate(delays_s):
        if delay_s is not None and not 0 <= delay_s <= LONGEST_S:
            raise ValueError(f"delays_s[{number}]: must be 0 to {LONGEST_S:g} s, not {delay_s}")
    scenario = point.scenario
    asked = (scenario.source, scenario.name, point.settings, customs_of(point))
    told = _core.rate_call(*asked, group, delays_s)
    return Call.from_json(told)
