"""A metric of a sweep over a parameter: means over seeds with confidence intervals."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.plot.drawing import legend_above
from thinpipe.plot.style import ALGORITHMS, OTHER, style
from thinpipe.sweep.interval import CONFIDENCE, Estimate, estimates
from thinpipe.sweep.words import metric_label, metric_scale, parameter_scale, parameter_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.sweep.study import Study

SEED: Final = "seed"
MARKS: Final = "osD^vPX"
DODGE: Final = 0.4
"""Share of the space between two categories over which lines spread side by side."""

Line = list[tuple[Any, Estimate]]
"""Values of the parameter on the axis, in order, with their estimates."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The parameter on the x-axis, the metric on the y-axis, and the parameters of lines."""

    x: str
    y: str
    by: tuple[str, ...]

    @classmethod
    def of(cls, study: Study, x: str | None, y: str, by: Sequence[str] | None) -> Choice:
        """Choose what is not given.

        The x-axis is the first varied parameter, preferably a number; the other varied parameters
        give the lines.

        Raises
        ------
        ValueError
            If the sweep has no such metric or parameter, or runs with different parameters would
            be averaged.
        """
        varied = [key for key in study.varied if study.frame[key].n_unique() > 1]
        if x is None:
            numbers = [key for key in varied if study.frame[key].dtype.is_numeric()]
            x = next(iter([*numbers, *varied]), SEED)
        others = [key for key in varied if key != x]
        for name, given in (("x", x), *(("by", key) for key in by or ())):
            _check(name, given, [*study.varied, SEED])
        figures = [
            name
            for name, kind in study.frame.schema.items()
            if kind.is_numeric() and name not in study.varied and name != SEED
        ]
        _check("y", y, figures)
        lines = tuple(others if by is None else by)
        mixed = [key for key in others if key not in lines]
        if mixed:
            raise ValueError(f"by: {mixed[0]} varies as well; runs with different ones do not mix")
        return cls(x, y, tuple(key for key in dict.fromkeys(lines) if key != x))


def draw_sweep(study: Study, ax: Axes, chosen: Choice) -> Axes:
    """Draw the means of a metric over a parameter, with confidence intervals if there are any."""
    lines = _lines(study, chosen)
    values = list(dict.fromkeys(value for line in lines.values() for value, _ in line))
    with style():
        if all(_is_number(value) for value in values):
            _draw_numbers(ax, study, chosen, lines)
        else:
            _draw_words(ax, study, chosen, lines, values)
        _finish(ax, chosen.y)
    return ax


def heading(study: Study, chosen: Choice) -> str:
    """Return the heading of a plot."""
    seeds = study.frame[SEED].n_unique()
    if seeds == 1 or SEED in (chosen.x, *chosen.by):
        return f"{study.scenario}: one run a point, no intervals"
    interval = f"{100 * CONFIDENCE:g} % confidence interval"
    return f"{study.scenario}: mean and {interval} over {seeds} seeds"


def _lines(study: Study, chosen: Choice) -> dict[str, Line]:
    lines: dict[str, Line] = {}
    keys = [*chosen.by, chosen.x]
    for values, (found,) in estimates(study.frame, keys, [chosen.y]):
        words = [
            _named(key, value, study.units) for key, value in zip(chosen.by, values, strict=False)
        ]
        if found is not None:
            lines.setdefault(", ".join(words), []).append((values[-1], found))
    return lines


def _draw_numbers(ax: Axes, study: Study, chosen: Choice, lines: Mapping[str, Line]) -> None:
    unit = study.units.get(chosen.x)
    scale = parameter_scale(unit, (value for line in lines.values() for value, _ in line))
    looks = line_looks(list(lines))
    for label, line in lines.items():
        ordered = sorted(line, key=lambda each: each[0])
        at = [scale.factor * value for value, _ in ordered]
        _draw_line(ax, looks[label], label, at, [each for _, each in ordered], chosen.y, "-")
    ax.set_xlabel(f"{chosen.x} ({scale.unit})" if scale.unit else chosen.x)


def _draw_words(
    ax: Axes, study: Study, chosen: Choice, lines: Mapping[str, Line], values: list[Any]
) -> None:
    """Draw categories, such as names, side by side."""
    step = DODGE / len(lines) if lines else 0.0
    looks = line_looks(list(lines))
    for number, (label, line) in enumerate(lines.items()):
        aside = step * (number - (len(lines) - 1) / 2)
        at = [values.index(value) + aside for value, _ in line]
        _draw_line(ax, looks[label], label, at, [each for _, each in line], chosen.y, "none")
    words = [parameter_text(value, study.units.get(chosen.x)) for value in values]
    ax.set_xticks(range(len(values)), words)
    ax.set_xlim(-0.5, len(values) - 0.5)
    ax.set_xlabel(chosen.x)


def line_looks(labels: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return colour and marker of each line; an algorithm's colour is its own."""
    own = {label: ALGORITHMS[label] for label in labels if label in ALGORITHMS}
    palette = (OTHER, *ALGORITHMS.values())
    free = cycle([color for color in palette if color not in own.values()] or palette)
    return {
        label: (own[label] if label in own else next(free), mark)
        for label, mark in zip(labels, cycle(MARKS), strict=False)
    }


def _draw_line(
    ax: Axes,
    look: tuple[str, str],
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
        color=look[0],
        marker=look[1],
        linestyle=style,
        markersize=4.5,
        capsize=3,
        elinewidth=1.1,
    )


def _finish(ax: Axes, y: str) -> None:
    label = metric_label(y)
    ax.set_ylabel(label[:1].upper() + label[1:])
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    legend_above(ax)


def _named(key: str, value: object, units: Mapping[str, str]) -> str:
    """Return a value as text for a legend; text needs no key."""
    text = parameter_text(value, units.get(key))
    return text if isinstance(value, str) else f"{key.rpartition('.')[2]} {text}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check(name: str, given: str, known: Iterable[str]) -> None:
    names = list(known)
    if given not in names:
        near = difflib.get_close_matches(given, names, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        what = "no figure of this sweep" if name == "y" else "not varied in this sweep"
        raise ValueError(f"{name}: {what}{hint}")
