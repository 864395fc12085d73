"""A metric of a sweep over a parameter: means over seeds with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.plot.drawing import begin_at_zero, fit_unit, legend_above
from thinpipe.plot.sweep.looks import ALGORITHM, Look, line_looks, named
from thinpipe.sweep.interval import Estimate, estimates
from thinpipe.sweep.words import axis_label, metric_scale, parameter_scale, parameter_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.sweep.choice import Choice
    from thinpipe.sweep.study import Study

DODGE: Final = 0.4
"""Share of the space between two categories over which lines spread side by side."""

Line = list[tuple[Any, Estimate]]
"""Values of the parameter on the axis, in order, with their estimates."""


def draw_lines(study: Study, ax: Axes, chosen: Choice) -> None:
    """Draw the means of a metric over a parameter, with confidence intervals if there are any."""
    lines = _lines(study, chosen)
    values = list(dict.fromkeys(value for line in lines.values() for value, _ in line))
    if all(_is_number(value) for value in values):
        _draw_numbers(ax, study, chosen, lines)
    else:
        _draw_words(ax, study, chosen, lines, values)
    ax.set_ylabel(axis_label(chosen.y))
    if all(each.least >= 0 for line in lines.values() for _, each in line):
        begin_at_zero(ax)
    fit_unit(ax.yaxis)
    legend_above(ax)


def _lines(study: Study, chosen: Choice) -> dict[str, Line]:
    lines: dict[str, Line] = {}
    keys = [*chosen.by, str(chosen.x)]
    for values, (found,) in estimates(study.complete, keys, [chosen.y]):
        words = [named(study, key, value) for key, value in zip(chosen.by, values, strict=False)]
        if found is not None:
            lines.setdefault(", ".join(words), []).append((values[-1], found))
    return lines


def _draw_numbers(ax: Axes, study: Study, chosen: Choice, lines: Mapping[str, Line]) -> None:
    key = str(chosen.x)
    unit = study.units.get(key)
    scale = parameter_scale(unit, (value for line in lines.values() for value, _ in line))
    looks = line_looks(list(lines))
    for label, line in lines.items():
        ordered = sorted(line, key=lambda each: each[0])
        at = [scale.factor * value for value, _ in ordered]
        _draw_line(ax, looks[label], label, at, [each for _, each in ordered], chosen.y, "-")
    ax.set_xlabel(f"{key} ({scale.unit})" if scale.unit else key)


def _draw_words(
    ax: Axes, study: Study, chosen: Choice, lines: Mapping[str, Line], values: list[Any]
) -> None:
    """Draw categories, such as names, side by side; algorithms on the axis have their colours."""
    if chosen.x in ALGORITHM and not chosen.by:
        [line] = lines.values()
        for (value, mean), look in zip(line, line_looks(values).values(), strict=True):
            _draw_line(ax, look, "", [values.index(value)], [mean], chosen.y, "none")
        lines = {}
    step = DODGE / len(lines) if lines else 0.0
    looks = line_looks(list(lines))
    for number, (label, line) in enumerate(lines.items()):
        aside = step * (number - (len(lines) - 1) / 2)
        at = [values.index(value) + aside for value, _ in line]
        _draw_line(ax, looks[label], label, at, [each for _, each in line], chosen.y, "none")
    words = [parameter_text(value, study.units.get(str(chosen.x))) for value in values]
    ax.set_xticks(range(len(values)), words)
    ax.set_xlim(-0.5, len(values) - 0.5)
    ax.set_xlabel(str(chosen.x))


def _draw_line(
    ax: Axes,
    look: Look,
    label: str,
    at: list[float],
    found: list[Estimate],
    y: str,
    style: str,
) -> None:
    factor = metric_scale(y).factor
    halves = [math.nan if each.half is None else factor * each.half for each in found]
    ax.errorbar(
        at,
        [factor * each.mean for each in found],
        yerr=None if np.isnan(halves).all() else halves,
        label=label or "_",
        color=look.color,
        marker=look.mark,
        linestyle=style,
        markersize=4.5,
        capsize=3,
        elinewidth=1.1,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
