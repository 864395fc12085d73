"""The measures of the facts in ``facts.toml``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.acceptance.proxy.collect import Compared, compared
from thinpipe.acceptance.proxy.experiments import (
    BOXES,
    CONTROLS,
    MIXED,
    OUTAGE,
    REPEATED,
    SETUPS,
    UPLOADED,
    WINDOWS,
)
from thinpipe.papers.chakravorty2003.measuring import jain
from thinpipe.papers.series import Steps

if TYPE_CHECKING:
    from thinpipe.acceptance.proxy.seen import Seen
    from thinpipe.papers.paper import Outcomes
    from thinpipe.testbed.endpoints import Fetched
    from thinpipe.testbed.quic import QuicFetched

Measure = Callable[["Outcomes"], Sequence[float]]
Value = Callable[["Seen"], float]


def of(outcomes: Outcomes, name: str) -> Compared:
    """Return the outcome of a set-up."""
    return compared(outcomes[SETUPS[name].point])


def carried(name: str, value: Value, flow: int = 0) -> Measure:
    """Measure a flow in the test bed."""
    return lambda outcomes: [value(of(outcomes, name).live[flow])]


def last_s(seen: Seen) -> float:
    """Return when the mobile had the last byte, in s."""
    return seen.last_s


def connect_s(seen: Seen) -> float:
    """Return when the mobile was connected, in s."""
    return seen.connect_s


def mean_rtt_s(seen: Seen) -> float:
    """Return the mean round-trip time of segments over the radio, in s."""
    return fmean(rtt for _, rtt in seen.transfer.rtt)


def resent(seen: Seen) -> float:
    """Count the segments retransmitted over the radio."""
    return float(seen.transfer.retransmits)


def error(value: Value, names: Iterable[str], flows: Sequence[int] = (0,)) -> Measure:
    """Measure the error of test bed results relative to the simulation, in per cent."""
    names = tuple(names)

    def measured(outcomes: Outcomes) -> list[float]:
        found = [of(outcomes, name) for name in names]
        return [
            100 * (value(each.live[flow]) / value(each.simulated[flow]) - 1)
            for each in found
            for flow in flows
        ]

    return measured


def median_error(value: Value, names: Iterable[str], flows: Sequence[int]) -> Measure:
    """Measure the median of `error` over equal runs, for each flow of each repeated set-up."""
    each = [error(value, REPEATED[name], (flow,)) for name in names for flow in flows]
    return lambda outcomes: [median(measure(outcomes)) for measure in each]


# --- Flows under load -----------------------------------------------------------------------------


def ping_s(each: Compared) -> float:
    """Return the mean round-trip time of echo requests beside a transfer, in s."""
    return fmean(echo.rtt_s for echo in each.carried.echoes if echo.rtt_s is not None)


def pinged_s(name: str) -> Measure:
    """Measure the mean round-trip time of echo requests beside a transfer, in s."""
    return lambda outcomes: [ping_s(of(outcomes, name))]


def ratio(one: Measure, other: Measure) -> Measure:
    """Measure the ratio of two measures."""
    return lambda outcomes: [
        mine / yardstick for mine, yardstick in zip(one(outcomes), other(outcomes), strict=True)
    ]


def whole(outcomes: Outcomes) -> list[float]:
    """Return the share of flows that arrived byte for byte, by their SHA-256, in per cent."""
    flows = [flow for outcome in outcomes.values() for flow in compared(outcome).carried.flows]
    return [100 * fmean(flow.whole for flow in flows)]


def handled(outcomes: Outcomes) -> list[float]:
    """Return the share of flows that the proxy intercepted, in per cent."""
    boxed = [each for each in map(compared, outcomes.values()) if each.setup.box is not None]
    flows = sum(len(each.setup.flows) for each in boxed)
    return [100 * sum(each.carried.handled for each in boxed) / flows]


def lateness_ms(outcomes: Outcomes) -> list[float]:
    """Return how late packets left each emulator, 99th percentile, in ms."""
    return [
        1000 * (compared(each).carried.record.lateness_s.p99 or 0) for each in outcomes.values()
    ]


LOAD: Final[dict[str, Measure]] = {
    "load-alone": carried("alone-proxy", last_s),
    "load-ping": pinged_s("pinged-proxy"),
    "load-f2-connect": carried("three-proxy", connect_s, 1),
    "load-f2": carried("three-proxy", last_s, 1),
    "load-f3": carried("three-proxy", last_s, 2),
    "load-f2-weighted": carried("three-weighted", last_s, 1),
    "load-fair-ping": ratio(pinged_s("pinged-proxy"), pinged_s("pinged-fair")),
    "load-fair-f3": ratio(carried("three-proxy", last_s, 2), carried("three-fair", last_s, 2)),
    "load-cubic-alone": carried("pinged-cubic", last_s),
    "load-cubic-ping": pinged_s("pinged-cubic"),
    "load-cubic-f2": carried("three-cubic", last_s, 1),
    "load-bbr-ping": pinged_s("pinged-bbr"),
    "load-bbr-f2": carried("three-bbr", last_s, 1),
    "load-sim": error(last_s, ("alone-proxy",)),
    "load-sim-three": median_error(last_s, ("three-proxy", "three-weighted"), (0, 1, 2)),
    "load-whole": whole,
    "load-handled": handled,
    "load-lateness": lateness_ms,
}

# --- Uploads --------------------------------------------------------------------------------------


def times_plain(stems: Iterable[str], flow: int = 0) -> Measure:
    """Measure a flow's time with the proxy over that without."""
    stems = tuple(stems)

    def measured(outcomes: Outcomes) -> list[float]:
        plain, proxy = ([of(outcomes, f"{stem}-{name}") for stem in stems] for name in BOXES)
        return [
            boxed.live[flow].last_s / without.live[flow].last_s
            for without, boxed in zip(plain, proxy, strict=True)
        ]

    return measured


