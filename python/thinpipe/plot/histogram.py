"""The bins of a histogram."""

from __future__ import annotations

from typing import Final

import numpy as np

BARS: Final = 25
"""Minimum number of bins."""


def bar_width(span_s: float) -> float:
    """Return the largest width in 1, 2, 5, 10, … ms, or below, with `BARS` bins in the span."""
    if not span_s > 0:
        return 0.001
    most_s = span_s / BARS
    decade_s = float(10.0 ** np.floor(np.log10(most_s)))
    return max(step * decade_s for step in (1, 2, 5) if step == 1 or step * decade_s <= most_s)


def histogram_edges(max_s: float, width_s: float, min_s: float = 0.0) -> np.ndarray:
    """Return edges of bins centred on multiples of `width_s`, from `min_s` to `max_s`."""
    first, last = np.floor(min_s / width_s), np.ceil(max_s / width_s)
    edges: np.ndarray = (np.arange(first, last + 2) - 0.5) * width_s
    return edges
