"""Parameters and metrics as text for axes and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from thinpipe.report.numbers import short
from thinpipe.sweep.interval import BELOW_ZERO, EQUAL, Estimate
from thinpipe.sweep.parameters import SHARE, column

MARKS: Final = {EQUAL: "=", BELOW_ZERO: "†"}
"""Of notes about an interval, in a table."""

MEASURES: Final = ("goodput_bps", "rtt_s.mean", "retransmits", "timeouts")
"""The main metrics, which `thinpipe sweep` prints."""

DELAY: Final = "network.delay_s.p95"
"""What a scatter plot has on its x-axis unless another metric is chosen."""

ALWAYS: Final = (*MEASURES, DELAY)
"""Metrics that a table has even where they do not vary: those that are drawn unasked."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit for display, and the factor from the column's unit."""

    unit: str
    factor: float = 1.0


TEN_MEGABIT: Final = 1e7

PERCENT: Final = Scale("%", 100)

_SUFFIXES: Final = {
    "_bps": "bit/s",
    "_s": "s",
    "_segments": "segments",
    "_packets": "packets",
    "_j": "J",
    "_w": "W",
}

_WORDS: Final = {"rtt": "RTT", "p50": "median", "p95": "95 %", "p99": "99 %"}

_SHARES: Final = frozenset(
    {"utilization", "normalized_throughput", "efficiency", "limited_by", "time_share", "occupancy"}
)


def metric_unit(name: str) -> str:
    """Return the unit of a metric, by its name; empty for counts and other ratios than shares."""
    parts = name.split(".")
    if not _SHARES.isdisjoint(parts):
        return SHARE
    if parts[-1] == "samples":
        return ""
    found = [unit for part in parts for end, unit in _SUFFIXES.items() if part.endswith(end)]
    return found[-1] if found else ""


def metric_scale(name: str) -> Scale:
    """Return the unit in which a metric is shown."""
    unit = metric_unit(name)
    return {SHARE: PERCENT, "bit/s": Scale("kbit/s", 1e-3)}.get(unit, Scale(unit))


def metric_label(name: str) -> str:
    """Return a metric's name with its unit.

    >>> metric_label("rtt_s.mean"), metric_label("links.Uu/down.queue_packets.max")
    ('RTT mean (s)', 'links Uu/down queue max (packets)')
    >>> metric_label("network.delay_s.p95")
    'network delay 95 % (s)'
    """
    words = [_without_unit(part).replace("_", " ") for part in name.split(".")]
    text = " ".join(_WORDS.get(word, word) for word in words)
    unit = metric_scale(name).unit
    return f"{text} ({unit})" if unit else text


def axis_label(name: str) -> str:
    """Return a metric's name with its unit and a capital letter."""
    label = metric_label(name)
    return label[:1].upper() + label[1:]


def parameter_scale(unit: str | None, values: Iterable[float]) -> Scale:
    """Return a display unit for the values of a parameter."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if unit == SHARE:
        return PERCENT
    if unit == "s":
        return Scale("s") if largest >= 1 else Scale("ms", 1e3)
    if unit == "bit/s":
        return Scale("kbit/s", 1e-3) if largest < TEN_MEGABIT else Scale("Mbit/s", 1e-6)
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


def texts_alike(key: str, given: Sequence[str]) -> list[str]:
    """Return values of a parameter, as settings write them, with one unit if they have any.

    >>> texts_alike("duration", ["20s", "1 min"]), texts_alike("radio.tbler", ["0", "10%"])
    (['20 s', '60 s'], ['0 %', '10 %'])
    """
    apart = [re.sub(r"(?<=\d)(?=[A-Za-z%])", " ", each.strip()) for each in given]
    plain = [re.sub(r"^(\S+) %$", lambda of: str(float(of[1]) / 100), each) for each in apart]
    found = column(key, plain)
    if found.unit is None:
        return [*given]
    scale = parameter_scale(found.unit, found.values)
    return [
        f"{short(scale.factor * each, 9)} {scale.unit}" if math.isfinite(each) else "unlimited"
        for each in found.values
    ]


def estimate_text(estimate: Estimate | None, name: str, expected: int) -> str:
    """Return mean ± half the interval, and the number of values if fewer than `expected`.

    A mark of `MARKS` follows where there is something to know about the interval.
    """
    return scaled_text(estimate, metric_scale(name).factor, expected)


def scaled_text(estimate: Estimate | None, factor: float, expected: int) -> str:
    """Return the text of an estimate times `factor`, as `estimate_text` does."""
    if estimate is None:
        return "–"
    text = short(factor * estimate.mean, 4)
    if estimate.half:
        text += f" ± {short(factor * estimate.half, 2)}"
    if estimate.note is not None:
        text += f" {MARKS[estimate.note]}"
    return text if estimate.count == expected else f"{text} ({estimate.count} of {expected})"


def _without_unit(part: str) -> str:
    for end in _SUFFIXES:
        if part.endswith(end):
            return part.removesuffix(end)
    return part
