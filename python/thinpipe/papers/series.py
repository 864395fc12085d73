"""Step curves over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Steps:
    """A step curve: values from each `time_s` to the next, the last until `end_s`."""

    time_s: Floats
    value: Floats
    end_s: float

    @classmethod
    def cwnd(cls, outcome: Outcome) -> Steps:
        """Return the congestion window of the first flow, in segments."""
        table = outcome.tables["cwnd"]
        table = table.filter(table["flow"] == 0)
        return cls(
            table["time_s"].to_numpy(),
            table["cwnd_segments"].to_numpy(),
            outcome.result.duration_s,
        )

    def durations_s(self) -> Floats:
        """Return how long each value holds."""
        return np.diff(np.append(self.time_s, self.end_s))

    def share(self, chosen: NDArray[np.bool_]) -> float:
        """Return the share of time spent at the chosen values."""
        durations_s = self.durations_s()
        return float(durations_s[chosen].sum() / durations_s.sum())

    def at(self, time_s: Floats) -> Floats:
        """Return the value at each time; the first one before the first change."""
        place = np.searchsorted(self.time_s, time_s, side="right") - 1
        return self.value[np.maximum(place, 0)]

    def first_decrease(self) -> int:
        """Return the index of the first change to a lower value; the length if there is none."""
        falls = np.flatnonzero(np.diff(self.value) < 0)
        return int(falls[0]) + 1 if len(falls) else len(self.value)


def band(curves: Sequence[Steps], time_s: Floats) -> tuple[Floats, Floats]:
    """Return minimum and maximum of several curves at each time."""
    values = np.stack([curve.at(time_s) for curve in curves])
    return values.min(axis=0), values.max(axis=0)
