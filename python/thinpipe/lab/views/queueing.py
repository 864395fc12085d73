"""What waits at the bottleneck, for how long, and what it dropped."""

from __future__ import annotations

from typing import Final

import numpy as np

from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.queue import REASONS, queue

SHAPES: Final = {"queue": "cross", "aqm": "plus"}
"""Of drops by a full queue and by active queue management; others have a dot."""


def waiting(sight: Sight) -> list[Layer]:
    """Return how many packets of the flow wait, and all with its drops, marked by reason."""
    of = queue(sight.shown)
    drawn = sight.steps(f"waiting at {of.link}", of.of_flow.time_s, of.of_flow.values)
    if not sight.several and not np.array_equal(of.of_flow.values, of.packets.values):
        everything = of.packets
        drawn += sight.steps("all there", everything.time_s, everything.values, tone="muted")
    for reason, at in of.drops.items():
        _, name, _ = REASONS[reason]
        drawn += sight.marks(
            name,
            at.time_s,
            at.values,
            shape=SHAPES.get(reason, "dot"),
            **sight.tone_unless_several("drop"),
        )
    return drawn


def delay(sight: Sight) -> list[Layer]:
    """Return how long each packet waited, when it left the queue."""
    of = queue(sight.shown)
    return sight.samples(f"waited at {of.link}", of.delay.time_s, of.delay.values)


QUEUE: Final = PanelKind("queue", "Packets waiting", "packets", waiting, traced=True)
DELAY: Final = PanelKind("delay", "Time waited", "s", delay, usual=False, traced=True)
