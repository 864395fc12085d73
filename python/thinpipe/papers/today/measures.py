"""What the hypotheses are judged by: one value for each seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from thinpipe.papers.today import experiments as runs
from thinpipe.papers.today.moving_rate import MEASURES as MOVING_RATE
from thinpipe.papers.today.setup import SEEDS, VARIANTS

if TYPE_CHECKING:
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

Measure = Callable[["Outcomes"], Sequence[float]]
Value = Callable[["Outcome"], float]
Run = Callable[[int], "Point"]
"""The run of a seed."""

PING: Final = "ping"


def goodput(outcome: Outcome) -> float:
    """Return the goodput of all flows but pings together, in bit/s."""
    return math.fsum(flow.goodput_bps or 0.0 for flow in outcome.result.flows if flow.group != PING)


def p95_rtt(outcome: Outcome) -> float:
    """Return the 95th percentile of the first flow's RTT in seconds."""
    return _known(outcome.flow.rtt_s.p95)


def ping_p95(outcome: Outcome) -> float:
    """Return the 95th percentile of what a datagram takes to the mobile, in seconds."""
    (ping,) = (flow for flow in outcome.result.flows if flow.group == PING)
    return _known(ping.network.delay_s.p95)


def transfer_time(outcome: Outcome) -> float:
    """Return how long the first flow takes from its SYN to the last byte at the mobile, in s.

    Behind a middlebox that acknowledges for the mobile, the sender is done long before.
    """
    return _known(outcome.flow.received_s) - _known(outcome.flow.started_s)


def page_time(outcome: Outcome) -> float:
    """Return the median page load time in seconds."""
    pages = outcome.flow.pages
    return _known(None if pages is None else pages.response_s.p50)


def energy(outcome: Outcome) -> float:
    """Return the radio's energy for a file in joules, with its tail and without what is idle."""
    spent = outcome.result.energy
    if spent is None or outcome.flow.completed_s is None:
        return math.nan
    return math.fsum(state.energy_j for state in spent.states if state.name != "idle")


def tail_share(outcome: Outcome) -> float:
    """Return the share of the tail of the radio's energy, in percent."""
    spent = outcome.result.energy
    if spent is None:
        return math.nan
    tail = math.fsum(state.energy_j for state in spent.states if state.name == "tail")
    return 100 * tail / spent.total_j


def mean_window(outcome: Outcome) -> float:
    """Return the first flow's mean window in segments."""
    return _known(outcome.flow.cwnd_segments.mean)


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def percent(value: Value, run: Run, of: Run) -> Measure:
    """Return the measure of a value in percent of another run's: of the mean over seeds."""

    def measure(outcomes: Outcomes) -> Sequence[float]:
        whole = math.fsum(value(outcomes[of(seed)]) for seed in SEEDS) / len(SEEDS)
        return [100 * value(outcomes[run(seed)]) / whole if whole else math.nan for seed in SEEDS]

    return measure


def each(value: Value, run: Run) -> Measure:
    """Return the measure of a value, seed by seed."""
    return lambda outcomes: [value(outcomes[run(seed)]) for seed in SEEDS]


def cost(name: str) -> Measure:
    """Return the measure of what the changes of satellites cost a row, in percent of goodput."""
    with_changes = percent(goodput, runs.leo(name, changes=True), runs.leo(name, changes=False))
    return lambda outcomes: [100 - value for value in with_changes(outcomes)]


def share(scenario: str, name: str, *, value: Value = goodput, of: str = "cubic") -> Measure:
    """Return the measure of a row in percent of another over the same pipe."""
    return percent(value, runs.over(scenario, name), runs.over(scenario, of))


def jain(outcome: Outcome) -> float:
    """Return how fairly flows share, by Jain's index."""
    return _known(outcome.result.total.jain_index)


def _fairer(outcomes: Outcomes) -> Sequence[float]:
    cubic, bbr = (runs.shared("leo-15s", name) for name in ("cubic", "bbr"))
    return [jain(outcomes[cubic(seed)]) - jain(outcomes[bbr(seed)]) for seed in SEEDS]


def _at_less_delay(outcomes: Outcomes) -> Sequence[float]:
    """Return the goodput of atcp in percent of CoDel's; 0 if its pings take longer than CoDel's."""
    atcp, codel = runs.over("nr-mmwave-blockage", "atcp"), runs.behind("codel", "cubic")
    delays = percent(ping_p95, atcp, codel)(outcomes)
    shares = percent(goodput, atcp, codel)(outcomes)
    return shares if math.fsum(delays) <= 100 * len(delays) else [0.0] * len(shares)


