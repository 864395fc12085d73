"""Round-trip times, and the queue's share of them."""

from __future__ import annotations

from typing import Final

from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.queue import queue
from thinpipe.plot.rtt import round_trips
from thinpipe.tables import NoTableError


def layers(sight: Sight) -> list[Layer]:
    """Return round-trip times as measured; of a single run also how long packets waited."""
    shown = sight.shown
    if shown.flow.datagrams is not None:
        return []
    times = round_trips(shown)
    drawn = sight.samples("RTT", times.time_s, times.values)
    if not sight.several and not sight.ghost:
        try:
            waited = queue(shown).delay
        except NoTableError:
            return drawn
        drawn += sight.samples("of it in the queue", waited.time_s, waited.values, tone="muted")
    return drawn


ROUND_TRIPS: Final = PanelKind("rtt", "Round-trip time", "s", layers)