UPLOADS: Final[dict[str, Measure]] = {
    "up-umts-ping": pinged_s("up-umts-384-proxy"),
    "up-umts-ping-plain": pinged_s("up-umts-384-plain"),
    "up-gprs-ping": pinged_s("up-gprs-live-40-proxy"),
    "up-gprs-ping-plain": pinged_s("up-gprs-live-40-plain"),
    "up-time": times_plain(f"up-{link}" for link in UPLOADED),
    "up-both-ways": times_plain(("both-ways",)),
    "up-download": times_plain(("both-ways",), 1),
    "up-download-plain": carried("both-ways-plain", last_s, 1),
}

# --- Another download beside TCP ------------------------------------------------------------------


def from_syn(each: Compared, fetched: Fetched | QuicFetched) -> Steps:
    """Return the bytes that the mobile has of a download over time, from TCP's SYN on."""
    times_s, amounts = zip(*fetched.curve, strict=True)
    ahead_s = each.carried.flows[0].opened_s - fetched.opened_s
    return Steps(np.array([0.0, *times_s]) - ahead_s, np.array([0.0, *amounts]), times_s[-1])


def share_beside(each: Compared, other: Steps) -> float:
    """Return TCP's share of what it and another got while TCP was connected, in per cent."""
    tcp = each.live[0]
    from_s = np.array([tcp.connect_s, tcp.last_s])
    ours, theirs = (np.diff(curve.at(from_s))[0] for curve in (tcp.curve, other))
    return float(100 * ours / (ours + theirs))


# --- QUIC beside TCP ------------------------------------------------------------------------------


def beside_curve(each: Compared) -> Steps:
    """Return the bytes that the mobile has of QUIC over time, from TCP's SYN on."""
    assert each.carried.quic is not None
    return from_syn(each, each.carried.quic)


def share(each: Compared) -> float:
    """Return TCP's share of what the mobile got while TCP was connected, in per cent."""
    return share_beside(each, beside_curve(each))


def beside(link: str, control: str, others: str) -> str:
    """Return the name of a set-up."""
    return f"beside-{link}-{control}-{others}"


def shares_of(link: str, others: str) -> Measure:
    """Measure TCP's share with each congestion control of QUIC, in per cent."""
    return lambda outcomes: [share(of(outcomes, beside(link, each, others))) for each in CONTROLS]


def pings_of(link: str, others: str) -> Measure:
    """Measure the mean ping with each, as a multiple of that beside TCP alone."""
    return lambda outcomes: [
        ping_s(of(outcomes, beside(link, each, others)))
        / ping_s(of(outcomes, f"beside-{link}-alone"))
        for each in CONTROLS
    ]


def times_of(link: str, others: str) -> Measure:
    """Measure TCP's time with each, as a multiple of that without a proxy."""
    return lambda outcomes: [
        last_s(of(outcomes, beside(link, each, others)).live[0])
        / last_s(of(outcomes, beside(link, each, "none")).live[0])
        for each in CONTROLS
    ]


BESIDE: Final[dict[str, Measure]] = {
    f"quic-{link}-{what}{more}": measure(link, others)
    for link in MIXED
    for what, measure in (("share", shares_of), ("ping", pings_of), ("time", times_of))
    for others, more in (("scheduled", ""), ("around", "-around"))
}

# --- Figure 9 -------------------------------------------------------------------------------------


def faster_s(outcomes: Outcomes) -> list[float]:
    """Return by how much a short transfer is shorter with the proxy, in s, one value per size."""
    plain, proxy = (of(outcomes, f"short-{name}").live for name in BOXES)
    return [without.last_s - boxed.last_s for without, boxed in zip(plain, proxy, strict=True)]


SHORT_FLOWS: Final = range(len(SETUPS["short-proxy"].flows))

