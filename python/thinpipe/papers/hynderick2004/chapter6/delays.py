"""What delays packets without link-layer recovery: figure VI.1 and a column of Table VI.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.drawing import name_point, one_legend, panels
from thinpipe.papers.hynderick2004.chapter6.measuring import (
    bytes_per_s,
    deviation_ms,
    each,
    mean,
    rtt_ms,
)
from thinpipe.papers.hynderick2004.chapter6.recovery import (
    MANY_SEEDS,
    TOGETHER,
    UNREPAIRED,
    WAITING,
    WITHOUT,
    cells,
    max_rtt_ms,
    min_rtt_ms,
)
from thinpipe.papers.hynderick2004.figures import styled
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.plot.style import COLORS
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

_SOONER: Final[Settings] = (("tcp.min_rto", "200 ms"),)

WINDOWS: Final[dict[str, Settings]] = {
    "as in the facts": (),
    "Reno": (("tcp.variant", "reno"),),
    "NewReno": (("tcp.variant", "newreno"),),
    "SACK": (("tcp.variant", "sack"),),
    "Vegas": (("tcp.variant", "vegas"),),
    "Westwood+": (("tcp.variant", "westwood"),),
    "CUBIC": (("tcp.variant", "cubic"),),
    "without Limited Transmit": (("tcp.limited_transmit", False),),
    "minimum RTO of 200 ms": _SOONER,
    "one draw a block": TOGETHER,
    "SACK, one draw, 200 ms": (("tcp.variant", "sack"), *TOGETHER, *_SOONER),
}
"""Settings in which the window is another."""

RECEIVERS: Final[dict[str, Settings]] = {
    "an ACK waits up to 30 ms": (("tcp.delayed_ack", "30 ms"),),
    "an ACK waits up to 50 ms (IV.A)": WAITING,
}
"""Settings in which packets that come alone are acknowledged later."""

GREATEST_MS: Final = 240
"""Of figure VI.1."""


def runs(more: Settings) -> list[Point]:
    """Return the runs without recovery at BLER 1 % with further settings, one per seed."""
    return cells(0.01, (*WITHOUT, *more))


WAITING_RUNS: Final = cells(0.01, (*WITHOUT, *WAITING), MANY_SEEDS)

POINTS: Final = (
    *(point for more in (WINDOWS | RECEIVERS).values() for point in runs(more)),
    *WAITING_RUNS,
)


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate throughput and round-trip times in all settings."""
    rows = []
    for name, more in (WINDOWS | RECEIVERS).items():
        values = (
            mean(outcomes, runs(more), value) for value in (bytes_per_s, rtt_ms, deviation_ms)
        )
        greatest = max(each(outcomes, runs(more), max_rtt_ms))
        rows.append((name, *(short(value, 4) for value in values), short(greatest)))
    stated = (*(short(value, 5) for value in UNREPAIRED), short(GREATEST_MS))
    head = ("", "B/s", "RTT ms", "deviation ms", "greatest ms")
    caption = "BLER 1 %, no recovery, mean of five seeds"
    return (Table(caption, head, (("thesis", *stated), *rows)),)


def say(outcomes: Outcomes) -> tuple[str, ...]:
    """Say what the delays do not depend on, and what they need."""
    points = [runs(more) for more in WINDOWS.values()]
    rates = [mean(outcomes, each_, bytes_per_s) / 1000 for each_ in points]
    rtts = [mean(outcomes, each_, rtt_ms) for each_ in points]
    least_ms, most_ms = _even_wait_ms(outcomes)
    return (
        f"The delays of figure VI.1 are not the window's: in {len(points)} settings the "
        f"throughput is {short(min(rates), 2)} to {short(max(rates), 2)} kB/s, and the mean RTT "
        f"{min(rtts):.0f} to {max(rtts):.0f} ms. If each packet that finds the link idle waited "
        f"for a time between 0 and {most_ms:.0f} ms, evenly spread, the RTT would be "
        f"{least_ms + most_ms / 2:.0f} ± {_spread_ms(most_ms):.1f} ms, as in the thesis; its text "
        "names nothing that waits so.",
    )


def _even_wait_ms(outcomes: Outcomes) -> tuple[float, float]:
    """Return the minimum round-trip time, and the most of an even wait that makes the mean."""
    least_ms = min(each(outcomes, runs(()), min_rtt_ms))
    return least_ms, 2 * (UNREPAIRED[1] - least_ms)


def _spread_ms(most_ms: float) -> float:
    """Return the deviation of a wait that is evenly spread from 0 to a time."""
    return float(most_ms / np.sqrt(12))


@styled
def draw(outcomes: Outcomes) -> Figure:
    """Mean round-trip time against throughput, and its deviation against its mean."""
    figure, (left, right) = panels(1, 2, 10.0, 4.0)
    groups = ((WINDOWS, "o", "#0072B2", "Another window"),
              (RECEIVERS, "s", "#D55E00", "A receiver that waits"))  # fmt: skip
    for group, marker, hue, label in groups:
        look: dict[str, Any] = {"marker": marker, "color": hue, "linestyle": "none"}
        rate, rtt, spread = (
            [mean(outcomes, runs(more), value) for more in group.values()]
            for value in (bytes_per_s, rtt_ms, deviation_ms)
        )
        left.plot(np.divide(rate, 1000), rtt, label=label, **look)
        right.plot(rtt, spread, label=label, **look)
    for name, point in zip(RECEIVERS, zip(rtt, spread, strict=True), strict=True):
        name_point(right, name.removeprefix("an ACK waits "), point, hue, (-7, -3))
    stated: dict[str, Any] = {
        "marker": "*",
        "color": COLORS["paper"],
        "markersize": 11,
        "linestyle": "none",
    }
    left.plot(UNREPAIRED[0] / 1000, UNREPAIRED[1], label="Thesis", **stated)
    right.plot(*UNREPAIRED[1:], label="Thesis", **stated)
    least_ms, _ = _even_wait_ms(outcomes)
    most_ms = np.linspace(0, 50, 2)
    right.plot(least_ms + most_ms / 2, [_spread_ms(each_) for each_ in most_ms],
               color=COLORS["muted"], label="Each waits evenly from 0 to a time")  # fmt: skip
    left.set(xlabel="Throughput (kB/s)", ylabel="Mean RTT (ms)", xlim=(0, None), ylim=(138, 162))
    right.set(xlabel="Mean RTT (ms)", ylabel="Deviation of RTT (ms)", ylim=(0, None))
    one_legend(figure, (left, right))
    return figure


def _waiting(value: Callable[[Outcome], float]) -> Measure:
    return lambda outcomes: each(outcomes, WAITING_RUNS, value)


MEASURES: Final[dict[str, Measure]] = {
    "c5-rate-waits": _waiting(bytes_per_s),
    "c5-rtt-waits": _waiting(rtt_ms),
    "c5-dev-waits": _waiting(deviation_ms),
}
