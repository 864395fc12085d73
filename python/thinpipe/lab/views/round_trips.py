"""Round-trip times, the queue's share of them, and the shortest that Vegas knows."""

from __future__ import annotations

from typing import Final

from thinpipe.lab.groups import Group, groups
from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.queue import queue
from thinpipe.plot.rtt import round_trips
from thinpipe.tables import NoTableError


def layers(sight: Sight) -> list[Layer]:
    """Return round-trip times as measured; of a single run also how long packets waited."""
    if of_groups := groups(sight):
        return [layer for group in of_groups for layer in of_group(sight, group)]
    shown = sight.shown
    if shown.flow.datagrams is not None:
        return []
    times = round_trips(shown)
    drawn = sight.samples("RTT", times.time_s, times.values) + base(sight)
    if not sight.several and not sight.ghost:
        try:
            waited = queue(shown).of_round_trips
        except NoTableError:
            return drawn
        drawn += sight.samples("of it in the queue", waited.time_s, waited.values, tone="muted")
    return drawn


def of_group(sight: Sight, group: Group) -> list[Layer]:
    """Return the round-trip times of all flows of a group."""
    rows = group.rows(sight.run.rtt)
    if len(rows) == 0:
        return []
    times = rows["time_s"].to_numpy(), rows["rtt_s"].to_numpy()
    return sight.samples(group.name, *times, color=group.color)


def base(sight: Sight) -> list[Layer]:
    """Return Vegas' baseRTT; nothing of a flow that needs none."""
    try:
        rows = sight.shown.rows(sight.run.base_rtt)
    except NoTableError:
        return []
    if len(rows) == 0:
        return []
    return sight.steps(
        "baseRTT", rows["time_s"].to_numpy(), rows["base_rtt_s"].to_numpy(), dotted=True
    )


ROUND_TRIPS: Final = PanelKind("rtt", "Round-trip time", "s", layers, of_flow=True, of_groups=True)
