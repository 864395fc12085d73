"""The congestion window over time, with what made it smaller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.curves import COLORED, Curve, Steps, among, draw_steps, looks, whole
from thinpipe.plot.drawing import Mark, draw_marks, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats
    from thinpipe.plot.shown import Shown

MARKS: Final = {
    "fast_retransmit": ("retransmission", "Fast retransmit", Mark("^", 6)),
    "timeout": ("timeout", "Timeout (RTO)", Mark("X", 7)),
    "spurious_timeout": ("timeout", "Spurious timeout", Mark("D", 6, "none")),
}
"""Colour, name and mark of the events of a flow that change its window."""


@dataclass(frozen=True, slots=True)
class Window:
    """A flow's congestion window and ssthresh in segments, and the times of events by name."""

    time_s: Floats
    cwnd: Floats
    ssthresh: Floats
    events: dict[str, Floats]

    def before(self, time_s: Floats) -> Floats:
        """Return the congestion window just before each time; 0 if there was none."""
        found: Floats = np.r_[0.0, self.cwnd][np.searchsorted(self.time_s, time_s)]
        return found


def window(shown: Shown) -> Window:
    """Return the window of a flow."""
    rows, events = shown.rows(shown.run.cwnd), shown.rows(shown.run.events)
    return Window(
        rows["time_s"].to_numpy(),
        rows["cwnd_segments"].to_numpy(),
        rows["ssthresh_segments"].to_numpy(),
        {name: events.filter(events["event"] == name)["time_s"].to_numpy() for name in MARKS},
    )


def draw_windows(ax: Axes, curves: Sequence[Curve[Window]]) -> None:
    """Draw windows, each with its ssthresh as a thin line and its events as marks."""
    drawn = looks(curves, "Congestion window")
    draw_steps(ax, curves, lambda of: Steps(of.time_s, of.cwnd), drawn)
    for curve, look in zip(curves, drawn, strict=True):
        if not look.is_one_of_many:
            _draw_ssthresh(ax, curve, look.color, "ssthresh" if len(curves) == 1 else "_")
            _draw_events(ax, curve, None if len(curves) == 1 else look.color)
    if 1 < len(curves) <= COLORED:
        _name_marks(ax, curves)
    finish(ax, whole(curves), "Congestion window (segments)")


def _draw_ssthresh(ax: Axes, curve: Curve[Window], color: str, label: str) -> None:
    """Draw ssthresh where it is not above every window: its initial value may be anything."""
    data = curve.data
    changes = np.diff(data.ssthresh, prepend=np.nan) != 0
    times, values = curve.view.held(data.time_s[changes], data.ssthresh[changes])
    _, windows = curve.view.held(data.time_s, data.cwnd)
    fits = np.where(values <= windows.max(initial=0.0), values, np.nan)
    if not np.isnan(fits).all():
        ax.step(times, fits, ":", where="post", color=color, linewidth=0.9, label=label)


def _draw_events(ax: Axes, curve: Curve[Window], color: str | None) -> None:
    """Mark events at the window that they ended, in one colour or that of each event."""
    for name, (kind, label, mark) in MARKS.items():
        time_s = curve.data.events[name]
        time_s = time_s[curve.view.holds(time_s)]
        named = f"{label}: {len(time_s):,}" if color is None else "_"
        windows, sized = curve.data.before(time_s), among(mark, len(time_s))
        draw_marks(ax, time_s, windows, color or kind, named, sized)


def _name_marks(ax: Axes, curves: Sequence[Curve[Window]]) -> None:
    """Add marks to the legend that say what those in the colours of the curves mean."""
    nowhere = np.array([np.nan])
    for name, (_, label, mark) in MARKS.items():
        if any(each.view.holds(each.data.events[name]).any() for each in curves):
            draw_marks(ax, nowhere, nowhere, "muted", label, mark)
