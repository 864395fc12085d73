"""An emulated link as a live page shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from thinpipe.lab.live import Curve, LivePanel, Look, Source

PERIOD_S: Final = 0.25
WAYS: Final = (("down", "to the mobile"), ("up", "from the mobile"))


def link(name: str, meter: Callable[[], str]) -> Source:
    """Return an emulated link as a source; `meter` is `_core.Emulation.meter`."""

    def ask() -> Look:
        moment = json.loads(meter())
        samples: dict[str, float | None] = {}
        for way, _ in WAYS:
            reading = moment[way]
            samples[f"{way} rate"] = reading["rate_bps"] / 1000
            samples[f"{way} queue"] = reading["queue"]["packets"]
            delay_s = reading["delay_s"]
            samples[f"{way} delay"] = None if delay_s is None else 1000 * delay_s
            samples[f"{way} drops"] = reading["drops"]
        late_s = moment.get("late_s")
        samples["late"] = None if late_s is None else 1000 * late_s
        return Look(samples, line=f"{moment['at_s']:.1f} s since the start")

    def curves(of: str) -> tuple[Curve, ...]:
        return tuple(
            Curve(f"{way} {of}", label, run=number) for number, (way, label) in enumerate(WAYS)
        )

    panels = (
        LivePanel("rate", "Carried", "kbit/s", curves("rate")),
        LivePanel("queue", "Held by the link", "packets", curves("queue")),
        LivePanel("delay", "Delay", "ms", curves("delay")),
        LivePanel("drops", "Dropped so far", "packets", curves("drops")),
        LivePanel("late", "Lateness of the emulator", "ms", (Curve("late", "99 % within"),)),
    )
    return Source(f"{name}, emulated", ask, lambda: panels, PERIOD_S)
