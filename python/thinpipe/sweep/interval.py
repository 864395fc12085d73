"""Means over seeds and their confidence intervals."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

CONFIDENCE: Final = 0.95

UNAFFECTED: Final = "seeds change nothing"
"""What to know where all results of all seeds are equal."""

EQUAL: Final = "equal for all seeds"

BELOW_ZERO: Final = "interval reaches below zero: too few seeds, or too skewed"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and half the width of its confidence interval; ``None`` for a single value.

    The values are assumed independent and normally distributed (Student's t).
    """

    mean: float
    half: float | None
    count: int
    least: float
    """The smallest of the values."""

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate | None:
        """Return the estimate from values; ``None`` without values.

        >>> Estimate.of([1.0, 2.0, 3.0])
        Estimate(mean=2.0, half=2.4841377117503303, count=3, least=1.0)
        """
        if not values:
            return None
        mean = statistics.fmean(values)
        if len(values) == 1:
            return cls(mean, None, 1, mean)
        error = statistics.stdev(values) / math.sqrt(len(values))
        return cls(mean, quantile(len(values) - 1) * error, len(values), min(values))

    @property
    def low(self) -> float | None:
        """The lower end of the interval."""
        return None if self.half is None else self.mean - self.half

    @property
    def high(self) -> float | None:
        """The upper end of the interval."""
        return None if self.half is None else self.mean + self.half

    @property
    def note(self) -> str | None:
        """Why not to trust the interval: `EQUAL` or `BELOW_ZERO`; ``None`` without such a reason.

        Results are counts, times, rates and shares: unless a value is negative, none can be.
        """
        if self.half == 0:
            return EQUAL
        if self.low is not None and self.low < 0 <= self.least:
            return BELOW_ZERO
        return None


def quantile(freedom: int) -> float:
    """Return the quantile of Student's t for a two-sided interval of `CONFIDENCE`."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def estimates(
    frame: pl.DataFrame, by: Sequence[str], measures: Sequence[str]
) -> Iterator[tuple[tuple[object, ...], list[Estimate | None]]]:
    """Yield for each combination of the columns `by`, in order, an estimate of each measure."""
    for values, rows in groups(frame, by):
        yield (
            values,
            [Estimate.of(rows[each].drop_nulls().cast(float).to_list()) for each in measures],
        )


def groups(
    frame: pl.DataFrame, by: Sequence[str]
) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    """Yield each combination of the columns `by`, in order, with its rows."""
    if not by:
        yield (), frame
        return
    for values, rows in frame.group_by(by, maintain_order=True):
        yield tuple(values), rows
