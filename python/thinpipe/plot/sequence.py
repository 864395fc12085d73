"""The time-sequence graph, as in tcptrace: a sender's segments and acknowledgements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.drawing import FEW, Mark, Unit, View, draw_bars, draw_held, draw_marks
from thinpipe.plot.series import FIN, RST, SYN, TIMEOUTS, Acks, Sent
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MANY: Final = 60
"""Above this number, marks of a kind are smaller, so that they do not hide others."""

LANE: Final = 0.06
"""Height of a row of marks below the lines of a long view, as a share of theirs."""


FLAGS: Final = ((SYN, "SYN", "^"), (FIN, "FIN", "v"), (RST, "RST", "X"))
"""Flags that have a mark of their own: bit, name and mark."""


def draw_time_sequence(
    ax: Axes, view: View, sent: Sent, heard: Acks, dropped: pl.DataFrame, events: pl.DataFrame
) -> Unit:
    """Draw segments, retransmissions, drops, acknowledgements and window; return the axis' unit.

    A view of more than `FEW` segments has a line for the data sent, and below the lines a row of
    marks for each of drops, retransmissions and timeouts.

    Parameters
    ----------
    dropped
        The time of each drop and the uid of the packet.
    events
        The events of the flow.
    """
    seen = sent.only(view.holds(sent.time_s))
    unit = Unit.of(float(seen.last.max(initial=0)))
    for offset, kind, label in (
        (heard.edge, "window", "Window"),
        (heard.ack, "acknowledgement", "Acknowledged"),
    ):
        draw_held(ax, view, heard.time_s, unit.of_bytes(offset), kind, label, 0.9)
    lost_s, middle = drops_of(sent, dropped, view)
    if seen.carries_data.sum() > FEW:
        highest = unit.of_bytes(np.maximum.accumulate(sent.last))
        draw_held(ax, view, sent.time_s, highest, "data", "Sent", 0.9)
        again = seen.only(seen.carries_data & seen.retransmitted)
        timeouts = events.filter(events["event"].is_in(TIMEOUTS))["time_s"].to_numpy()
        _draw_lanes(ax, lost_s, again.time_s, timeouts[view.holds(timeouts)])
    else:
        _draw_segments(ax, view, unit, seen, heard)
        look = Mark("x", _size(lost_s, 6.0))
        draw_marks(ax, lost_s, unit.of_bytes(middle), "drop", "Dropped", look)
    return unit


def _draw_segments(ax: Axes, view: View, unit: Unit, seen: Sent, heard: Acks) -> None:
    """Draw each segment as a bar from its first byte to its last, and SACK blocks."""
    told = sacked(heard, view)
    blocks = unit.of_bytes(told.sack_from), unit.of_bytes(told.sack_to)
    draw_bars(ax, told.time_s, blocks, "sack", "SACK", width=0.9)
    for again, kind, label, point in (
        (False, "data", "Segment", 3.0),
        (True, "retransmission", "Retransmitted", 7.0),
    ):
        part = seen.only(seen.carries_data & (seen.retransmitted == again))
        span = unit.of_bytes(part.first), unit.of_bytes(part.last)
        draw_bars(ax, part.time_s, span, kind, label, point=_size(part.time_s, point))
    for flag, name, marker in FLAGS:
        part = seen.only((seen.flags & flag) > 0)
        draw_marks(ax, part.time_s, unit.of_bytes(part.last), "drop", name, Mark(marker, 6))


def sacked(heard: Acks, view: View) -> Acks:
    """Return the acknowledgements in view that have a SACK block."""
    return heard.only(view.holds(heard.time_s) & (heard.sack_to > heard.sack_from))


def drops_of(sent: Sent, dropped: pl.DataFrame, view: View) -> tuple[Floats, Floats]:
    """Return the time of each drop in view of the sender's packets, and the segment's middle."""
    time_s, uid = dropped["time_s"].to_numpy(), dropped["uid"].to_numpy()
    seen = view.holds(time_s) & np.isin(uid, sent.uid)
    at = np.searchsorted(sent.uid, uid[seen])
    return time_s[seen], (sent.first[at] + sent.last[at]) / 2


def _draw_lanes(ax: Axes, dropped_s: Floats, again_s: Floats, timeouts_s: Floats) -> None:
    """Draw a row of marks for each kind of event that occurred, below all that is drawn."""
    low, high = ax.dataLim.intervaly
    depth = low
    for time_s, kind, label in (
        (dropped_s, "drop", "Dropped"),
        (again_s, "retransmission", "Retransmitted"),
        (timeouts_s, "timeout", "Timeout (RTO)"),
    ):
        if len(time_s):
            depth -= LANE * (high - low)
            draw_marks(ax, time_s, np.full(len(time_s), depth), kind, label, Mark("|", 9))
    if depth < low:
        ticks = ax.get_yticks()
        ax.axhline(low - LANE * (high - low) / 2, color=COLORS["muted"], linewidth=0.5)
        ax.set_yticks(ticks[(ticks >= low) & (ticks <= high)])
        ax.set_ylim(depth - LANE * (high - low), high + LANE * (high - low))


def _size(marked: Floats, points: float) -> float:
    return points if len(marked) <= MANY else points / 2
