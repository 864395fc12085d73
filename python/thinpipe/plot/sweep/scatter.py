"""A metric over another, a mark a run: throughput over delay, as Pantheon draws it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from thinpipe.plot.drawing import fit_unit
from thinpipe.plot.sweep.limits import MARGIN, limits
from thinpipe.plot.sweep.looks import Look, Looks
from thinpipe.sweep.interval import Estimate, groups
from thinpipe.sweep.words import axis_label, metric_scale

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from thinpipe.plot.sweep.choice import Choice
    from thinpipe.sweep.study import Study

RUN: Final = 3.5
MEAN: Final = 9.0
"""Sizes of marks in points."""

CAP: Final = 4.0
"""Size of the ends of an interval in points: a narrow ellipse alone looks like a line."""

NEAR: Final = 0.01
SMALLER: Final = 0.7
"""A mark so near to an earlier one, as a share of the axes, is smaller, so that both are seen."""


def draw_scatter(study: Study, ax: Axes, chosen: Choice) -> None:
    """Draw each run, and the mean of each combination with its confidence intervals."""
    names = (str(chosen.x), chosen.y)
    frame = study.complete.drop_nulls(names)
    found = {values: _scaled(rows, names) for values, rows in groups(frame, chosen.by)}
    means = {values: [_estimate(side) for side in sides] for values, sides in found.items()}
    for axis, name in enumerate(names):
        runs = [each for sides in found.values() for each in sides[axis]]
        ends = [end for each in means.values() for end in (each[axis].low, each[axis].high)]
        scale = ax.get_yscale() if axis else ax.get_xscale()
        held = limits(runs, [end for end in ends if end is not None], scale=scale)
        if axis == 0:
            _limit_x(ax, name, held)
        else:
            ax.set(ylim=held, ylabel=axis_label(name))
            if scale != "log" and all(each >= 0 for each in runs):
                ax.set_ylim(0.0, (1.0 + MARGIN) * max(ax.get_ylim()[1], 0.0))
            fit_unit(ax.yaxis)
    looks = Looks.by(study, chosen.by, list(found))
    places: list[tuple[float, float]] = []
    for values, sides in found.items():
        x, y = means[values]
        places.append(tuple(ax.transLimits.transform((x.mean, y.mean))))
        beneath = sum(math.dist(each, places[-1]) < NEAR for each in places[:-1])
        dashes = "--" if beneath else "-"
        _draw(ax, looks[values], sides, (x, y), MEAN * SMALLER**beneath, dashes)
    looks.name(ax)


def _limit_x(ax: Axes, name: str, held: tuple[float, float] | None) -> None:
    """Set limits and label of the x-axis, on which times fall to the right."""
    is_time = held is not None and metric_scale(name).unit == "s"
    ax.set(xlim=held[::-1] if is_time and held else held, xlabel=axis_label(name))
    fit_unit(ax.xaxis)
    if is_time:
        ax.set_xlabel(f"{ax.get_xlabel()}, falling to the right")


def _scaled(rows: pl.DataFrame, names: Sequence[str]) -> list[list[float]]:
    """Return the values of metrics in the units of their axes."""
    return [[metric_scale(name).factor * float(each) for each in rows[name]] for name in names]


def _estimate(values: Sequence[float]) -> Estimate:
    found = Estimate.of(values)
    assert found is not None, "a group has a run"
    return found


def _draw(
    ax: Axes,
    look: Look,
    sides: Sequence[Sequence[float]],
    means: tuple[Estimate, Estimate],
    size: float,
    dashes: str,
) -> None:
    from matplotlib.patches import Ellipse

    x, y = means
    width, height = (2 * (each.half or 0.0) for each in means)
    if width or height:  # without one of them it is a line
        at, color = (x.mean, y.mean), look.color
        ax.add_patch(Ellipse(at, width, height, facecolor=color, alpha=0.2))
        style: dict[str, Any] = {"fill": False, "edgecolor": color, "linestyle": dashes}
        ax.add_patch(Ellipse(at, width, height, linewidth=1.4, zorder=2.5, **style))
        ends: dict[str, Any] = {
            "fmt": "none",
            "ecolor": color,
            "elinewidth": 0,
            "capsize": CAP,
            "zorder": 2.5,
        }
        ax.errorbar(*at, xerr=x.half, yerr=y.half, **ends)
    if x.count > 1:
        ax.plot(*sides, look.mark, color=look.color, ms=RUN, alpha=0.5, mew=0)
    ax.plot(x.mean, y.mean, look.mark, color=look.color, ms=size, mec="white", zorder=3)
