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


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and half the width of its confidence interval; ``None`` for a single value.

    The values are assumed independent and normally distributed (Student's t).
    """

    mean: float
    half: float | None
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate | None:
        """Return the estimate from values; ``None`` without values.

        >>> Estimate.of([1.0, 2.0, 3.0])
        Estimate(mean=2.0, half=2.484137711739, count=3)
        """
        if not values:
            return None
        mean = statistics.fmean(values)
        if len(values) == 1:
            return cls(mean, None, 1)
        error = statistics.stdev(values) / math.sqrt(len(values))
        return cls(mean, quantile(len(values) - 1) * error, len(values))


def quantile(freedom: int) -> float:
    """Return the quantile of Student's t for a two-sided interval of `CONFIDENCE`."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def estimates(
    frame: pl.DataFrame, by: Sequence[str], measures: Sequence[str]
) -> Iterator[tuple[tuple[object, ...], list[Estimate | None]]]:
    """Yield for each combination of the columns `by`, in order, an estimate of each measure."""
    groups = frame.group_by(by, maintain_order=True) if by else [((), frame)]
    for values, rows in groups:
        yield (
            tuple(values),
            [Estimate.of(rows[each].drop_nulls().cast(float).to_list()) for each in measures],
        )
