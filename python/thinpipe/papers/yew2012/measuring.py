"""The paper's metrics of a run, each defined in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.series import Steps
from thinpipe.papers.yew2012.printed import ACCESS_BPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point
    from thinpipe.result import Link

    Floats = NDArray[np.float64]
    Value = Callable[[Outcome], float]

UPPER_BPS: Final = ACCESS_BPS / 2
"""From here on a run is in the upper band: half of the lowest rate on the path."""

TOWARDS_MOBILE: Final = "/down"
"""Suffix of the names of links towards the mobile."""


def delay_ms(run: Outcome) -> float:
    """Network delay: mean one-way delay from CN to MN of the data packets that arrived."""
    mean_s = run.flow.network.delay_s.mean
    return float("nan") if mean_s is None else 1e3 * mean_s


def kbps(run: Outcome) -> float:
    """Network throughput: payload of the data packets that arrived, over the whole run."""
    return (run.flow.network.throughput_bps or 0.0) / 1e3


def efficiency(run: Outcome) -> float:
    """Network efficiency: data packets that arrived over those sent, in per cent."""
    share = run.flow.network.efficiency
    return float("nan") if share is None else 100 * share


def ratio(run: Outcome) -> float:
    """Delay with respect to throughput (equation 4), in ms per kbit/s."""
    return delay_ms(run) / kbps(run) if kbps(run) else float("inf")


def is_upper(run: Outcome) -> bool:
    """Whether a run is in the upper band."""
    return 1e3 * kbps(run) >= UPPER_BPS


def min_rtt_ms(run: Outcome) -> float:
    """Return the minimum round-trip time that the sender measured in the whole run, in ms."""
    least_s = run.flow.rtt_s.min
    return float("inf") if least_s is None else 1e3 * least_s


def is_from_home(run: Outcome, rtt_ms: int) -> bool:
    """Whether the sender learnt a round trip at home: one that is shorter than the WAN's."""
    return min_rtt_ms(run) < rtt_ms


def largest_queue(run: Outcome) -> float:
    """Return the longest queue on the path to the mobile, in packets."""
    return float(max(link.queue_packets.max or 0 for link in _downwards(run)))


def queue_at(run: Outcome, link: str) -> float:
    """Return the longest queue of one link, in packets."""
    found = next(each for each in run.result.links if each.name == link)
    return float(found.queue_packets.max or 0)


def bound_s(run: Outcome, router: str) -> float:
    """Return when the mobile was first registered with its address at an access router."""
    mobility = run.result.mobility
    if mobility is None:
        return float("nan")
    times = (
        handover.registered_s
        for handover in mobility.handovers
        if mobility.routers[handover.router] == router and handover.registered_s is not None
    )
    return next(times, float("nan"))


def dropped(run: Outcome) -> float:
    """Count the packets dropped by full queues on the path to the mobile."""
    return float(sum(link.drops_by_reason.queue for link in _downwards(run)))


def slow_start_end_s(run: Outcome) -> float:
    """Return when the window first fell; the end of the run if it never did."""
    cwnd = Steps.cwnd(run)
    place = cwnd.first_decrease()
    return float(cwnd.time_s[place]) if place < len(cwnd.time_s) else cwnd.end_s


def completion_s(run: Outcome) -> float:
    """Return how long a transfer took; until the end of the run if it is not complete."""
    flow = run.flow
    end_s = run.result.duration_s if flow.completed_s is None else flow.completed_s
    return end_s - (flow.started_s or 0.0)


def base_rtt_ms(run: Outcome) -> float:
    """Return what Vegas holds for the round trip without queues at the end of a run, in ms."""
    table = run.tables["base_rtt"]
    column = table.filter(table["flow"] == 0)["base_rtt_s"]
    return 1e3 * float(column[-1]) if len(column) else float("nan")


def latest_error(run: Outcome) -> float:
    """Return by how much the latest sample misses the RTT of a segment that leaves, mean in %."""
    time_s, rtt_s = _samples(run)
    return _missed(time_s, rtt_s, time_s, rtt_s)


def base_error(run: Outcome) -> float:
    """Return by how much the base RTT misses it, mean in %."""
    base = run.tables["base_rtt"]
    base = base.filter(base["flow"] == 0)
    return _missed(*_samples(run), base["time_s"].to_numpy(), base["base_rtt_s"].to_numpy())


def _samples(run: Outcome) -> tuple[Floats, Floats]:
    table = run.tables["rtt"]
    table = table.filter(table["flow"] == 0)
    return table["time_s"].to_numpy(), table["rtt_s"].to_numpy()


def _missed(time_s: Floats, rtt_s: Floats, known_s: Floats, taken_s: Floats) -> float:
    place = np.searchsorted(known_s, time_s - rtt_s, side="right") - 1
    told = place >= 0
    return 100 * float(np.mean(np.abs(taken_s[place[told]] / rtt_s[told] - 1)))


def late_min_rtt_ms(run: Outcome) -> float:
    """Return the minimum round-trip time of the second half of a run, in ms: its base RTT."""
    table = run.tables["rtt"]
    late = table.filter((table["flow"] == 0) & (table["time_s"] >= run.result.duration_s / 2))
    return 1e3 * float(late["rtt_s"].to_numpy().min()) if len(late) else float("nan")


def acknowledged(run: Outcome) -> Steps:
    """Return the payload bytes that the sender knew to have arrived, by time."""
    table = run.tables["rtt"]
    table = table.filter(table["flow"] == 0)
    reached = np.maximum.accumulate(table["offset"].to_numpy().astype(np.float64))
    time_s = table["time_s"].to_numpy().astype(np.float64)
    return Steps(np.append(0.0, time_s), np.append(0.0, reached), run.result.duration_s)


def throughput_course(run: Outcome, step_s: float) -> tuple[Floats, Floats, Floats]:
    """Return times, the throughput of each step and that since the start, both in kbit/s."""
    edges = np.arange(0.0, run.result.duration_s + step_s / 2, step_s)
    reached = acknowledged(run).at(edges)
    each = np.diff(reached) * 8 / step_s / 1e3
    return edges[1:], each, reached[1:] * 8 / edges[1:] / 1e3


def of(outcomes: Outcomes, points: Iterable[Point], value: Value) -> list[float]:
    """Return a value of each run, in the order of seeds."""
    return [value(outcomes[point]) for point in points]


def share_upper(outcomes: Outcomes, points: Sequence[Point]) -> float:
    """Return the share of runs in the upper band."""
    return sum(is_upper(outcomes[point]) for point in points) / len(points)


def _downwards(run: Outcome) -> list[Link]:
    return [link for link in run.result.links if link.name.endswith(TOWARDS_MOBILE)]