def best_to_worst(*variants: Run) -> Measure:
    """Return the measure of by how much the best variant carries more than the worst, in %."""

    def measure(outcomes: Outcomes) -> Sequence[float]:
        means = [math.fsum(goodput(outcomes[run(seed)]) for seed in SEEDS) for run in variants]
        return [100 * (max(means) - min(means)) / min(means) if min(means) else math.nan]

    return measure


def _at_the_rate(outcomes: Outcomes) -> Sequence[float]:
    """Return Vegas's energy for a file in percent of what it is if it goes as the time it takes."""
    slow, fast = runs.alone("vegas"), runs.alone("cubic")
    energies, times = (percent(value, slow, fast)(outcomes) for value in (energy, transfer_time))
    return [100 * joules / seconds for joules, seconds in zip(energies, times, strict=True)]


def _spurious(outcome: Outcome) -> float:
    return float(outcome.flow.spurious_timeouts)


def repeated_syns(outcome: Outcome) -> float:
    """Return how often the first flow's SYN timed out."""
    return float(outcome.flow.handshake_timeouts)


def retransmits(outcome: Outcome) -> float:
    """Return what is sent again over the radio: by the sender, or by atcp, which answers for it.

    Behind atcp what the sender sends again are probes of a window that is closed.
    """
    box = outcome.result.middlebox
    return float(outcome.flow.retransmits if box is None else box.retransmissions)


OF_THE_MAP: Final[dict[str, Measure]] = {
    "reno-lte": share("lte-cat4", "reno"),
    "vegas-lte": share("lte-cat4", "vegas"),
    "vegas-delay": share("lte-cat4", "vegas", value=p95_rtt),
    "bbr-drive": share("lte-drive", "bbr", value=p95_rtt),
    "bbr-drive-goodput": share("lte-drive", "bbr"),
    "bbr-geo-lossy": share("geo-12-3-lossy", "bbr"),
    "westwood-geo-lossy": share("geo-12-3-lossy", "westwood", of="reno"),
    "snoop-lte": share("lte-cat4", "snoop"),
    "snoop-geo-lossy": share("geo-12-3-lossy", "snoop"),
    "hsdpa-reno": share("hsdpa-3.6", "reno"),
}
"""Read off the downloads of the map."""

MEASURES: Final[dict[str, Measure]] = {
    **OF_THE_MAP,
    **MOVING_RATE,
    "atcp-geo-start": percent(transfer_time, runs.start("atcp"), runs.start("cubic")),
    "split-geo-start": percent(transfer_time, runs.start("split"), runs.start("cubic")),
    "reno-30": percent(goodput, runs.in_error("reno", 30), runs.in_error("reno", 0)),
    "spurious-30": each(_spurious, runs.in_error("reno", 30)),
    "vegas-30": percent(goodput, runs.in_error("vegas", 30), runs.in_error("reno", 30)),
    # H12 said this without a number: measure and band came after the first result.
    "vegas-falls": percent(goodput, runs.in_error("vegas", 30), runs.in_error("vegas", 0)),
    "leo-cubic": cost("cubic"),
    "leo-bbr": cost("bbr"),
    "leo-vegas": cost("vegas"),
    "pages-variant": percent(
        page_time, runs.pages("lte-cat4", "reno"), runs.pages("lte-cat4", "cubic")
    ),
    "pages-geo": percent(page_time, runs.pages("geo-600", "atcp"), runs.pages("geo-600", "cubic")),
    "fair-reno": each(jain, runs.shared("lte-cat4", "reno")),
    "fair-bbr": _fairer,
    "energy-variant": percent(energy, runs.alone("vegas"), runs.alone("cubic")),
    "energy-as-rate": _at_the_rate,
    "energy-tail": each(tail_share, runs.one_page),
    "nbiot-variants": best_to_worst(*(runs.over("nb-iot", name) for name in VARIANTS)),
    "nbiot-window": each(mean_window, runs.over("nb-iot", "cubic")),
    # The first measure counted spurious time-outs of the download, which are later ones.
    "nbiot-syn": each(repeated_syns, runs.over("nb-iot-2", "cubic")),
    "nbiot-atcp": share("nb-iot-1", "atcp", value=retransmits),
    "mmwave-aqm": percent(p95_rtt, runs.behind("codel", "cubic"), runs.behind("droptail", "cubic")),
    "mmwave-aqm-rate": percent(
        goodput, runs.behind("codel", "cubic"), runs.behind("droptail", "cubic")
    ),
    "mmwave-atcp": _at_less_delay,
}
