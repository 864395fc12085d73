"""Fairness between connections, §VI.B: figure 10."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.measuring import (
    connect_s,
    each,
    jain,
    overlap_s,
    rate,
    syn_again,
)
from thinpipe.papers.chakravorty2003.setup import (
    FIFO,
    PLAIN,
    RADIO,
    Settings,
    clamp,
    download,
    second,
    seeds,
)

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

FIRST_KB: Final = 235
"""What lasts 60 s alone: the first flow of figure 10 ends then without the proxy."""

SECOND_KB: Final = 100
AFTER_S: Final = 20

BOX: Final = clamp(10)

PORTS: Final = (20, 8020)
TICKETS: Final = (2, 1)

CLASSES: Final[Settings] = (
    ("flow.port", PORTS[0]),
    ("flow.group.second.port", PORTS[1]),
    *(
        (f"middlebox.atcp.classes.{name}.{key}", value)
        for name, port, tickets in zip(("first", "second"), PORTS, TICKETS, strict=True)
        for key, value in (("port", port), ("tickets", tickets))
    ),
)
"""Twice as many tickets for the first flow as for the second."""

CONNECTED_S: Final = 2
"""Of the overlap, what is left out at its beginning: the queue turns over once."""


def runs(scenario: str, more: Settings = PLAIN) -> tuple[Point, ...]:
    """Return a download and a second one 20 s after it."""
    return seeds(scenario, download(FIRST_KB), second(AFTER_S, SECOND_KB), more)


POINTS: Final = tuple(
    point
    for scenario in (RADIO, FIFO)
    for more in (PLAIN, BOX, (*BOX, *CLASSES))
    for point in runs(scenario, more)
)


def rates(run: Outcome) -> tuple[float, float]:
    """Return the rates of both flows while both were active, in B/s."""
    start_s, end_s = overlap_s(run)
    first, other = (rate(run, start_s + CONNECTED_S, end_s, flow) for flow in (0, 1))
    return first, other


def fairness(run: Outcome) -> float:
    """Return Jain's index over the overlap."""
    return jain(rates(run))


def half(run: Outcome) -> float:
    """Return the first flow's rate during the overlap over that before it."""
    start_s, _ = overlap_s(run)
    return rates(run)[0] / rate(run, AFTER_S / 2, start_s)


def unlike(run: Outcome) -> float:
    """Return the second flow's rate beside the first's, in per cent of difference."""
    first, other = rates(run)
    return 100 * (other / first - 1)


def by_tickets(run: Outcome) -> float:
    """Return the first flow's rate over the second's."""
    first, other = rates(run)
    return first / other if other else float("inf")


def share_until_first_ends(run: Outcome) -> float:
    """Return what the second flow has of its data when the first ends, in per cent."""
    end_s = run.result.flows[0].completed_s or run.result.duration_s
    return 100 * rate(run, 0, end_s, 1) * end_s / (SECOND_KB * 1024)


MEASURES: Final[dict[str, Measure]] = {
    "p2-plain-connect": each(runs(RADIO), partial(connect_s, flow=1)),
    "p2-plain-little": each(runs(RADIO), share_until_first_ends),
    "p2-syn": each(runs(RADIO, BOX), partial(syn_again, flow=1)),
    "p2-fair": each(runs(RADIO, BOX), unlike),
    "p2-half": each(runs(RADIO, BOX), half),
    "p2-tickets": each(runs(RADIO, (*BOX, *CLASSES)), by_tickets),
    "p2-fifo-connect": each(runs(FIFO, BOX), partial(connect_s, flow=1)),
    "p2-fifo-jain": each(runs(FIFO, BOX), fairness),
    "p2-fifo-tickets": each(runs(FIFO, (*BOX, *CLASSES)), by_tickets),
}
