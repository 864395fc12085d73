"""Measures that several studies share, and descriptions of trends."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.papers.hynderick2004.chapter6.setup import PDU
from thinpipe.plot.series import outstanding, segments_sent, sending_end
from thinpipe.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point
    from thinpipe.result import Result

    Floats = NDArray[np.float64]


class Kept(Recording):
    """A run as far as it was kept, for the pictures that every run has."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    @property
    def result(self) -> Result:
        """All figures."""
        return self._outcome.result

    def _table(self, name: str) -> pl.DataFrame:
        return self._outcome.tables[name]


def each(
    outcomes: Outcomes, points: Iterable[Point], value: Callable[[Outcome], float]
) -> list[float]:
    """Return a value of each point."""
    return [value(outcomes[point]) for point in points]


def mean(outcomes: Outcomes, points: Iterable[Point], value: Callable[[Outcome], float]) -> float:
    """Return the mean of a value over points."""
    return fmean(each(outcomes, points, value))


def throughput(run: Outcome) -> float:
    """Return payload over the time of the transfer, in bit/s."""
    return run.flow.goodput_bps or 0.0


def kbps(run: Outcome) -> float:
    """Return payload over the time of the transfer, in kbit/s."""
    return throughput(run) / 1000


def bytes_per_s(run: Outcome) -> float:
    """Return payload over the time of the transfer, in B/s."""
    return throughput(run) / 8


def from_established(run: Outcome) -> float:
    """Return payload over the time since the connection was established, in B/s.

    So counts Table VI.3, and Table VI.1 in a second reading; all else counts from the SYN.
    """
    flow = run.flow
    return flow.bytes_acked / ((flow.completed_s or np.inf) - (flow.established_s or 0.0))


def off_by(ours: float, stated: float) -> str:
    """Return by how many per cent ours exceeds what is stated, as text."""
    return f"{100 * (ours / stated - 1):+.1f} %".replace("-", "−")


def rtt_ms(run: Outcome) -> float:
    """Return the mean round-trip time in ms."""
    return 1000 * (run.flow.rtt_s.mean or np.nan)


def deviation_ms(run: Outcome) -> float:
    """Return the standard deviation of round-trip times in ms."""
    return 1000 * (run.flow.rtt_s.stdev or 0.0)


def resent(run: Outcome) -> float:
    """Count retransmitted packets."""
    return float(run.flow.retransmits)


def timeouts(run: Outcome) -> float:
    """Count timeouts."""
    return float(run.flow.timeouts)


def spurious(run: Outcome) -> float:
    """Count spurious timeouts."""
    return float(run.flow.spurious_timeouts)


def drops(run: Outcome) -> float:
    """Count packets dropped anywhere."""
    return float(sum(link.drops for link in run.result.links))


def undisturbed(run: Outcome) -> bool:
    """Return whether neither a drop nor a timeout happened."""
    return drops(run) == timeouts(run) == resent(run) == 0


def acknowledged(run: Outcome) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return when each packet that was sent once was acknowledged, and which."""
    table = run.tables["rtt"]
    return tuple(table["time_s"]), tuple(table["offset"])


def tcp_effort(run: Outcome, payload: int) -> float:
    """Return payload sent, again or not, over payload delivered; not a number without any."""
    return _over(run.flow.segments_sent * payload, run.flow.bytes_acked)


def rlc_effort(run: Outcome, block: int = PDU) -> float:
    """Return bytes of blocks sent downlink over payload delivered; not a number without any."""
    radio = run.result.radio
    return _over(radio.downlink.blocks_sent * block, run.flow.bytes_acked) if radio else np.nan


def _over(spent: float, delivered: float) -> float:
    return spent / delivered if delivered else np.nan


def mean_outstanding(run: Outcome) -> float:
    """Return the bytes outstanding, weighted by time until all is acknowledged."""
    data = outstanding(sending_end(run.tables["segments"], flow=0))
    over = int(np.searchsorted(data.time_s, run.flow.completed_s or np.inf, side="right")) - 1
    return float(data.weighted_bytes[over])


def resent_at_s(run: Outcome) -> Floats:
    """Return the times at which a packet was retransmitted."""
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    again: Floats = sent.time_s[sent.retransmitted & sent.carries_data]
    return again


def acked_by(run: Outcome, times_s: Sequence[float]) -> Floats:
    """Return the bytes acknowledged by each time, of a traced run."""
    rows = sending_end(run.tables["segments"], flow=0)
    heard = rows.filter(rows["event"] == "received")
    reached = np.maximum.accumulate(heard["ack"].to_numpy().astype(np.float64))
    place = np.searchsorted(heard["time_s"].to_numpy(), times_s, side="right")
    acked: Floats = np.append(0.0, np.maximum(reached - 1, 0))[place]
    return acked


def rate_between(run: Outcome, start_s: float, end_s: float) -> float:
    """Return the payload acknowledged in a time, in bit/s, of a traced run."""
    first, last = acked_by(run, (start_s, end_s))
    return float(8 * (last - first) / (end_s - start_s))


def percent_more(
    ratios: Callable[[Outcomes], Sequence[float]],
) -> Callable[[Outcomes], list[float]]:
    """Measure by how many per cent what `ratios` measures is above one."""
    return lambda outcomes: [100 * (ratio - 1) for ratio in ratios(outcomes)]


def tau(values: Sequence[float]) -> float:
    """Return how far values grow in their order: Kendall's tau, 1 if each exceeds all before.

    >>> tau((1, 2, 3)), tau((3, 3, 1)), tau((2, 2))
    (1.0, -0.6666666666666666, 0.0)
    """
    signs = [np.sign(later - earlier) for earlier, later in combinations(values, 2)]
    return float(sum(signs) / len(signs))
