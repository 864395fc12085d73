"""Bars of a histogram."""

from __future__ import annotations

from typing import Final

import numpy as np

BARS: Final = 25
"""How many bars a histogram has at least."""


def bar_width(span_s: float) -> float:
    """Return the widest of 1, 2, 5, 10, … ms, or less, of which a span holds `BARS`."""
    if not span_s > 0:
        return 0.001
    most_s = span_s / BARS
    decade_s = float(10.0 ** np.floor(np.log10(most_s)))
    return max(step * decade_s for step in (1, 2, 5) if step == 1 or step * decade_s <= most_s)


def histogram_edges(greatest_s: float, width_s: float, least_s: float = 0.0) -> np.ndarray:
    """Return edges of bars centred on the multiples of `width_s`, around all that is between."""
    first, last = np.floor(least_s / width_s), np.ceil(greatest_s / width_s)
    edges: np.ndarray = (np.arange(first, last + 2) - 0.5) * width_s
    return edges
