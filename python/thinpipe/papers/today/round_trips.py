"""Two flows of different round trips in one queue: what the shorter one gets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from thinpipe.papers.today.causes import ITS_OWN_WINDOW
from thinpipe.papers.today.setup import SEEDS
from thinpipe.point import Point
from thinpipe.scenario import Scenario, find

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.group_result import Group
    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

APART: Final = tuple((f"flow.group.{name}.start", "spread over 5 s") for name in ("near", "far"))

STRAYING: Final[Settings] = (
    ("link.delay", "9 ms"),
    ("flow.group.near.delay", "1 ms"),
    ("flow.group.far.delay", "31 ms"),
    ("flow.group.near.return_jitter", "0.5 ms"),
    ("flow.group.far.return_jitter", "0.5 ms"),
)
"""The same round trips with acknowledgements that stray, in their order, on wires of their own, so
that no flow keeps its phase (Floyd & Jacobson 1991)."""

RENO: Final = ("tcp.congestion_control", "reno")
CUBIC: Final = ("tcp.congestion_control", "cubic")

CONTROLS: Final[dict[str, Settings]] = {
    "reno": (RENO, *STRAYING),
    "cubic": (CUBIC, *STRAYING),
    "cubic-own": (CUBIC, *STRAYING, *ITS_OWN_WINDOW),
    "cubic-exact": (CUBIC,),
}


def shared(name: str, seed: int) -> Point:
    """Return a run of the scenario, whose flows begin at moments of their own."""
    scenario = "rtt-unfairness"
    settings = {**dict(APART), **dict(CONTROLS[name]), "seed": seed}
    return Point.of(Scenario(scenario, find(scenario).source), settings)


POINTS: Final = tuple(shared(name, seed) for name in CONTROLS for seed in SEEDS)


def exponent(outcome: Outcome) -> float:
    """Return a of rate ~ round trip ^ -a, by mean rates and round trips of both flows."""
    near, far = (_of(outcome, name) for name in ("near", "far"))
    return math.log(near[0] / far[0]) / math.log(far[1] / near[1])


def _of(outcome: Outcome, name: str) -> tuple[float, float]:
    [group] = (each for each in outcome.result.groups if each.name == name)
    return _known(group)


def _known(group: Group) -> tuple[float, float]:
    """Return goodput and mean round trip, which flows of three minutes have."""
    assert group.goodput_bps is not None
    assert group.rtt_s.mean is not None
    return group.goodput_bps, group.rtt_s.mean


def _exponents(name: str) -> Callable[[Outcomes], Sequence[float]]:
    return lambda outcomes: [exponent(outcomes[shared(name, seed)]) for seed in SEEDS]


MEASURES: Final = {f"rtt-{name}": _exponents(name) for name in CONTROLS}
