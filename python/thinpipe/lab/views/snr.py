"""How good the radio of a mobile is."""

from __future__ import annotations

from typing import Final

from thinpipe.lab.panel import Layer, PanelKind, Sight, has
from thinpipe.plot.snr import CHANGES, changes, mobiles, ratios

SHAPES: Final = {"hard": "triangle", "failed": "cross"}
"""Of changes of the cell, by their event."""


def layers(sight: Sight) -> list[Layer]:
    """Return the ratio of the mobile of the flow, and marks where it goes to another cell."""
    names = mobiles(sight.run)
    ue = sight.mobile(len(names))
    of_ways = ratios(sight.run, ue)
    drawn: list[Layer] = []
    for number, (direction, ratio) in enumerate(of_ways.items()):
        label = f"{names[ue]} {direction}"
        drawn += sight.steps(label, ratio.time_s, ratio.snr_db, dotted=number > 0)
    first = next(iter(of_ways.values()), None)
    made = {} if first is None else changes(sight.run, ue, first)
    for event, some in made.items():
        drawn += sight.marks(
            CHANGES[event][0],
            [each.time_s for each in some],
            [each.snr_db for each in some],
            shape=SHAPES[event],
            tips=[f"cell {each.cell}, {each.time_s:.6g} s" for each in some],
            **sight.tone_unless_several("ink"),
        )
    return drawn


SNR: Final = PanelKind(
    "snr",
    "Signal to noise",
    "dB",
    layers,
    traced=True,
    from_zero=False,
    there=has("snr"),
)
