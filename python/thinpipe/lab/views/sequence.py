"""Segments and acknowledgements of the run in focus, as its sender sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.drawing import FEW
from thinpipe.plot.sequence import FLAGS, drops_of, sacked
from thinpipe.plot.series import Sent, acks_received, segments_sent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64] | NDArray[np.int64]

KB: Final = 1000
SHAPES: Final = {"SYN": "triangle", "FIN": "square", "RST": "diamond"}


def layers(sight: Sight) -> list[Layer]:
    """Return segments, retransmissions, drops, acknowledgements, SACK blocks and the window.

    Of more than `FEW` segments in view, the highest byte sent is drawn in the place of each.
    """
    shown = sight.shown
    if shown.flow.datagrams is not None:
        return []
    rows, hops = shown.at_sender(), sight.run.hops
    sent, heard = segments_sent(rows), acks_received(rows)
    seen = sent.only(shown.view.holds(sent.time_s))
    drawn = sight.steps("window's edge", heard.time_s, heard.edge / KB, tone="window")
    drawn += sight.steps("acknowledged", heard.time_s, heard.ack / KB, tone="acknowledgement")
    if seen.carries_data.sum() > FEW:
        highest = np.maximum.accumulate(sent.last) / KB
        drawn += sight.steps("sent", sent.time_s, highest, tone="data")
        again = seen.only(seen.carries_data & seen.retransmitted)
        drawn += _marks(sight, "retransmitted", again, shape="dot", tone="retransmission")
    else:
        told = sacked(heard, shown.view)
        drawn += _bars(sight, "SACK", told.time_s, told.sack_from, told.sack_to, "sack")
        for label, tone, is_again in (
            ("sent", "data", False),
            ("retransmitted", "retransmission", True),
        ):
            some = seen.only(seen.carries_data & (seen.retransmitted == is_again))
            drawn += _bars(sight, label, some.time_s, some.first, some.last, tone, some)
        for flag, name, _ in FLAGS:
            part = seen.only((seen.flags & flag) > 0)
            drawn += _marks(sight, name, part, shape=SHAPES[name], tone="drop")
    lost_s, middle = drops_of(sent, hops.filter(hops["event"] == "dropped"), shown.view)
    drawn += sight.marks("dropped", lost_s, middle / KB, shape="cross", tone="drop")
    return drawn


def _marks(sight: Sight, label: str, segments: Sent, *, shape: str, tone: str) -> list[Layer]:
    at = segments.last / KB
    return sight.marks(label, segments.time_s, at, shape=shape, tone=tone)


def _bars(
    sight: Sight,
    label: str,
    time_s: Numbers,
    first: Numbers,
    last: Numbers,
    tone: str,
    of: Sent | None = None,
) -> list[Layer]:
    """Return a bar from first byte to last at each time, if there is any.

    Those of segments say which they are.
    """
    if len(time_s) == 0:
        return []
    ends = {"x0": time_s, "x1": time_s, "y0": first / KB, "y1": last / KB}
    layer = sight.layer("bars", label, tone=tone, **ends)
    return [layer if of is None else {**layer, **_told(label, of)}]


def _told(label: str, segments: Sent) -> dict[str, Any]:
    """Return what each segment says of itself, and the number of its packet."""
    columns = (segments.first, segments.last, segments.uid)
    rows = [*zip(*(each.tolist() for each in columns), strict=True)]
    return {
        "tips": [
            f"{label}: bytes {first:,} to {last:,} (packet {uid})" for first, last, uid in rows
        ],
        "of": [[uid] for *_, uid in rows],
    }


SEQUENCE: Final = PanelKind(
    "sequence",
    "Time–sequence",
    "kB",
    layers,
    runs="focus",
    usual=False,
    traced=True,
    from_zero=False,
    of_flow=True,
)
