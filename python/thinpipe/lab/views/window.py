"""The congestion window and ssthresh, with what made the window smaller."""

from __future__ import annotations

from typing import Final

import numpy as np

from thinpipe.lab.groups import Group, groups
from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.curves import GRID, at, mean_at
from thinpipe.plot.cwnd import window

MARKS: Final = {
    "fast_retransmit": ("Fast retransmit", "triangle", "retransmission"),
    "timeout": ("Timeout (RTO)", "cross", "timeout"),
    "spurious_timeout": ("Spurious timeout", "diamond", "timeout"),
}


def layers(sight: Sight) -> list[Layer]:
    """Return window, ssthresh where it is not above all windows, and marks at the window before."""
    if of_groups := groups(sight):
        return [layer for group in of_groups for layer in of_group(sight, group)]
    shown = sight.shown
    if shown.flow.datagrams is not None:
        return []
    of = window(shown)
    drawn = sight.steps("cwnd", of.cwnd.time_s, of.cwnd.values)
    top = of.cwnd.values.max(initial=0.0)
    fits = np.where(of.ssthresh.values <= top, of.ssthresh.values, np.nan)
    if not np.isnan(fits).all():
        drawn += sight.steps("ssthresh", of.ssthresh.time_s, fits, dotted=True)
    for event, (name, shape, tone) in MARKS.items():
        at = of.events[event]
        drawn += sight.marks(
            name, at.time_s, at.values, shape=shape, **sight.tone_unless_several(tone)
        )
    return drawn


def of_group(sight: Sight, group: Group) -> list[Layer]:
    """Return the window of a group, of several flows their mean, and marks on it."""
    if group.is_udp:
        return []
    found = [window(shown) for shown in group.shown(sight)]
    curve, name = found[0].cwnd, group.name
    if len(found) > 1:
        times = np.linspace(sight.start_s, sight.end_s, GRID)
        curve, name = mean_at(times, [of.cwnd for of in found]), f"{name}, mean of {len(found)}"
    drawn = sight.steps(name, curve.time_s, curve.values, color=group.color)
    for event, (title, shape, _) in MARKS.items():
        times = np.sort(np.concatenate([of.events[event].time_s for of in found]))
        heights = found[0].events[event].values if len(found) == 1 else at(times, curve)
        label = f"{group.name}: {title}"
        drawn += sight.marks(label, times, heights, shape=shape, color=group.color)
    return drawn


WINDOW: Final = PanelKind(
    "cwnd", "Congestion window", "segments", layers, of_flow=True, of_groups=True
)
