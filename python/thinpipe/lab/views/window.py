"""The congestion window and ssthresh, with what made the window smaller."""

from __future__ import annotations

from typing import Final

import numpy as np

from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.cwnd import window

MARKS: Final = {
    "fast_retransmit": ("Fast retransmit", "triangle", "retransmission"),
    "timeout": ("Timeout (RTO)", "cross", "timeout"),
    "spurious_timeout": ("Spurious timeout", "diamond", "timeout"),
}


def layers(sight: Sight) -> list[Layer]:
    """Return window, ssthresh where it is not above all windows, and marks at the window before."""
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


WINDOW: Final = PanelKind("cwnd", "Congestion window", "segments", layers, of_flow=True)
