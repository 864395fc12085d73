"""The connections of a capture as workload."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import received_s
from thinpipe.papers.chakravorty2003.setup import FEW, PLAIN, RADIO, Settings, clamp, point
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.point import Point

CAPTURE: Final = files(__package__) / "browsing.pcap"
"""Headers of packets of two minutes of browsing, a connection an object and four at a time. Made by
``thinpipe run gprs-fifo`` with 1 Mbit/s either way, ``flow.application = "web"``,
``flow.web.protocol = "http/1.0"`` and ``flow.web.reading = "15 s"``; pure acknowledgements and
payload are left out."""

WAYS: Final[dict[str, Settings]] = {"no box": PLAIN, "atcp": clamp(10)}


def runs(way: str) -> tuple[Point, ...]:
    """Return the workload with or without the box, one run per seed."""
    workload = (
        ("flow.bytes", "1 B"),
        ("flow.group.capture.arrivals", str(CAPTURE)),
        ("duration", "600 s"),
    )
    return tuple(point(RADIO, workload, WAYS[way], seed=seed) for seed in FEW)


POINTS: Final = tuple(each for way in WAYS for each in runs(way))


def times_s(outcomes: Outcomes, way: str) -> list[float]:
    """Return the time of each connection from its SYN to its last byte, of all seeds, in s."""
    return [
        received_s(outcomes[each], number, flow.started_s or 0.0)
        for each in runs(way)
        for number, flow in enumerate(outcomes[each].result.flows)
        if flow.group == "capture"
    ]


def shorter(outcomes: Outcomes) -> list[float]:
    """Return the mean time of a connection with the box over that without."""
    box, plain = (float(np.mean(times_s(outcomes, way))) for way in ("atcp", "no box"))
    return [box / plain]


MEASURES: Final[dict[str, Measure]] = {"arrivals-time": shorter}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate the times of connections."""
    rows = []
    for way in WAYS:
        found = times_s(outcomes, way)
        numbers = (np.mean(found), np.median(found), np.percentile(found, 95))
        rows.append((way, str(len(found)), *(short(float(number)) for number in numbers)))
    head = ("", "connections", "mean s", "median s", "95 % within s")
    return (Table("Connections of a capture, three seeds together", head, tuple(rows)),)
