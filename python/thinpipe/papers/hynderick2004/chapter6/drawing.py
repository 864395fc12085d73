"""Panels that several figures of the chapter have."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.measuring import Kept

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
    """Take the legends of all axes together below the figure."""
    known: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            known.setdefault(label.split(" (")[0], handle)
        legend = ax.get_legend()
        if legend is not None:
            legend.remove()
    figure.legend(known.values(), known.keys(), loc="outside lower center", ncols=columns)


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
    """Label the axes of what is drawn against the queue, to scale."""
    ax.set(xlabel="Queue (packets)", ylabel=ylabel, xticks=queues, title=title)
    ax.tick_params(axis="x", labelsize="small")
    ax.set_ylim(bottom=0)


def named(ax: Axes, names: Sequence[object], xlabel: str, ylabel: str, title: str = "") -> None:
    """Name places from left to right, and label the axes."""
    ax.set(xlabel=xlabel, ylabel=ylabel, xticks=range(len(names)), xticklabels=list(names))
    ax.set_title(title)
    ax.set_ylim(bottom=0)
