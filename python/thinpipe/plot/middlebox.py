"""A middlebox's backlog for a mobile over time, and its round-trip times over the radio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.drawing import Mark, Unit, View, draw_held, draw_marks, draw_samples
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RETRANSMISSIONS: Final = (
    "retransmitted",
    "retransmitted_skipped",
    "retransmitted_timeout",
    "retransmitted_too_large",
)
"""Events that are retransmissions."""


def draw_backlog(ax: Axes, view: View, backlog: pl.DataFrame) -> Unit:
    """Draw the queue, the data in flight and the window; return the unit of the axis."""
    time_s = backlog["time_s"].to_numpy()
    columns = ("queued_bytes", "in_flight_bytes", "cwnd_bytes")
    waiting, in_flight, cwnd = (backlog[name].to_numpy().astype(np.float64) for name in columns)
    unit = Unit.of(float(max(each.max(initial=0.0) for each in (waiting, in_flight, cwnd))))
    for values, kind, label, width in (
        (cwnd, "acknowledgement", "Allowed in flight", 0.8),
        (in_flight, "data", "In flight", 1.0),
        (waiting, "window", "Queued in the middlebox", 1.4),
    ):
        draw_held(ax, view, time_s, unit.of_bytes(values), kind, label, width)
    return unit


def draw_leg(ax: Axes, view: View, rtt: pl.DataFrame, events: pl.DataFrame) -> None:
    """Draw round-trip times, retransmissions at the bottom, and stalls as grey bands."""
    time_s, rtt_s = rtt["time_s"].to_numpy(), rtt["rtt_s"].to_numpy()
    draw_samples(ax, view, time_s, rtt_s, "instant", "Round-trip time over the radio")
    again = events.filter(events["event"].is_in(RETRANSMISSIONS))["time_s"].to_numpy()
    again = again[view.holds(again)]
    mark = Mark("|", 8)
    draw_marks(
        ax, again, np.zeros(len(again)), "retransmission", "Retransmitted by the middlebox", mark
    )
    for number, (start_s, end_s) in enumerate(stalls(events, view.end_s)):
        if end_s >= view.start_s and start_s <= view.end_s:
            label = "_stall" if number else "Stall: nothing received"
            ax.axvspan(start_s, end_s, color=COLORS["muted"], alpha=0.25, linewidth=0, label=label)


def stalls(events: pl.DataFrame, end_s: float) -> list[tuple[float, float]]:
    """Return start and end of each stall of a mobile; the last may last until `end_s`."""
    spans: list[tuple[float, float]] = []
    since: float | None = None
    for time_s, event in events.select("time_s", "event").iter_rows():
        if event == "stalled" and since is None:
            since = time_s
        elif event == "recovered" and since is not None:
            spans.append((since, time_s))
            since = None
    return spans if since is None else [*spans, (since, max(end_s, since))]
