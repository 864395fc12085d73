"""The pictures of the page: goodput over delay, and harm."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final

from thinpipe.evaluation.trials import Trial, Trials, figure

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.evaluation.findings import Line
    from thinpipe.plot.sweep.looks import Look

DELAY: Final = "network.delay_s.p95"
GOODPUT: Final = "goodput_bps"

COLUMNS: Final = 4
PANEL_IN: Final = (2.75, 2.2)
"""Width and height of a panel in inches: four fill the page."""

ROW_IN: Final = 0.5
ROW_SHARE: Final = 0.7
"""Height of a row in inches, and the share of it on which marks stand."""

RUN: Final = 3.0
MEAN: Final = 8.0
"""Sizes of marks in points."""

NEAR: Final = 0.05
SMALLER: Final = 0.7
"""A mark so near to earlier ones, as a share of the axes, is smaller, so that all are seen."""

ROOM: Final = 1.15
"""The upper end of an axis over its greatest value."""

Points = Mapping[str, Sequence[tuple[float, float]]]
"""By congestion control, delay in ms and goodput in Mbit/s of each run."""


def throughput_over_delay(trials: Trials, runs: Sequence[Mapping[str, Any]]) -> Figure | None:
    """Draw a panel a pipe: the pipes of the criteria that are drawn; ``None`` without any."""
    import matplotlib.pyplot as plt

    from thinpipe.plot.style import style
    from thinpipe.plot.sweep.looks import line_looks

    panels = _panels(trials, runs)
    if not panels:
        return None
    names = list(dict.fromkeys(name for points in panels.values() for name in points))
    looks = line_looks(names)
    rows = -(-len(panels) // COLUMNS)
    size = (COLUMNS * PANEL_IN[0], rows * PANEL_IN[1] + 0.4)
    with style():
        drawn, axes = plt.subplots(rows, COLUMNS, figsize=size, squeeze=False)
        for ax, (pipe, points) in zip(axes.flat, panels.items(), strict=False):
            _draw(ax, points, looks)
            ax.set_title(pipe)
        for ax in axes.flat[len(panels) :]:
            ax.remove()
        drawn.supxlabel("One-way delay, 95 % (ms), falling to the right")
        drawn.supylabel("Goodput (Mbit/s)")
        _name(drawn, looks)
    plt.close(drawn)
    return drawn


def harms(lines: Sequence[Line]) -> Figure | None:
    """Draw a harm in each pipe, which is a row; ``None`` without any."""
    import matplotlib.pyplot as plt

    from thinpipe.plot.style import style
    from thinpipe.plot.sweep.looks import line_looks

    if not lines:
        return None
    looks = line_looks(list(dict.fromkeys(name for line in lines for name in line.values)))
    with style():
        drawn, ax = plt.subplots(figsize=(COLUMNS * PANEL_IN[0], 1.2 + ROW_IN * len(lines)))
        for row, line in enumerate(lines):
            for place, name in enumerate(line.values):
                _draw_row(ax, line, name, row + ROW_SHARE * _middle(place, len(line.values)), looks)
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.set_yticks(range(len(lines)), [line.place for line in lines])
        ax.set_ylim(len(lines) - 0.5, -0.5)
        ax.set_xlabel(f"{lines[0].measure.name}: 0 nothing lost, 1 everything")
        _name(drawn, looks)
    plt.close(drawn)
    return drawn


def _middle(place: int, count: int) -> float:
    """Return where one of several stands around the middle, from −0.5 to 0.5."""
    return (place + 0.5) / count - 0.5


def _draw_row(ax: Axes, line: Line, name: str, y: float, looks: Mapping[str, Look]) -> None:
    own = [each for each in line.values[name] if each is not None]
    if own:
        color, mark = looks[name]
        ax.plot(own, [y] * len(own), mark, color=color, ms=RUN, alpha=0.5, mew=0)
        ax.plot(fmean(own), y, mark, color=color, ms=MEAN, mec="white")


def _name(drawn: Figure, looks: Mapping[str, Look]) -> None:
    """Put a legend above."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=look.color, marker=look.mark, linestyle="none", label=name)
        for name, look in looks.items()
    ]
    drawn.legend(handles=handles, loc="outside upper left", ncols=len(handles))


def _panels(trials: Trials, runs: Sequence[Mapping[str, Any]]) -> dict[str, Points]:
    """Return what each pipe has, in the order of the criteria."""
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for trial in trials.all:
        if trial.criterion.is_drawn and not trial.without and trial.contestant is not None:
            own = panels.setdefault(trial.pipe.scenario.name, {})
            own.setdefault(trial.contestant.name, []).extend(_points(trial, runs))
    return {pipe: points for pipe, points in panels.items() if any(points.values())}


def _points(trial: Trial, runs: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    own = runs[trial.first : trial.first + len(trial.plan)]
    found = ((figure(run, DELAY), figure(run, GOODPUT)) for run in own)
    return [(1e3 * x, 1e-6 * y) for x, y in found if x is not None and y is not None]


def _draw(ax: Axes, points: Points, looks: Mapping[str, Look]) -> None:
    """Draw the runs of each congestion control and their mean, the evaluated one on top."""
    every = [each for own in points.values() for each in own]
    ax.set_xlim(ROOM * max(x for x, _ in every), 0)
    ax.set_ylim(0, ROOM * max(y for _, y in every))
    places: list[tuple[float, float]] = []
    for name, own in reversed([*points.items()]):
        if own:
            color, mark = looks[name]
            xs, ys = zip(*own, strict=True)
            mean = (fmean(xs), fmean(ys))
            places.append(tuple(ax.transLimits.transform(mean)))
            size = MEAN * SMALLER ** sum(math.dist(each, places[-1]) < NEAR for each in places[:-1])
            ax.plot(xs, ys, mark, color=color, ms=RUN, alpha=0.5, mew=0)
            ax.plot(*mean, mark, color=color, ms=size, mec="white")
