"""Elements of several figures: panels, colours and sequence traces."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import radio_end
from thinpipe.papers.chakravorty2003.setup import KB
from thinpipe.plot.drawing import legend_below
from thinpipe.plot.series import acks_received, outstanding, segments_sent
from thinpipe.plot.style import style

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

    Drawing = Callable[[Outcomes], Figure]

HUES: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours that are distinct with any colour vision (Okabe and Ito, 2008)."""

MARKERS: Final = "osD^vPX"
BLACK: Final = HUES[-1]
GREY: Final = "#8A8A8A"


def styled(draw: Drawing) -> Drawing:
    """Draw in the common style."""

    @wraps(draw)
    def drawing(outcomes: Outcomes) -> Figure:
        with style():
            return draw(outcomes)

    return drawing


def panels(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def how(number: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - what matplotlib takes
    """Return the look of a numbered series."""
    return {
        "color": HUES[number],
        "marker": MARKERS[number],
        "markersize": 4.5,
        "markerfacecolor": "white",
        "linewidth": 1.1,
        **more,
    }


def trace(
    ax: Axes, run: Outcome, flow: int = 0, hue: str = HUES[0], name: str = "sequence number"
) -> None:
    """Draw a sender's trace over the radio: data sent, retransmitted, and acknowledged."""
    rows = radio_end(run.tables["segments"], flow)
    sent, heard = segments_sent(rows), acks_received(rows)
    data = sent.only(sent.carries_data)
    before = np.maximum.accumulate(np.append(0, data.last[:-1])) if len(data.last) else data.last
    again = data.first < before
    ax.plot(data.time_s[~again], data.first[~again] / KB, ".", color=hue, markersize=3, label=name)
    if again.any():
        ax.plot(
            data.time_s[again], data.first[again] / KB, "x", color=BLACK, label="retransmitted",
            markersize=5,
        )  # fmt: skip
    ax.step(
        heard.time_s, np.maximum.accumulate(heard.ack) / KB, where="post", color=hue,
        linewidth=0.9, alpha=0.7, label=name.replace("sequence", "acknowledgement"),
    )  # fmt: skip


def in_flight(ax: Axes, run: Outcome, **more: Any) -> None:  # noqa: ANN401 - as above
    """Draw the bytes outstanding over the radio."""
    rows = radio_end(run.tables["segments"])
    data = outstanding(rows)
    ax.step(data.time_s, data.instant_bytes / KB, where="post", **more)


def one_legend(figure: Figure, axes: Sequence[Axes], columns: int = 6) -> None:
    """Put one legend for all axes below the figure."""
    known: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            known.setdefault(label, handle)
    legend_below(figure, known, columns)
