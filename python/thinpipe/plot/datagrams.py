"""Delays and losses of UDP datagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.drawing import Mark, View, draw_held, draw_marks, draw_samples
from thinpipe.plot.series import mean_so_far

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes


def last_s(datagrams: pl.DataFrame) -> float | None:
    """Return when the last datagram was sent or arrived; ``None`` if there is none."""
    if len(datagrams) == 0:
        return None
    arrived = datagrams["arrived_s"].drop_nulls()
    return max(float(times[-1]) for times in (datagrams["time_s"], arrived.sort()) if len(times))


def draw_datagrams(ax: Axes, view: View, datagrams: pl.DataFrame) -> None:
    """Draw one-way delays by sending time, their running mean, and losses at the bottom."""
    arrived = datagrams.filter(datagrams["delay_s"].is_not_null())
    time_s, delay_s = arrived["time_s"].to_numpy(), arrived["delay_s"].to_numpy()
    draw_samples(ax, view, time_s, delay_s, "instant", "Datagram")
    draw_held(ax, view, time_s, mean_so_far(delay_s), "mean", "Mean so far")
    lost_s = datagrams.filter(datagrams["lost_by"].is_not_null())["time_s"].to_numpy()
    lost_s = lost_s[view.holds(lost_s)]
    label = f"Lost: {len(lost_s):,}"
    draw_marks(ax, lost_s, np.zeros(len(lost_s)), "retransmission", label, Mark("|", 10))
