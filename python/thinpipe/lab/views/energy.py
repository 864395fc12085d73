"""What the radio of a mobile draws."""

from __future__ import annotations

from typing import Final

from thinpipe.lab.panel import Layer, PanelKind, Sight, has
from thinpipe.plot.energy import powers


def layers(sight: Sight) -> list[Layer]:
    """Return the power of the mobile of the flow, where each mobile has one, and its energy."""
    mobiles = sight.run.mobiles
    number = sight.mobile(len(mobiles))
    rows = sight.run.power.filter(sight.run.power["mobile"] == number)
    mobile = mobiles[number]
    drawn = powers(rows, sight.run.result.duration_s, mobile.energy_j)
    label = f"{mobile.name}: {mobile.energy_j:.4g} J"
    return sight.steps(label, drawn.edges_s[:-1], drawn.power_w)


POWER: Final = PanelKind(
    "power", "Power of the mobile", "W", layers, usual=False, traced=True, there=has("power")
)
