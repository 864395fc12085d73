"""Round-trip times: over time, as a histogram, or as a distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.curves import COLORED, Curve, Look, Steps, draw_steps, looks, whole
from thinpipe.plot.drawing import draw_held, draw_samples, finish, legend_above
from thinpipe.plot.histogram import bar_width, histogram_edges
from thinpipe.plot.series import mean_so_far
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats
    from thinpipe.plot.shown import Shown


def round_trips(shown: Shown) -> Steps:
    """Return the round-trip times of a flow, in seconds."""
    rows = shown.rows(shown.run.rtt)
    return Steps(rows["time_s"].to_numpy(), rows["rtt_s"].to_numpy())


def draw_rtts(ax: Axes, curves: Sequence[Curve[Steps]]) -> None:
    """Draw round-trip times: of one flow as marks with their running mean, of several as lines."""
    if len(curves) == 1:
        [curve] = curves
        time_s, rtt_s = curve.data.time_s, curve.data.values
        draw_samples(ax, curve.view, time_s, rtt_s, "instant", curve.label or "Sample")
        draw_held(ax, curve.view, time_s, mean_so_far(rtt_s), "mean", "Mean so far")
    else:
        draw_steps(ax, curves, lambda of: of, looks(curves))
    finish(ax, whole(curves), "Round-trip time (s)")


@dataclass(frozen=True, slots=True)
class Samples:
    """Round-trip times in view, and the width of a bin; both in seconds."""

    rtt_s: Floats
    width_s: float | None


def draw_distributions(ax: Axes, curves: Sequence[Curve[Samples]]) -> None:
    """Draw a histogram of one flow; of several, the shares of samples up to a round-trip time."""
    if len(curves) == 1:
        _draw_histogram(ax, curves[0].data)
    else:
        _draw_shares(ax, curves)
    ax.set_xlabel("Round-trip time (s)")
    legend_above(ax)


def _draw_histogram(ax: Axes, data: Samples) -> None:
    rtt_s = data.rtt_s
    min_s, max_s = (rtt_s.min(), rtt_s.max()) if len(rtt_s) else (0.0, 0.0)
    bar_s = bar_width(max_s - min_s) if data.width_s is None else data.width_s
    edges = list(histogram_edges(max_s, bar_s, min_s))
    ax.hist(rtt_s, bins=edges, color=COLORS["data"], edgecolor="white", linewidth=0.3)
    ax.set_ylabel(f"Samples in {1000 * bar_s:g} ms")


def _draw_shares(ax: Axes, curves: Sequence[Curve[Samples]]) -> None:
    drawn = looks(curves)
    if len(curves) > COLORED:
        every = np.concatenate([each.data.rtt_s for each in curves])
        curves = [*curves, Curve("", None, curves[0].view, Samples(every, None))]
        drawn = [*drawn, Look(COLORS["data"], "-", 1.6, "All samples")]
    for curve, look in zip(curves, drawn, strict=True):
        rtt_s = np.sort(curve.data.rtt_s)
        if len(rtt_s):
            share = 100 * np.arange(len(rtt_s) + 1) / len(rtt_s)
            ax.step(np.r_[rtt_s[:1], rtt_s], share, where="post", **look.style)
    ax.set_ylabel("Cumulative share of samples (%)")
    ax.set_ylim(0.0, 102.0)
