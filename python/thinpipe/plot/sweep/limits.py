"""Limits of axes that hold all values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MARGIN: Final = 0.05
"""Space around the values, as a share of what they span."""


def limits(
    values: Sequence[float], reached: Sequence[float] = (), *, scale: str = "linear"
) -> tuple[float, float] | None:
    """Return limits that hold values and what reaches beyond them; ``None`` without values.

    They do not go below zero if no value does, and on a logarithmic scale not to it.
    """
    if not values:
        return None
    low, high = min(*values, *reached, values[0]), max(*values, *reached, values[0])
    if scale == "log":
        margin = (high / min(values)) ** MARGIN
        return min(values) / margin, high * margin
    margin = MARGIN * (high - low) or MARGIN * abs(high) or 1.0
    return (max(low - margin, 0.0) if min(values) >= 0 else low - margin), high + margin
