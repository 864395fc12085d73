"""Segments and acknowledgements of the run in focus, as its sender sees them."""

from __future__ import annotations

from typing import Final

import numpy as np

from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.series import acks_received, segments_sent

MOST_SEGMENTS: Final = 3_000
"""Of more in view, the highest byte sent is drawn in the place of each segment."""


def layers(sight: Sight) -> list[Layer]:
    """Return segments, retransmissions, drops, the cumulative ACK and the window's right edge."""
    shown = sight.shown
    if shown.flow.datagrams is not None:
        return []
    rows = shown.at_sender()
    sent, heard = segments_sent(rows), acks_received(rows)
    here = sent.only(shown.view.holds(sent.time_s) & sent.carries_data)
    drawn = sight.steps("window's edge", heard.time_s, heard.edge / 1000, tone="window")
    drawn += sight.steps("acknowledged", heard.time_s, heard.ack / 1000, tone="acknowledgement")
    if len(here.time_s) > MOST_SEGMENTS:
        highest = np.maximum.accumulate(sent.last) / 1000
        drawn += sight.steps("sent", sent.time_s, highest, tone="data")
    else:
        for again, (label, tone) in enumerate(
            (("sent", "data"), ("retransmitted", "retransmission"))
        ):
            some = here.only(here.retransmitted == bool(again))
            drawn.append(
                sight.layer(
                    "bars",
                    label,
                    x0=some.time_s,
                    x1=some.time_s,
                    y0=some.first / 1000,
                    y1=some.last / 1000,
                    tone=tone,
                )
            )
    dropped = sight.run.hops.filter(sight.run.hops["event"] == "dropped")
    of = dict(zip(sent.uid.tolist(), sent.first.tolist(), strict=True))
    lost = [(at, of[uid]) for at, uid in dropped.select("time_s", "uid").iter_rows() if uid in of]
    drawn += sight.marks(
        "dropped",
        [at for at, _ in lost],
        [first / 1000 for _, first in lost],
        shape="cross",
        tone="drop",
    )
    return drawn


SEQUENCE: Final = PanelKind(
    "sequence", "Time–sequence", "kB", layers, runs="focus", usual=False, traced=True
)
