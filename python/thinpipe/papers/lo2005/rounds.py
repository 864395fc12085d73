"""Equation 1 in the simulator: what Vegas does after each round trip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.papers.series import Steps
from thinpipe.plot.series import sending_end

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome

    Floats = NDArray[np.float64]
    Chosen = NDArray[np.bool_]

MOMENT_S = 1e-9
"""Shorter than anything that happens."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Vegas' round trips in congestion avoidance, as seen in a traced run without losses.

    A round trip ends with the acknowledgement that passes what was next to send at the last end.

    Attributes
    ----------
    flight
        Bytes in flight before that acknowledgement, in segments.
    mean_rtt_s
        Of the samples since the last end.
    before, after
        The congestion window before and after that acknowledgement, in segments.
    """

    flight: Floats
    mean_rtt_s: Floats
    before: Floats
    after: Floats

    @classmethod
    def of(cls, outcome: Outcome, mss: int) -> Rounds:
        """Follow the sender's segments and acknowledgements."""
        rows = _round_trips(outcome, mss)
        time_s, flight, mean_rtt_s = np.array(rows, dtype=np.float64).reshape(-1, 3).T
        cwnd = Steps.cwnd(outcome)
        before, after = cwnd.at(time_s - MOMENT_S), cwnd.at(time_s + MOMENT_S)
        avoiding = time_s > cwnd.time_s[cwnd.first_decrease()]
        return cls(flight[avoiding], mean_rtt_s[avoiding], before[avoiding], after[avoiding])

    def share_fallen(self, chosen: Chosen) -> float:
        """Return the share of chosen round trips that shrank the window."""
        return float(np.mean(self.after[chosen] < self.before[chosen]))

    def share_kept(self, chosen: Chosen) -> float:
        """Return the share of chosen round trips that did not change the window."""
        return float(np.mean(self.before[chosen] == self.after[chosen]))

    def at(self, flight: int, min_s: float, max_s: float = np.inf) -> Chosen:
        """Choose round trips by the segments in flight and by their mean round-trip time."""
        within = (self.mean_rtt_s > min_s - MOMENT_S) & (self.mean_rtt_s < max_s + MOMENT_S)
        chosen: Chosen = (self.flight == flight) & within
        return chosen


def _round_trips(outcome: Outcome, mss: int) -> list[tuple[float, float, float]]:
    """Return end, flight and mean round-trip time of each round trip with a sample."""
    table = outcome.tables["rtt"]
    rtt_s = dict(zip((table["offset"] + mss + 1).to_list(), table["rtt_s"], strict=True))
    rows = sending_end(outcome.tables["segments"], flow=0)
    columns = (rows[name].to_list() for name in ("time_s", "event", "seq", "ack", "payload_bytes"))
    found: list[tuple[float, float, float]] = []
    samples: list[float] = []
    oldest = upcoming = mark = 1
    for time_s, event, seq, ack, payload in zip(*columns, strict=True):
        if event == "sent":
            upcoming = max(upcoming, seq + payload)
        elif ack > oldest:
            flight = (upcoming - oldest) / mss
            oldest = ack
            if ack > mark:
                found += [(time_s, flight, float(np.mean(samples)))] if samples else []
                mark, samples = upcoming, []
            samples += [rtt_s[ack]] if ack in rtt_s else []
    return found
