"""What waits at the bottleneck, for how long, and what it dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from thinpipe.lab.groups import Group, groups
from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.bottleneck import longest_wait
from thinpipe.plot.queue import REASONS, Part, part, queue

Look = dict[str, str]
"""The entry of a layer that has its colour."""

SHAPES: Final = {"queue": "cross", "aqm": "plus"}
"""Of drops by a full queue and by active queue management; others have a dot."""


def waiting(sight: Sight) -> list[Layer]:
    """Return how many packets of the flow wait, and all with its drops, marked by reason."""
    if of_groups := groups(sight):
        return [layer for each in parts_of(sight, of_groups) for layer in _waiting(sight, *each)]
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
    if of_groups := groups(sight):
        return [
            layer
            for name, of, look in parts_of(sight, of_groups)
            for layer in sight.samples(name, of.delay.time_s, of.delay.values, **look)
        ]
    of = queue(sight.shown)
    return sight.samples(f"waited at {of.link}", of.delay.time_s, of.delay.values)


def parts_of(sight: Sight, of_groups: Sequence[Group]) -> Iterator[tuple[str, Part, Look]]:
    """Yield what each group has in the queue where it waits, and at last what others have there.

    The packets of datagrams have no rows that name their flow: together they are the others.
    """
    sent = sight.run.segments.filter(sight.run.segments["event"] == "sent")
    links: dict[str, None] = {}
    for group in of_groups:
        if not group.is_udp:
            link = longest_wait(next(group.shown(sight)))
            links[link] = None
            uids = group.rows(sent)["uid"].to_numpy()
            name = f"{group.name} at {link}"
            yield name, part(sight.run, link, uids), {"color": group.color}
    udp = [group for group in of_groups if group.is_udp]
    look: Look = {"color": udp[0].color} if len(udp) == 1 else {"tone": "muted"}
    for link in links or {longest_wait(next(group.shown(sight))): None for group in udp[:1]}:
        others = part(sight.run, link, sent["uid"].to_numpy(), others=True)
        if len(others.delay.time_s):
            name = udp[0].name if len(udp) == 1 else "datagrams"
            yield f"{name} at {link}", others, look


def _waiting(sight: Sight, name: str, of: Part, look: Look) -> list[Layer]:
    """Return how many packets of a part wait, and a mark at each drop of one."""
    drawn = sight.steps(name, of.packets.time_s, of.packets.values, **look)
    for reason, at in of.drops.items():
        label, shape = f"{name}: {REASONS[reason][1]}", SHAPES.get(reason, "dot")
        drawn += sight.marks(label, at.time_s, at.values, shape=shape, **look)
    return drawn


QUEUE: Final = PanelKind("queue", "Packets waiting", "packets", waiting, traced=True)
DELAY: Final = PanelKind("delay", "Time waited", "s", delay, usual=False, traced=True)
