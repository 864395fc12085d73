"""The traced-packet graph of Fall and Floyd (1996): a flow's packets at the bottleneck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.drawing import Mark, View, draw_marks
from thinpipe.plot.series import Acks, Sent, opening_and_data

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

ROUNDS: Final = 15
"""How often numbers may begin anew in a picture before its lines of packets merge."""

BEFORE: Final = 2
AFTER: Final = 4
"""Of a longer view, how many rounds before and after the first drop are shown."""


@dataclass(frozen=True, slots=True)
class Packets:
    """Numbered packets at their times. 0 is the SYN; data packets count from 1."""

    time_s: Floats
    number: Integers


@dataclass(frozen=True, slots=True)
class Traced:
    """Events of a flow's packets at one link, and its acknowledgements at the sender.

    Attributes
    ----------
    departed
        When each left the link's queue: when it left the link, less the link's delay, which is the
        minimum time of any packet across.
    acknowledged
        Acknowledgements, with the number of the last packet that each covers.
    """

    arrived: Packets
    departed: Packets
    dropped: Packets
    acknowledged: Packets


def numbered(sent: Sent) -> pl.DataFrame:
    """Return uid and number of a sender's SYN and data packets."""
    import polars as pl

    counts = opening_and_data(sent)
    number = packet_number(counts.last, segment_bytes(sent))
    return pl.DataFrame({"uid": counts.uid, "number": number})


def segment_bytes(sent: Sent) -> int:
    """Return the payload of a full segment: the largest that was sent."""
    return max(1, int((sent.last - sent.first).max(initial=0)))


def packet_number(upto: Integers, segment: int) -> Integers:
    """Return the number of the packet that ends at an offset; offset 0 ends the SYN."""
    number: Integers = -(-upto // segment)
    return number


def traced(hops: pl.DataFrame, link: str, sent: Sent, heard: Acks) -> Traced:
    """Return what happened to a flow's packets at a link."""
    packets = numbered(sent)
    rows = hops.filter(hops["machine"] == link).join(packets, on="uid", maintain_order="left")
    entered, left, dropped = (
        rows.filter(rows["event"] == event) for event in ("entered", "left", "dropped")
    )
    across = left.join(entered.select("uid", entered_s="time_s"), on="uid", maintain_order="left")
    took_s = (across["time_s"] - across["entered_s"]).to_numpy()
    delay_s = float(took_s.min()) if len(took_s) else 0.0
    return Traced(
        _packets(entered),
        Packets(across["time_s"].to_numpy() - delay_s, across["number"].to_numpy()),
        _packets(dropped),
        Packets(heard.time_s, packet_number(heard.ack, segment_bytes(sent))),
    )


def legible(view: View, traced: Traced, modulo: int) -> View:
    """Return the view, or its part around the first drop if it has too many packets to tell apart.

    Without a drop, it is the first part.
    """
    arrived = traced.arrived.time_s[view.holds(traced.arrived.time_s)]
    if len(arrived) <= ROUNDS * modulo:
        return view
    drops = traced.dropped.time_s[view.holds(traced.dropped.time_s)]
    first = int(np.searchsorted(arrived, drops[0])) if len(drops) else 0
    start = max(first - BEFORE * modulo, 0)
    end = min(start + (BEFORE + AFTER) * modulo, len(arrived) - 1)
    return View(float(arrived[start]), float(arrived[end]))


def draw_packets(ax: Axes, view: View, traced: Traced, modulo: int) -> View:
    """Draw squares at arrival and departure, crosses for drops, dots for acknowledgements.

    Returns
    -------
    View
        What is drawn: the `legible` part of the view. The legend says so.
    """
    shown = legible(view, traced, modulo)
    for packets, kind, label, mark in (
        (traced.arrived, "data", "Arrived at the queue", Mark("s", 3.5, "none")),
        (traced.departed, "data", "Left the queue", Mark("s", 3.5)),
        (traced.acknowledged, "acknowledgement", "Acknowledged, at the sender", Mark(".", 4)),
        (traced.dropped, "drop", "Dropped", Mark("x", 8)),
    ):
        seen = shown.holds(packets.time_s)
        numbers = packets.number[seen] % modulo
        draw_marks(ax, packets.time_s[seen], numbers, kind, label, mark)
    if shown != view:
        what = (
            "Around the first drop"
            if shown.holds(traced.dropped.time_s).any()
            else "The first part"
        )
        ax.plot([], [], " ", label=f"{what} of {view.start_s:.4g} s to {view.end_s:.4g} s")
    return shown


def _packets(rows: pl.DataFrame) -> Packets:
    return Packets(rows["time_s"].to_numpy(), rows["number"].to_numpy())
