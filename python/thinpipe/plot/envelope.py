"""What is left of a curve with far more points than pixels: a range and a median per column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COLUMNS: Final = 500
"""Columns of a picture: two or three pixels each at its usual size."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """Minimum, median and maximum in each of `COLUMNS` columns; NaN in a column without values.

    Attributes
    ----------
    edges_s
        Where the columns begin, and where the last one ends.
    """

    edges_s: Floats
    low: Floats
    median: Floats
    high: Floats


def column_of(edges_s: Floats, time_s: Floats) -> NDArray[np.int64]:
    """Return the column of each time; the end of the last column belongs to it."""
    last = len(edges_s) - 2
    return np.clip(np.searchsorted(edges_s, time_s, side="right") - 1, 0, last).astype(np.int64)


def edges(start_s: float, end_s: float) -> Floats:
    """Return the edges of the columns between two times."""
    return np.linspace(start_s, end_s, COLUMNS + 1)


def envelope_of_samples(edges_s: Floats, time_s: Floats, values: Floats) -> Envelope:
    """Return the envelope of samples between the edges; each counts once in the median."""
    return _envelope(edges_s, time_s, values, np.ones(len(values)))


def envelope_of_steps(edges_s: Floats, time_s: Floats, values: Floats) -> Envelope:
    """Return the envelope of a step curve; in the median, a value counts for how long it lasts.

    The curve is in order of time, between the edges, and lasts until the last of them.
    """
    # A value that lasts is also one of the columns that it enters.
    before = np.searchsorted(time_s, edges_s[:-1], side="right") - 1
    enters = before >= 0
    times = np.concatenate([edges_s[:-1][enters], time_s])
    held = np.concatenate([values[before[enters]], values])
    order = np.argsort(times, kind="stable")
    lasted = np.diff(times[order], append=edges_s[-1])
    return _envelope(edges_s, times[order], held[order], lasted)


def _envelope(edges_s: Floats, time_s: Floats, values: Floats, weights: Floats) -> Envelope:
    count = len(edges_s) - 1
    low, median, high = (np.full(count, np.nan) for _ in range(3))
    if len(values):
        column = column_of(edges_s, time_s)
        order = np.lexsort((values, column))
        filled, starts = np.unique(column[order], return_index=True)
        ends = np.append(starts[1:], len(order)) - 1
        values = values[order]
        low[filled], high[filled] = values[starts], values[ends]
        upto = np.cumsum(weights[order])
        before = np.append(0.0, upto)[starts]
        half = np.searchsorted(upto, (before + upto[ends]) / 2)
        median[filled] = values[np.clip(half, starts, ends)]
    return Envelope(edges_s, low, median, high)
