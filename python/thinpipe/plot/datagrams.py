"""Delays and losses of UDP datagrams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.curves import Curve, Steps, draw_steps, looks, whole
from thinpipe.plot.drawing import Mark, draw_held, draw_marks, draw_samples, finish
from thinpipe.plot.series import mean_so_far
from thinpipe.plot.style import COLORS
from thinpipe.plot.throughput import KBPS

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats, View
    from thinpipe.plot.shown import Shown
    from thinpipe.result import Flow


@dataclass(frozen=True, slots=True)
class Delays:
    """One-way delays by sending time, and sending times of lost datagrams; in seconds.

    Of very many datagrams a random `share` has rows. Those of a call are `played_s` after they were
    sent, if they have arrived by then.
    """

    delay: Steps
    lost_s: Floats
    share: float = 1.0
    played_s: float | None = None

    def lost(self, view: View) -> str:
        """Return how many of those sent within a view were lost, in words."""
        held = int(view.holds(self.lost_s).sum())
        if self.share == 1:
            return f"{held:,}"
        three_digits = float(f"{held / self.share:.3g}")
        return f"about {three_digits:,.0f}"


def _share(flow: Flow, rows: pl.DataFrame) -> float:
    """Return the share of a UDP flow's datagrams that has rows."""
    assert flow.datagrams is not None
    return len(rows) / flow.datagrams.sent if flow.datagrams.sent else 1.0


def arrived_kbps(flow: Flow, rows: pl.DataFrame, edges_s: Floats) -> Floats:
    """Return the goodput of a UDP flow between edges, by the rows of its datagrams."""
    there = rows.filter(rows["arrived_s"].is_not_null())
    carried, _ = np.histogram(there["arrived_s"], edges_s, weights=there["bytes"])
    rates: Floats = carried / _share(flow, rows) * 8 * KBPS / np.diff(edges_s)
    return rates


def delays(shown: Shown) -> Delays:
    """Return the delays of a flow's datagrams.

    Raises
    ------
    ValueError
        If the flow is not of UDP.
    """
    if shown.flow.datagrams is None:
        raise ValueError(f"flow: {shown.flow.id} has no datagrams, as application = udp has")
    rows = shown.rows(shown.run.datagrams)
    arrived = rows.filter(rows["delay_s"].is_not_null())
    lost = rows.filter(rows["lost_by"].is_not_null())
    delay = Steps(arrived["time_s"].to_numpy(), arrived["delay_s"].to_numpy())
    call = shown.flow.voip
    played_s = None if call is None else call.playout_delay_s
    return Delays(delay, lost["time_s"].to_numpy(), _share(shown.flow, rows), played_s)


def draw_datagrams(ax: Axes, curves: Sequence[Curve[Delays]]) -> None:
    """Draw one-way delays, of one flow with their running mean, and losses at the bottom."""
    lost = [each.data.lost_s[each.view.holds(each.data.lost_s)] for each in curves]
    if len(curves) == 1:
        [curve], [lost_s] = curves, lost
        time_s, delay_s = curve.data.delay.time_s, curve.data.delay.values
        draw_samples(ax, curve.view, time_s, delay_s, "instant", curve.label or "Datagram")
        draw_held(ax, curve.view, time_s, mean_so_far(delay_s), "mean", "Mean so far")
        if curve.data.played_s is not None:
            ax.axhline(curve.data.played_s, color=COLORS["weighted"], ls="--", label="Played then")
        _draw_lost(ax, lost_s, "retransmission", f"Lost: {curve.data.lost(curve.view)}")
    else:
        named = [
            replace(each, label=f"{each.name}, {each.data.lost(each.view)} lost") for each in curves
        ]
        drawn = looks(named)
        draw_steps(ax, named, lambda data: data.delay, drawn)
        for lost_s, look in zip(lost, drawn, strict=True):
            _draw_lost(ax, lost_s, look.color, "_lost")
    finish(ax, whole(curves), "One-way delay (s)")


def _draw_lost(ax: Axes, lost_s: Floats, color: str, label: str) -> None:
    draw_marks(ax, lost_s, np.zeros(len(lost_s)), color, label, Mark("|", 10))
