"""Boxes from the lower to the upper quartile of a metric over runs, a box a combination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from thinpipe.plot.drawing import fit_unit, legend_above
from thinpipe.plot.sweep.limits import limits
from thinpipe.plot.sweep.looks import line_looks, named
from thinpipe.sweep.interval import groups
from thinpipe.sweep.words import axis_label, metric_scale, parameter_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.sweep.choice import Choice
    from thinpipe.sweep.study import Study

SHARE: Final = 0.8
"""Of the space between two values, taken by the boxes of one."""


def draw_boxes(study: Study, ax: Axes, chosen: Choice) -> None:
    """Draw the boxes of a value on the x-axis side by side; whiskers reach the extremes."""
    factor = metric_scale(chosen.y).factor
    frame = study.complete.drop_nulls(chosen.y)
    places: dict[Any, int] = {}
    boxes: dict[str, list[tuple[int, list[float]]]] = {}
    for values, rows in groups(frame, [*chosen.by, *([chosen.x] if chosen.x else [])]):
        at = parameter_text(values[-1], study.units.get(chosen.x)) if chosen.x else ""
        words = [named(study, key, each) for key, each in zip(chosen.by, values, strict=False)]
        place = places.setdefault(at, len(places))
        found = [factor * float(each) for each in rows[chosen.y]]
        boxes.setdefault(", ".join(words) or at, []).append((place, found))
    _draw(ax, boxes, side_by_side=bool(chosen.by))
    ax.set_xticks(range(len(places)), list(places))
    ax.set_xlim(-0.5, max(len(places), 1) - 0.5)
    ax.set(xlabel=chosen.x or "", ylabel=axis_label(chosen.y))
    runs = [each for found in boxes.values() for _, values in found for each in values]
    scale = ax.get_yscale()
    ax.set_ylim(limits(runs, scale=scale))
    if scale != "log" and all(each >= 0 for each in runs):
        ax.set_ylim(bottom=0.0)
    fit_unit(ax.yaxis)
    legend_above(ax)


def _draw(ax: Axes, boxes: dict[str, list[tuple[int, list[float]]]], *, side_by_side: bool) -> None:
    looks = line_looks(list(boxes))
    width = SHARE / len(boxes) if side_by_side else SHARE / 2
    for number, (label, found) in enumerate(boxes.items()):
        aside = width * (number - (len(boxes) - 1) / 2) if side_by_side else 0.0
        color = looks[label].color
        line = {"color": color}
        ax.boxplot(
            [values for _, values in found],
            positions=[place + aside for place, _ in found],
            widths=0.8 * width,
            whis=(0, 100),
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": color, "edgecolor": color, "alpha": 0.35},
            medianprops={"color": color, "linewidth": 1.8},
            whiskerprops=line,
            capprops=line,
            label=label if side_by_side else None,
        )
