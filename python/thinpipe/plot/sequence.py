"""The time-sequence graph, as in tcptrace: a sender's segments and acknowledgements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.drawing import Mark, Unit, View, draw_bars, draw_held, draw_marks
from thinpipe.plot.series import FIN, RST, SYN, Acks, Sent

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MANY: Final = 60
"""Above this number, marks of a kind are smaller, so that they do not hide others."""

_FLAGS: Final = ((SYN, "SYN", "^"), (FIN, "FIN", "v"), (RST, "RST", "X"))


def draw_time_sequence(
    ax: Axes, view: View, sent: Sent, heard: Acks, dropped: pl.DataFrame
) -> Unit:
    """Draw segments, retransmissions, drops, acknowledgements and window; return the axis' unit.

    `dropped` has the time of each drop and the uid of the packet.
    """
    seen = sent.only(view.holds(sent.time_s))
    unit = Unit.of(float(seen.last.max(initial=0)))
    for offset, kind, label in (
        (heard.edge, "window", "Window"),
        (heard.ack, "acknowledgement", "Acknowledged"),
    ):
        draw_held(ax, view, heard.time_s, unit.of_bytes(offset), kind, label, 0.9)
    told = heard.only(view.holds(heard.time_s) & (heard.sack_to > heard.sack_from))
    sacked = unit.of_bytes(told.sack_from), unit.of_bytes(told.sack_to)
    draw_bars(ax, told.time_s, sacked, "sack", "SACK", width=0.9)
    for again, kind, label, point in (
        (False, "data", "Segment", 3.0),
        (True, "retransmission", "Retransmitted", 7.0),
    ):
        part = seen.only(seen.carries_data & (seen.retransmitted == again))
        span = unit.of_bytes(part.first), unit.of_bytes(part.last)
        draw_bars(ax, part.time_s, span, kind, label, point=_size(part.time_s, point))
    for flag, name, marker in _FLAGS:
        part = seen.only((seen.flags & flag) > 0)
        draw_marks(ax, part.time_s, unit.of_bytes(part.last), "drop", name, Mark(marker, 6))
    _draw_drops(ax, view, unit, sent, dropped)
    return unit


def _draw_drops(ax: Axes, view: View, unit: Unit, sent: Sent, dropped: pl.DataFrame) -> None:
    """Draw a cross at the time of each drop, at the middle of the segment."""
    time_s, uid = dropped["time_s"].to_numpy(), dropped["uid"].to_numpy()
    at = np.minimum(np.searchsorted(sent.uid, uid), len(sent.uid) - 1)
    ours = view.holds(time_s) & (sent.uid[at] == uid)
    packets = sent.only(at[ours])
    middle = unit.of_bytes(packets.first + packets.last) / 2
    draw_marks(ax, time_s[ours], middle, "drop", "Dropped", Mark("x", _size(middle, 6.0)))


def _size(marked: Floats, points: float) -> float:
    return points if len(marked) <= MANY else points / 2
