"""Throughput over time, in the manner of tcptrace, on an axis that bursts do not spoil."""

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
"""Per cent of the throughputs for which there is room, whatever the others are."""

KBPS: Final = 1e-3


def draw_throughput(ax: Axes, view: View, data: Throughput) -> None:
    """Draw instant throughputs and their means, in kbit/s.

    What is above the axis stands at its top, as triangles; the legend has the number and the
    greatest.
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
    """Return where the axis ends: above the bulk of each of the series.

    It ends above all of a series if that takes no more than twice as much room.
    """
    some = [each for each in series if len(each)]
    bulk = max((float(np.percentile(each, BULK)) for each in some), default=0.0)
    greatest = [float(each.max()) for each in some]
    return max([bulk] + [each for each in greatest if each <= 2 * bulk])


def _above(values: Floats, top: float) -> str:
    """Return what a legend says of the values above the axis, if there are any."""
    above = values[values > top]
    return f" ({len(above)} above, up to {above.max():,.0f})" if len(above) else ""
