"""Panels that several figures of the chapter have."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.measuring import Kept
from thinpipe.plot.drawing import legend_below
from thinpipe.plot.series import SAMPLES
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

RATE_HUES: Final = {60: "#009E73", 120: "#0072B2", 240: "#D55E00"}
"""Colours by rate in kbit/s (Okabe and Ito, 2008)."""

PAYLOAD_LINES: Final = {500: "--", 1500: "-"}
PAYLOAD_MARKERS: Final = {500: "o", 1500: "s"}
PAYLOAD_HUES: Final = {500: "#0072B2", 1500: "#D55E00"}

_WORDS: Final = {
    f"Mean of the last {SAMPLES}": f"Mean of the last {SAMPLES} dots, whatever time each takes",
}
"""The thesis averages dots, not time: such a mean is above the rate where packets come in pairs."""

_DOTS: Final = ("Segment", "Retransmitted")
"""Kinds whose bars are as short as dots at this scale; the legend shows dots."""


def panels(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def over_time(
    figure: Figure,
    axes: Sequence[Axes],
    outcomes: Outcomes,
    shown: Sequence[tuple[str, Point]],
    picture: str,
    view: Sequence[tuple[float, float | None]] | tuple[float, float | None] = (0.0, None),
) -> None:
    """Draw one of the pictures that every run has into each of the axes, one legend for all.

    `view` is the time shown, one for all or one each.
    """
    views = [view] * len(axes) if isinstance(view, tuple) else view
    for ax, (title, point), (start_s, end_s) in zip(axes, shown, views, strict=False):
        draw = getattr(Kept(outcomes[point]).plot, picture)
        draw(ax, start_s=start_s, end_s=end_s)
        ax.set_title(title)
    one_legend(figure, axes)
    only_outer_labels(axes)


def one_legend(figure: Figure, axes: Sequence[Axes], columns: int = 6) -> None:
    """Take the legends of all axes together below the figure, in the place of one there."""
    from matplotlib.lines import Line2D

    known: dict[str, Any] = {}
    figure.legends.clear()
    for ax in axes:
        entries: tuple[list[Any], list[Any]] = ax.get_legend_handles_labels()
        for handle, label in zip(*entries, strict=True):
            name = label.split(" (")[0]
            hue = handle.get_color() if name in _DOTS else None
            dot = Line2D([], [], color=hue, linestyle="none", marker=".")
            known.setdefault(_WORDS.get(name, name), dot if name in _DOTS else handle)
        legend = ax.get_legend()
        if legend is not None:
            legend.remove()
    legend_below(figure, known, columns)


def mark_jump(ax: Axes, at_s: float) -> None:
    """Mark when the link's rate changes."""
    ax.axvline(at_s, color=COLORS["muted"], linestyle=":", linewidth=1.2, label="Rate changes")


def draw_rate(ax: Axes, rates: Sequence[int], first_s: float, apart_s: float) -> None:
    """Draw the link's rate in kbit/s, which steps first at `first_s`, within the time shown."""
    start_s, end_s = ax.get_xlim()
    jumps_s = [first_s + apart_s * number for number in range(len(rates) - 1)]
    ax.stairs(rates, [start_s, *jumps_s, end_s], baseline=None, color=COLORS["paper"],
              linewidth=0.9, label="Rate of the link")  # fmt: skip
    ax.set_xlim(start_s, end_s)


def shade(ax: Axes, spells: Sequence[tuple[float, float]], end_s: float | None = None) -> None:
    """Shade the black-outs that begin before the end."""
    look: dict[str, Any] = {"color": COLORS["muted"], "alpha": 0.18, "linewidth": 0}
    for start_s, over_s in spells:
        if end_s is None or start_s < end_s:
            until_s = over_s if end_s is None else min(over_s, end_s)
            ax.axvspan(start_s, until_s, label="Black-out", **look)


def only_outer_labels(axes: Sequence[Axes]) -> None:
    """Name the axes only at the left and at the bottom."""
    for ax in axes:
        spec = ax.get_subplotspec()
        if spec is not None and not spec.is_first_col():
            ax.set_ylabel("")
        if spec is not None and not spec.is_last_row():
            ax.set_xlabel("")


def same_height(axes: Sequence[Axes]) -> None:
    """Let all axes reach as high as the highest."""
    top = max(ax.get_ylim()[1] for ax in axes)
    for ax in axes:
        ax.set_ylim(top=top)


def against(
    ax: Axes,
    x: Sequence[float],
    runs: Sequence[Sequence[Outcome]],
    value: Callable[[Outcome], float],
    middle: Callable[[Sequence[float]], float] = fmean,
    **how: Any,  # noqa: ANN401 - what matplotlib takes
) -> None:
    """Draw means over runs against places from left to right, and the range over runs as bars."""
    values = [[value(run) for run in each] for each in runs]
    mean = np.array([middle(each) for each in values])
    low, high = (np.array([end(each) for each in values]) for end in (min, max))
    ax.errorbar(
        x,
        mean,
        yerr=[np.maximum(mean - low, 0), np.maximum(high - mean, 0)],
        markersize=4.5,
        linewidth=1.1,
        elinewidth=0.8,
        markerfacecolor="white",
        **how,
    )


def by_queue(ax: Axes, queues: Sequence[int], ylabel: str, title: str) -> None:
    """Label the axes of what is drawn against the queue, on a logarithmic scale."""
    ax.set_xscale("log", base=2)
    ax.set(xlabel="Queue (packets)", ylabel=ylabel, title=title)
    ax.set_xticks(queues, [str(queue) for queue in queues])
    ax.minorticks_off()
    ax.tick_params(axis="x", labelsize="small")
    ax.set_ylim(bottom=0)


def named(ax: Axes, names: Sequence[object], xlabel: str, ylabel: str, title: str = "") -> None:
    """Name places from left to right, and label the axes."""
    ax.set(xlabel=xlabel, ylabel=ylabel, xticks=range(len(names)), xticklabels=list(names))
    ax.set_title(title)
    ax.set_ylim(bottom=0)


def name_point(
    ax: Axes, name: str, place: tuple[float, float], hue: str, offset: tuple[float, float]
) -> None:
    """Write the name of a point, `offset` points of print away from it."""
    side = "left" if offset[0] > 0 else "right" if offset[0] < 0 else "center"
    ax.annotate(name, place, xytext=offset, textcoords="offset points", ha=side, color=hue,
                fontsize=8)  # fmt: skip
