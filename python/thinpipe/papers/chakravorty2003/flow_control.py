"""The windows advertised to hosts, §IV.D: initial values, steady state and smoothness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.measuring import box_queue, each, mean, time_mean
from thinpipe.papers.chakravorty2003.queueing import runs as downloads
from thinpipe.papers.chakravorty2003.setup import (
    FEW,
    MSS,
    RADIO,
    Settings,
    clamp,
    download,
    point,
    seeds,
)
from thinpipe.plot.series import SYN, sending_end

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

BOX: Final = clamp(10)

RATE: Final = 4150
"""C_init, B/s, §II."""

ROUND_TRIP_S: Final = 1.85
"""RTT_init: the default of middlebox.atcp.round_trip."""

BETA: Final = 1.5
"""β: by more than 50 % of the bandwidth-delay product, §IV.D."""

W_INIT: Final = RATE * ROUND_TRIP_S * BETA
"""Bytes."""

LAWS: Final = ((0.25, 0, 1500), (0.25, 1500, 1000), (0.5, 1000, 6000))
"""Of the window: a in 1/s, b and c in B/s."""

JOINING: Final = (2, 4, 12)
"""Connections of an aggregate; with 12 a share of the window is less than a segment."""


def joined(connections: int) -> Point:
    """Return that many downloads, one a tenth of a second after the other."""
    more: Settings = (
        ("flow.count", connections),
        ("flow.interval", "0.1 s"),
        ("duration", "100 s"),
    )
    return point(RADIO, BOX, download(100), more)


def advertised(run: Outcome, flow: int = 0) -> tuple[NDArray, NDArray]:  # type: ignore[type-arg]
    """Return the windows advertised to a flow's sender after its handshake, with their times."""
    rows = sending_end(run.tables["segments"], flow=flow)
    rows = rows.filter((rows["event"] == "received") & ((rows["flags"] & SYN) == 0))
    return rows["time_s"].to_numpy(), rows["window"].to_numpy()


def first_window(run: Outcome) -> float:
    """Return the first window of the connection that joined last, in B."""
    return float(advertised(run, len(run.result.flows) - 1)[1][0])


def first_windows(outcomes: Outcomes) -> list[float]:
    """Return first windows less C = max(MSS, w_init / n), in segments."""
    return [
        (first_window(outcomes[joined(number)]) - max(MSS, W_INIT / number)) / MSS
        for number in JOINING
    ]


def under(a: float, b: float, c: float) -> tuple[Point, ...]:
    """Return downloads under another law of the window."""
    law = (("middlebox.atcp.a", a), ("middlebox.atcp.b", b), ("middlebox.atcp.c", c))
    return seeds(RADIO, BOX, download(600), law, among=FEW)


def settled(outcomes: Outcomes) -> list[float]:
    """Return the mean backlog of the box from 20 s to 120 s, in % of (b + c) / a."""
    return [
        100
        * mean(outcomes, under(a, b, c), lambda run: time_mean(box_queue(run), 20, 120))
        / ((b + c) / a)
        for a, b, c in LAWS
    ]


def small(run: Outcome) -> float:
    """Return the share of windows that hold less than a segment, in per cent."""
    return 100 * float((advertised(run)[1] < MSS).mean())


MEASURES: Final[dict[str, Measure]] = {
    "w1-first": lambda outcomes: [first_window(outcomes[downloads(RADIO, BOX)[0]])],
    "w1-joining": first_windows,
    "w2-settles": settled,
    "w3-smooth": each(downloads(RADIO, BOX), small),
}

POINTS: Final = tuple(each for law in LAWS for each in under(*law))
TRACED: Final = tuple(joined(number) for number in JOINING)