SHORT: Final[dict[str, Measure]] = {
    "fig9-faster": faster_s,
    "fig9-plain-sim": error(last_s, ("short-plain",), SHORT_FLOWS),
    "fig9-proxy-sim": error(last_s, ("short-proxy",), SHORT_FLOWS),
}

# --- Figure 10 ------------------------------------------------------------------------------------

TURNED_OVER_S: Final = 2
"""Start of the time that both flows share, which does not count."""


def shares(each: Compared) -> tuple[float, float]:
    """Return the rates of both flows while both were active, in B/s."""
    first, second = each.live
    after_s = each.carried.start_s[1] - each.carried.start_s[0]
    start_s = after_s + second.connect_s + TURNED_OVER_S
    end_s = min(first.last_s, after_s + second.last_s)
    rates = []
    for flow, opened_s in ((first, 0.0), (second, after_s)):
        before, after = flow.curve.at(np.array([start_s, end_s]) - opened_s)
        rates.append(float(after - before) / (end_s - start_s))
    return rates[0], rates[1]


PAIR: Final[dict[str, Measure]] = {
    "fig10-connect": carried("pair-proxy", connect_s, 1),
    "fig10-plain": carried("pair-plain", connect_s, 1),
    "fig10-jain": lambda outcomes: [jain(shares(of(outcomes, "pair-proxy")))],
    "fig10-sim": error(last_s, ("pair-proxy",), (0, 1)),
    "fig10-sim-connect": error(connect_s, ("pair-proxy",), (1,)),
    "fig10-plain-sim": error(last_s, ("pair-plain",), (0, 1)),
    "fig10-plain-syn": error(connect_s, ("pair-plain",), (1,)),
}

# --- Figure 11 ------------------------------------------------------------------------------------

ENOUGH: Final = tuple(f"window-{kb}" for kb in WINDOWS if kb >= 10)  # noqa: PLR2004 - the paper's
BY_WINDOW: Final = (*(f"window-{kb}" for kb in WINDOWS), "window-none")


def rises_s(outcomes: Outcomes) -> list[float]:
    """Return by how much each mean round-trip time exceeds that of the window below, in s."""
    found = [mean_rtt_s(of(outcomes, name).live[0]) for name in (*ENOUGH, "window-none")]
    return [after - before for before, after in pairwise(found)]


def longer_at_7(outcomes: Outcomes) -> list[float]:
    """Return how much longer 600 KB take with 7 KB than with 10 KB, in per cent."""
    seven, ten = (of(outcomes, f"window-{kb}").live[0].last_s for kb in (7, 10))
    return [100 * (seven / ten - 1)]


QUEUES: Final[dict[str, Measure]] = {
    "fig11-time": lambda outcomes: [
        of(outcomes, name).live[0].last_s for name in (*ENOUGH, "window-none")
    ],
    "fig11-7": longer_at_7,
    "fig11-rises": rises_s,
    "fig11-10-rtt": carried("window-10", mean_rtt_s),
    "fig11-time-sim": error(last_s, BY_WINDOW),
    "fig11-rtt-sim": error(mean_rtt_s, BY_WINDOW),
}

# --- Figure 12 ------------------------------------------------------------------------------------

WINDOW_S: Final = 3
"""Interval over which rates are measured."""

RECOVERED: Final = 0.9
"""Of the rate before the stall."""

RTT_S: Final = 3
"""The assumed round-trip time at 10 KB."""


def recovered_s(each: Compared) -> float:
    """Return when the rate of the next 3 s was first back to 90 %, in s from the stall's end."""
    start_s, end_s = (time - each.carried.start_s[0] for time in OUTAGE)
    curve = each.live[0].curve
    early, late = curve.at(np.array([start_s / 2, start_s]))
    before = (late - early) / (start_s / 2)
    times_s = np.arange(end_s, each.live[0].last_s - WINDOW_S, 0.1)
    after = (curve.at(times_s + WINDOW_S) - curve.at(times_s)) / WINDOW_S
    back = np.flatnonzero(after >= RECOVERED * before)
    return float(times_s[back[0]]) - end_s if len(back) else float("inf")


STALL: Final[dict[str, Measure]] = {
    "fig12-resent": carried("stall-proxy", resent),
    "fig12-back": lambda outcomes: [recovered_s(of(outcomes, "stall-proxy")) / RTT_S],
    "fig12-sim": error(last_s, ("stall-proxy",)),
    "fig12-sim-resent": lambda outcomes: [
        resent(of(outcomes, "stall-proxy").live[0])
        - resent(of(outcomes, "stall-proxy").simulated[0])
    ],
    "fig12-plain-sim": error(last_s, ("stall-plain",)),
}

MEASURES: Final = {**LOAD, **UPLOADS, **BESIDE, **SHORT, **PAIR, **QUEUES, **STALL}
