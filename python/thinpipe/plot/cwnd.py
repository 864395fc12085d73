"""The congestion window over time, with what made it smaller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.plot.curves import GREY, Curve, Kinds, Steps, draw_events, draw_steps, looks, whole
from thinpipe.plot.drawing import Mark, finish, keep_marks_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.shown import Shown

MARKS: Final[Kinds] = {
    "fast_retransmit": ("retransmission", "Fast retransmit", Mark("^", 6)),
    "timeout": ("timeout", "Timeout (RTO)", Mark("X", 7)),
    "spurious_timeout": ("timeout", "Spurious timeout", Mark("D", 6, "none")),
}
"""Colour, name and mark of the events of a flow that change its window."""

SSTHRESH: Final = "ssthresh"
DOTS: Final = (0, (1, 2.5))
"""Of ssthresh."""


@dataclass(frozen=True, slots=True)
class Window:
    """A flow's congestion window and ssthresh in segments, and the window just before events."""

    cwnd: Steps
    ssthresh: Steps
    events: dict[str, Steps]


def window(shown: Shown) -> Window:
    """Return the window of a flow; before the first it is zero."""
    rows, events = shown.rows(shown.run.cwnd), shown.rows(shown.run.events)
    time_s, cwnd = rows["time_s"].to_numpy(), rows["cwnd_segments"].to_numpy()
    ssthresh = rows["ssthresh_segments"].to_numpy()
    changes = np.diff(ssthresh, prepend=np.nan) != 0
    found = {}
    for name in MARKS:
        at_s = events.filter(events["event"] == name)["time_s"].to_numpy()
        found[name] = Steps(at_s, np.append(0.0, cwnd)[np.searchsorted(time_s, at_s)])
    return Window(Steps(time_s, cwnd), Steps(time_s[changes], ssthresh[changes]), found)


def draw_windows(ax: Axes, curves: Sequence[Curve[Window]]) -> None:
    """Draw windows, each with its ssthresh as a dotted line and its events as marks."""
    drawn = looks(curves, "Congestion window")
    means = draw_steps(ax, curves, lambda of: of.cwnd, drawn)
    for curve, look in zip(curves, drawn, strict=True):
        if means is None and not look.is_one_of_many:
            _draw_ssthresh(ax, curve, look.color, alone=len(curves) == 1)
    draw_events(ax, curves, lambda of: of.events, MARKS, drawn, means)
    finish(ax, whole(curves), "Congestion window (segments)")
    if any(len(each.time_s) for curve in curves for each in curve.data.events.values()):
        keep_marks_whole(ax)


def _draw_ssthresh(ax: Axes, curve: Curve[Window], color: str, *, alone: bool) -> None:
    """Draw ssthresh where it is not above every window: its initial value may be anything.

    The legend names the dots once for all curves, of several in grey.
    """
    data = curve.data
    times, values = curve.view.held(data.ssthresh.time_s, data.ssthresh.values)
    _, windows = curve.view.held(data.cwnd.time_s, data.cwnd.values)
    fits = np.where(values <= windows.max(initial=0.0), values, np.nan)
    if not np.isnan(fits).all():
        style: dict[str, Any] = {"linestyle": DOTS, "linewidth": 1.1}
        label = SSTHRESH if alone else "_"
        ax.step(times, fits, where="post", color=color, label=label, **style)
        if SSTHRESH not in ax.get_legend_handles_labels()[1]:
            ax.plot([], [], color=GREY, label=SSTHRESH, **style)
