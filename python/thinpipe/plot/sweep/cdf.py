"""The distribution of a metric over runs, a line a combination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.drawing import fit_unit
from thinpipe.plot.sweep.limits import limits
from thinpipe.plot.sweep.looks import Looks
from thinpipe.sweep.interval import groups
from thinpipe.sweep.words import axis_label, metric_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.sweep.choice import Choice
    from thinpipe.sweep.study import Study

FEW: Final = 50
"""Maximum number of runs of a line whose runs have marks."""


def draw_cdf(study: Study, ax: Axes, chosen: Choice) -> None:
    """Draw which share of the runs has at most a value, over the values."""
    factor = metric_scale(chosen.y).factor
    frame = study.complete.drop_nulls(chosen.y)
    found = {
        values: np.sort(factor * rows[chosen.y].to_numpy().astype(np.float64))
        for values, rows in groups(frame, chosen.by)
    }
    looks = Looks.by(study, chosen.by, list(found))
    for combination, values in found.items():
        look, count = looks[combination], len(values)
        ax.step(
            np.r_[values[:1], values],
            100 * np.arange(count + 1) / count,
            where="post",
            color=look.color,
            marker=look.mark if count <= FEW else "none",
            markersize=4,
            markevery=slice(1, None),
            linewidth=1.2,
        )
    runs = [float(each) for values in found.values() for each in values]
    held = limits(runs, scale=ax.get_xscale())
    ax.set(xlabel=axis_label(chosen.y), ylabel="Share of runs (%)", ylim=(0, 102), xlim=held)
    fit_unit(ax.xaxis)
    looks.name(ax)
