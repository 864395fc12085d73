"""§V's walk: from home into the domain, and from one access router to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Table
from thinpipe.papers.yew2012.setup import MAC, SCENARIO
from thinpipe.point import Point
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes
    from thinpipe.result import Handover

POINT: Final = Point.of(SCENARIO, dict([*MAC, ("duration", "500 s")]))
"""One run: the walk is the same for every seed but for some ms of the messages' way."""


def handovers(outcomes: Outcomes) -> Sequence[Handover]:
    """Return the mobile's handovers in their order."""
    mobility = outcomes[POINT].result.mobility
    return () if mobility is None else mobility.handovers


def _count(is_so: Callable[[Handover], bool]) -> Callable[[Outcomes], list[float]]:
    return lambda outcomes: [float(sum(map(is_so, handovers(outcomes))))]


MEASURES: Final[Mapping[str, Callable[[Outcomes], Sequence[float]]]] = {
    "walk-registered": _count(lambda each: each.home_registered_s is not None),
    "walk-map-only": _count(
        lambda each: each.registered_s is not None and each.home_registered_s is None
    ),
    "walk-overlap": _count(lambda each: each.link_down_s is None and each.address_s is not None),
}


def table(outcomes: Outcomes) -> Sequence[Table]:
    """Tabulate when each step of each handover came about."""
    mobility = outcomes[POINT].result.mobility
    routers = () if mobility is None else mobility.routers
    rows = [
        (
            routers[each.router],
            short(each.link_down_s, 5),
            short(each.link_up_s, 5),
            short(each.address_s, 5),
            short(each.registered_s, 5),
            short(each.home_registered_s, 5),
        )
        for each in handovers(outcomes)
    ]
    head = ("to", "old link lost s", "new link s", "new address s", "MAP told s", "HA told s")
    return (Table("The handovers of the walk, in 500 s", head, tuple(rows)),)


ITEM: Final = Item(
    "walk",
    "Section V: the mobile's walk",
    (
        "The mobile leaves its home at 5 s at 100 m/s, and AR1 at 30 s at 1 m/s; which access "
        "point it hears where follows from cells of 200 m, which are our choice. “–” in a column "
        "means that the event does not happen: the old link is not lost before the next one is "
        "there, or the home agent is not updated.",
    ),
    (POINT,),
    Detail.RESULT,
    tabulate=table,
)
