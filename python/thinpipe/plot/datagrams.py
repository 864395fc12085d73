"""Delays and losses of UDP datagrams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.curves import Curve, Steps, draw_steps, looks, whole
from thinpipe.plot.drawing import Mark, draw_held, draw_marks, draw_samples, finish
from thinpipe.plot.series import mean_so_far

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats
    from thinpipe.plot.shown import Shown


@dataclass(frozen=True, slots=True)
class Delays:
    """One-way delays by sending time, and sending times of lost datagrams; in seconds."""

    delay: Steps
    lost_s: Floats


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
    return Delays(delay, lost["time_s"].to_numpy())


def draw_datagrams(ax: Axes, curves: Sequence[Curve[Delays]]) -> None:
    """Draw one-way delays, of one flow with their running mean, and losses at the bottom."""
    lost = [each.data.lost_s[each.view.holds(each.data.lost_s)] for each in curves]
    if len(curves) == 1:
        [curve], [lost_s] = curves, lost
        time_s, delay_s = curve.data.delay.time_s, curve.data.delay.values
        draw_samples(ax, curve.view, time_s, delay_s, "instant", curve.label or "Datagram")
        draw_held(ax, curve.view, time_s, mean_so_far(delay_s), "mean", "Mean so far")
        _draw_lost(ax, lost_s, "retransmission", f"Lost: {len(lost_s):,}")
    else:
        named = [
            replace(each, label=f"{each.name}, {len(lost_s):,} lost")
            for each, lost_s in zip(curves, lost, strict=True)
        ]
        drawn = looks(named)
        draw_steps(ax, named, lambda data: data.delay, drawn)
        for lost_s, look in zip(lost, drawn, strict=True):
            _draw_lost(ax, lost_s, look.color, "_lost")
    finish(ax, whole(curves), "One-way delay (s)")


def _draw_lost(ax: Axes, lost_s: Floats, color: str, label: str) -> None:
    draw_marks(ax, lost_s, np.zeros(len(lost_s)), color, label, Mark("|", 10))
