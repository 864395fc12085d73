"""A proxy daemon's status as a live page shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Final

from thinpipe.lab.live import Curve, LivePanel, Look, Source

PERIOD_S: Final = 1.0
GAUGES: Final = (
    ("mobiles", "Mobiles", "mobiles", "mobiles", 1.0),
    ("flows", "Open connections", "connections", "flows.open", 1.0),
    ("queued", "Waiting for the radio", "kB", "queued_bytes", 1e-3),
    ("flight", "In flight over the radio", "kB", "in_flight_bytes", 1e-3),
    ("window", "Aggregate windows", "kB", "cwnd_bytes", 1e-3),
    ("held", "Held, of the budget", "kB", "held_bytes", 1e-3),
    ("stalled", "Stalled mobiles", "mobiles", "stalled_mobiles", 1.0),
)
"""Panels of a daemon: name, title, unit, the gauge of each profile, and its factor."""


def daemon(
    name: str,
    status: Callable[[], str],
    summarize: Callable[
        [str], tuple[Sequence[str], Sequence[tuple[Sequence[str], Sequence[Sequence[str]]]]]
    ],
) -> Source:
    """Return a proxy daemon's status as a source: a curve a profile, tables of all it tells.

    `status` is `_core.proxy_status`, `summarize` is `_core.proxy_summary`.
    """
    profiles: list[str] = []

    def ask() -> Look:
        answer = status()
        samples: dict[str, float | None] = {}
        for profile in json.loads(answer)["profiles"]:
            if profile["name"] not in profiles:
                profiles.append(profile["name"])
            for panel, _, _, path, factor in GAUGES:
                value = profile
                for part in path.split("."):
                    value = value[part]
                samples[f"{profile['name']} {panel}"] = factor * value
            samples[f"{profile['name']} budget"] = 1e-3 * profile["budget_bytes"]
        lines, tables = summarize(answer)
        return Look(samples, tables, " · ".join(lines))

    def panels() -> Sequence[LivePanel]:
        return [
            LivePanel(
                panel,
                title,
                unit,
                tuple(
                    Curve(f"{each} {panel}", each, run=number)
                    for number, each in enumerate(profiles)
                )
                + tuple(
                    Curve(f"{each} budget", f"{each}, budget", tone="muted")
                    for each in (profiles if panel == "held" else ())
                ),
            )
            for panel, title, unit, _, _ in GAUGES
        ]

    return Source(f"{name}, proxy", ask, panels, PERIOD_S)
