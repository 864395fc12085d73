"""Short downloads, §VI.A: figure 9."""

from __future__ import annotations

from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.measuring import closed_s, radio_end
from thinpipe.papers.chakravorty2003.setup import (
    FIFO,
    PLAIN,
    RADIO,
    Settings,
    clamp,
    download,
    point,
    seeds,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.plot.series import acks_received, segments_sent
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

SIZES: Final = (5, 10, 15, 20, 25, 30)
"""KB."""

REPEATS: Final = range(1, 26)
"""Seeds: each transfer was repeated 25 times."""

LINUX: Final[Settings] = (("tcp.receiver", "linux-2.4"),)
"""A mobile that begins with a window of 5392 B."""

WINDOWS: Final[Settings] = (("tcp.receiver", "win2000"),)
"""The other platform of §V: 16 KB. Windows CE 3.0, with 8 KB, gives the same times."""

OPEN: Final[Settings] = (("tcp.receiver", "plain"), ("tcp.receive_buffer", "65535 B"))
"""Linux 2.4 but for how its window opens: all of it is offered at first."""

BOX: Final = clamp(10)

SERIES: Final = {
    "without proxy, receiver Windows 2000": WINDOWS,
    "with proxy, receiver Windows 2000": (*BOX, *WINDOWS),
    "with proxy, receiver Linux 2.4": (*BOX, *LINUX),
    "without proxy, receiver Linux 2.4": LINUX,
}

LARGER: Final = SIZES[1:]
"""Sizes that the window of Linux 2.4 cannot hold at once."""

BOUND: Final = 2.064
"""Student's t, 24 degrees of freedom, two-sided 95 %."""


def runs(more: Settings, kb: int, scenario: str = RADIO) -> tuple[Point, ...]:
    """Return the downloads behind one mark of figure 9."""
    return seeds(scenario, download(kb), more, among=REPEATS)


def times(outcomes: Outcomes, more: Settings, kb: int) -> list[float]:
    """Return the times of the repetitions, with connect and close, in s."""
    return [closed_s(outcomes[point]) for point in runs(more, kb)]


def fifo_time(outcomes: Outcomes, more: Settings, kb: int) -> float:
    """Return the time of a download over the plain queue, in s."""
    return closed_s(outcomes[point(FIFO, download(kb), more)])


POINTS: Final = tuple(
    each
    for scenario, shown in (
        (RADIO, (*SERIES.values(), OPEN, (*BOX, *OPEN))),
        (FIFO, (PLAIN, BOX)),
    )
    for more in shown
    for kb in SIZES
    for each in runs(more, kb, scenario)
)


def half_width(values: Sequence[float]) -> float:
    """Return half the width of the 95 % confidence interval of the mean of 25."""
    return float(BOUND * stdev(values) / len(values) ** 0.5)


def gain(outcomes: Outcomes, receiver: Settings, kb: int) -> float:
    """Return by how much less the median with the proxy is, in per cent of that without."""
    plain, box = (median(times(outcomes, (*more, *receiver), kb)) for more in (PLAIN, BOX))
    return 100 * (1 - box / plain)


def differences(receiver: Settings) -> Measure:
    """Measure the change of the median time by the proxy, in %, one value per size."""
    return lambda outcomes: [-gain(outcomes, receiver, kb) for kb in SIZES]


def apart(outcomes: Outcomes) -> list[float]:
    """Return the gap between the confidence intervals of the means, in s, one value per size."""
    found = []
    for kb in SIZES:
        plain, proxy = (times(outcomes, (*more, *LINUX), kb) for more in (PLAIN, BOX))
        found.append(fmean(plain) - half_width(plain) - fmean(proxy) - half_width(proxy))
    return found


def injected(run: Outcome) -> float:
    """Return what was sent over the radio before the first acknowledgement of data, in B."""
    rows = radio_end(run.tables["segments"])
    sent, heard = segments_sent(rows), acks_received(rows)
    first_s = heard.time_s[heard.ack > 0][0]
    return float(sent.last[sent.carries_data & (sent.time_s < first_s)].max())


def narrower(receiver: Settings) -> Measure:
    """Measure the gain with a receiver beside that with Windows 2000, in % of difference."""
    return lambda outcomes: [
        100 * (gain(outcomes, receiver, kb) / gain(outcomes, WINDOWS, kb) - 1) for kb in LARGER
    ]


MEASURES: Final[dict[str, Measure]] = {
    "p1-apart": apart,
    "p1-5392": narrower(LINUX),
    "p1-open": narrower(OPEN),
    "p1-window": lambda outcomes: [
        max(injected(outcomes[each]) for each in runs((*BOX, *LINUX), kb)) for kb in LARGER
    ],
    "p1-linux": differences(LINUX),
    "p1-other": differences(WINDOWS),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate the times, mean and standard deviation."""
    rows = [
        (
            name,
            *(
                f"{short(fmean(found))} ± {short(stdev(found), 2)}"
                for found in (times(outcomes, more, kb) for kb in SIZES)
            ),
        )
        for name, more in SERIES.items()
    ]
    rows += [
        (f"{name}, plain queue", *(short(fifo_time(outcomes, more, kb)) for kb in SIZES))
        for name, more in (("without proxy", PLAIN), ("with proxy", BOX))
    ]
    head = ("", *(f"{kb} KB" for kb in SIZES))
    caption = "Transfer times in s, connect and close included: mean ± standard deviation of 25"
    return (Table(caption, head, tuple(rows)),)
