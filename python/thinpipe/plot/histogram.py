"""The bins of a histogram."""

from __future__ import annotations

from typing import Final

import numpy as np

BARS: Final = 25
"""Minimum number of bins."""

MOST: Final = 100_000
"""Maximum number of bins or intervals, far more than a picture has columns of pixels."""


def bar_width(span_s: float) -> float:
    """Return the largest width in 1, 2, 5, 10, … ms, or below, with `BARS` bins in the span."""
    if not span_s > 0:
        return 0.001
    most_s = span_s / BARS
    decade_s = float(10.0 ** np.floor(np.log10(most_s)))
    return max(step * decade_s for step in (1, 2, 5) if step == 1 or step * decade_s <= most_s)


def histogram_edges(max_s: float, width_s: float, min_s: float = 0.0) -> np.ndarray:
    """Return edges of bins centred on multiples of `width_s`, from `min_s` to `max_s`.

    Raises
    ------
    ValueError
        If there were more than `MOST`.
    """
    if max_s - min_s > MOST * width_s:
        least_s = (max_s - min_s) / MOST
        raise ValueError(f"width_s: must be at least {least_s:g} s, not {width_s:g} s")
    first, last = np.floor(min_s / width_s), np.ceil(max_s / width_s)
    edges: np.ndarray = (np.arange(first, last + 2) - 0.5) * width_s
    return edges
