"""Throughput over time, as in tcptrace, on an axis that outliers do not stretch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.drawing import Mark, View, draw_held, draw_marks, draw_samples
from thinpipe.plot.envelope import column_of
from thinpipe.plot.series import SAMPLES, Throughput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BULK: Final = 95
"""Percentile of the throughputs that the axis includes if `LIMIT` allows it."""

LIMIT: Final = 3
"""Maximum of the upper end of the axis, as a multiple of what the sender sustained."""

INTERVALS: Final = (10, 100)
"""Minimum and maximum number of intervals of a view over which a throughput is sustained."""

KBPS: Final = 1e-3


def draw_throughput(ax: Axes, view: View, data: Throughput) -> None:
    """Draw instantaneous throughputs and their means, in kbit/s.

    Values above the axis are triangles at its top; the legend has their number and maximum.
    """
    seen = view.holds(data.time_s)
    instant, last, mean = (KBPS * each for each in (data.instant_bps, data.last_bps, data.mean_bps))
    series = (each[seen & ~np.isnan(each)] for each in (instant, last, mean))
    top = highest_shown(*series, limit=LIMIT * KBPS * sustained_bps(view, data))
    label = f"Instantaneous{_above(instant[seen], top)}"
    draw_samples(ax, view, data.time_s, np.minimum(instant, top), "instant", label)
    for values, kind, name in (
        (last, "latest", f"Mean of the last {SAMPLES}"),
        (mean, "mean", "Mean so far"),
    ):
        known = ~np.isnan(values)
        label, shown = f"{name}{_above(values[seen], top)}", np.minimum(values[known], top)
        draw_held(ax, view, data.time_s[known], shown, kind, label)
    for values, kind in ((instant, "instant"), (last, "latest")):
        high_s = data.time_s[seen & (values > top)]
        # One in each column: more would lie on top of each other.
        high_s = high_s[np.unique(column_of(view.columns(), high_s), return_index=True)[1]]
        draw_marks(ax, high_s, np.full(len(high_s), top), kind, "_above", Mark("^", 5))
    if top > 0:
        ax.set_ylim(top=1.02 * top)


def sustained_bps(view: View, data: Throughput) -> float:
    """Return the highest of the means over intervals of the view, and of the run so far.

    There are as many intervals as leave ten samples for each on average, within `INTERVALS`.
    """
    seen = view.holds(data.time_s)
    if not seen.any():
        return 0.0
    count = int(np.clip(seen.sum() // SAMPLES, *INTERVALS))
    span = (view.start_s, view.end_s)
    bits, edges = np.histogram(data.time_s, bins=count, range=span, weights=data.payload_bits)
    so_far = data.mean_bps[seen][-1]
    return float(max(bits.max() / (edges[1] - edges[0]), np.nan_to_num(so_far)))


def highest_shown(*series: Floats, limit: float) -> float:
    """Return the upper end of the axis: above the bulk of each series, but not above `limit`.

    It includes all of a series whose maximum is at most twice as high.
    """
    some = [each for each in series if len(each)]
    bulk = max((float(np.percentile(each, BULK)) for each in some), default=0.0)
    maxima = [float(each.max()) for each in some]
    return min(limit, max([bulk] + [each for each in maxima if each <= 2 * bulk]))


def _above(values: Floats, top: float) -> str:
    """Return the text of a legend about values above the axis; empty if there are none."""
    above = values[values > top]
    return f" ({len(above):,} above, up to {above.max():,.0f})" if len(above) else ""
