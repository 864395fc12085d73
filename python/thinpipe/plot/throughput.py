"""Throughput over time, as in tcptrace, on an axis that outliers do not stretch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.drawing import Mark, View, draw_held, draw_marks
from thinpipe.plot.series import SAMPLES, Throughput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BULK: Final = 95
"""Percentile of the throughputs that the axis includes in any case."""

KBPS: Final = 1e-3


def draw_throughput(ax: Axes, view: View, data: Throughput) -> None:
    """Draw instantaneous throughputs and their means, in kbit/s.

    Values above the axis are triangles at its top; the legend has their number and maximum.
    """
    seen = view.holds(data.time_s)
    instant, last, mean = (KBPS * each for each in (data.instant_bps, data.last_bps, data.mean_bps))
    top = highest_shown(*(each[seen & ~np.isnan(each)] for each in (instant, last, mean)))
    fits = seen & (instant <= top)
    label = f"Instantaneous{_above(instant[seen], top)}"
    draw_marks(ax, data.time_s[fits], instant[fits], "instant", label, Mark())
    for values, kind, name in (
        (last, "latest", f"Mean of the last {SAMPLES}"),
        (mean, "mean", "Mean so far"),
    ):
        known = ~np.isnan(values)
        label, shown = f"{name}{_above(values[seen], top)}", np.minimum(values[known], top)
        draw_held(ax, view, data.time_s[known], shown, kind, label)
    for values, kind in ((instant, "instant"), (last, "latest")):
        high = seen & (values > top)
        draw_marks(ax, data.time_s[high], np.full(high.sum(), top), kind, "_above", Mark("^", 5))
    if top > 0:
        ax.set_ylim(top=1.02 * top)


def highest_shown(*series: Floats) -> float:
    """Return the upper end of the axis: above the bulk of each series.

    It includes all of a series whose maximum is at most twice as high.
    """
    some = [each for each in series if len(each)]
    bulk = max((float(np.percentile(each, BULK)) for each in some), default=0.0)
    maxima = [float(each.max()) for each in some]
    return max([bulk] + [each for each in maxima if each <= 2 * bulk])


def _above(values: Floats, top: float) -> str:
    """Return the text of a legend about values above the axis; empty if there are none."""
    above = values[values > top]
    return f" ({len(above)} above, up to {above.max():,.0f})" if len(above) else ""
