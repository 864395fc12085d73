"""Parameters and figures as people read them, on axes and in tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from thinpipe.report.numbers import short
from thinpipe.sweep.interval import Estimate
from thinpipe.sweep.parameters import SHARE

MEASURES: Final = ("goodput_bps", "rtt_s.mean", "retransmits", "timeouts")
"""Figures that a table shows if no others are asked for."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit, and the factor that leads to it from the one of a column."""

    unit: str
    factor: float = 1.0


TEN_MEGABIT: Final = 1e7

PERCENT: Final = Scale("%", 100)

_SUFFIXES: Final = {
    "_bps": Scale("kbit/s", 1e-3),
    "_s": Scale("s"),
    "_segments": Scale("segments"),
    "_packets": Scale("packets"),
}

_SHARES: Final = frozenset({"utilization", "normalized_throughput", "efficiency"})


def figure_scale(name: str) -> Scale:
    """Return the unit of a figure, by its name."""
    parts = name.split(".")
    if parts[-1] in _SHARES:
        return PERCENT
    if parts[-1] == "samples":
        return Scale("")
    found = [scale for part in parts for end, scale in _SUFFIXES.items() if part.endswith(end)]
    return found[-1] if found else Scale("")


def figure_label(name: str) -> str:
    """Return a figure's name with its unit.

    >>> figure_label("rtt_s.mean"), figure_label("links.Uu/down.queue_packets.max")
    ('RTT mean (s)', 'links Uu/down queue max (packets)')
    """
    words = [_without_unit(part).replace("_", " ") for part in name.split(".")]
    text = " ".join("RTT" if word == "rtt" else word for word in words)
    unit = figure_scale(name).unit
    return f"{text} ({unit})" if unit else text


def parameter_scale(unit: str | None, values: Iterable[float]) -> Scale:
    """Return a unit for the values of a parameter."""
    greatest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if unit == SHARE:
        return PERCENT
    if unit == "s":
        return Scale("s") if greatest >= 1 else Scale("ms", 1e3)
    if unit == "bit/s":
        return Scale("kbit/s", 1e-3) if greatest < TEN_MEGABIT else Scale("Mbit/s", 1e-6)
    return Scale(unit or "")


def parameter_text(value: object, unit: str | None) -> str:
    """Return a parameter's value with its unit.

    >>> parameter_text(0.05, "share"), parameter_text(384000.0, "bit/s"), parameter_text(8, None)
    ('5 %', '384 kbit/s', '8')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, int | float):
        return str(value)
    if math.isinf(value):
        return "unlimited"
    scale = parameter_scale(unit, [value])
    return f"{short(scale.factor * value, 9)} {scale.unit}".strip()


def estimate_text(estimate: Estimate | None, name: str, most: int) -> str:
    """Return a mean ± half of its interval; how many values there were, if fewer than `most`."""
    if estimate is None:
        return "–"
    factor = figure_scale(name).factor
    text = short(factor * estimate.mean, 4)
    if estimate.half is not None:
        text += f" ± {short(factor * estimate.half, 2)}"
    return text if estimate.count == most else f"{text} ({estimate.count} of {most})"


def _without_unit(part: str) -> str:
    for end in _SUFFIXES:
        if part.endswith(end):
            return part.removesuffix(end)
    return part
