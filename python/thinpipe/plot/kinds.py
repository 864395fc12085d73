"""The kinds of plots of a run: the one list that command line, files and documentation follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Size = tuple[float, float]

WIDE: Final[Size] = (9.0, 5.0)
"""Size of a plot as a file, in inches."""

TALL: Final[Size] = (9.0, 7.5)
"""Size of a plot with many panels, in inches."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plot.

    Attributes
    ----------
    name
        The word after ``--kind``; with underscores, the method of `Plots`.
    shows
        What it shows, in at most 60 characters.
    needs
        What a run must have; empty if any run will do.
    options
        What its method takes besides axes, flow, times and label.
    shares
        Whether several runs and several flows may share its axes.
    of_flow
        Whether it shows a flow rather than the network.
    takes_flow
        Whether a flow can be chosen; a kind that shows the network follows its packets.
    size
        Width and height of a file in inches.
    """

    name: str
    shows: str
    needs: str = ""
    options: tuple[str, ...] = ()
    shares: bool = False
    of_flow: bool = True
    takes_flow: bool = True
    size: Size = WIDE

    @property
    def method(self) -> str:
        """The name of its method of `Plots`."""
        return self.name.replace("-", "_")


TRACE: Final = "trace"
UDP: Final = '`application = "udp"` or `"voip"`'
CALLS: Final = '`application = "voip"`'
CELLS: Final = "`umts-cell`"

OF_MANY: Final = {
    "lines": "means over a varied key, with intervals",
    "scatter": "a metric over another: goodput over delay",
    "cdf": "which share of the runs has at most a value",
    "box": "quartiles, minimum and maximum over runs",
}
"""The kinds of pictures of many runs, a sweep's or saved ones, and what each shows."""

KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind(
            "overview",
            "window, round-trip time, queue and goodput, in panels",
            shares=True,
            size=TALL,
        ),
        Kind(
            "cwnd",
            "congestion window, ssthresh, fast retransmits, timeouts",
            shares=True,
        ),
        Kind(
            "rtt",
            "round-trip times of segments sent once; mean so far",
            shares=True,
        ),
        Kind(
            "rtt-histogram",
            "how often each round-trip time occurred; of several, CDFs",
            options=("width_s",),
            shares=True,
        ),
        Kind(
            "queue",
            "what waits at a link, for how long, and drops by reason",
            needs=TRACE,
            options=("link",),
            shares=True,
            of_flow=False,
            size=TALL,
        ),
        Kind(
            "goodput",
            "payload acknowledged, or of UDP arrived, per second",
            options=("interval_s",),
            shares=True,
        ),
        Kind(
            "throughput",
            "payload sent per second: instantaneous, and its means",
            needs=TRACE,
            shares=True,
        ),
        Kind(
            "outstanding",
            "data sent and not yet acknowledged, and its means",
            needs=TRACE,
            shares=True,
        ),
        Kind(
            "time-sequence",
            "segments, retransmissions, drops, ACKs, SACK, window",
            needs=TRACE,
        ),
        Kind(
            "packets",
            "packet numbers modulo 60 at a link's queue",
            needs=TRACE,
            options=("modulo", "link"),
        ),
        Kind(
            "groups",
            "goodput over one-way delay, a mark a flow, by group",
            of_flow=False,
            takes_flow=False,
        ),
        Kind(
            "completion",
            "how long transfers and pages took: CDFs, by group",
            needs="transfers that end, or pages",
            of_flow=False,
            takes_flow=False,
        ),
        Kind(
            "datagrams",
            "one-way delays and losses of UDP datagrams",
            needs=UDP,
            shares=True,
        ),
        Kind(
            "calls",
            "MOS over delay from mouth to ear, a mark a call, by group",
            needs=CALLS,
            of_flow=False,
            takes_flow=False,
        ),
        Kind(
            "middlebox",
            "a middlebox's backlog for a mobile, and its radio RTTs",
            needs="`middlebox.kind`",
            options=("mobile",),
            of_flow=False,
            takes_flow=False,
        ),
        Kind(
            "waits",
            "how long what a middlebox does not read waits, by class",
            needs='`middlebox.kind = "atcp"`, what is not TCP',
            options=("mobile",),
            of_flow=False,
            takes_flow=False,
        ),
        Kind(
            "handover",
            "links, addresses, messages of a mobile; TCP's reaction",
            needs="trace, `[mobile_ip]`",
            options=("mobile",),
            of_flow=False,
            size=TALL,
        ),
        Kind(
            "snr",
            "ratio of signal to noise of a mobile, and its handovers",
            needs="trace, LTE, NR, HSDPA or NB-IoT",
            options=("mobile",),
            of_flow=False,
            takes_flow=False,
        ),
        Kind(
            "energy",
            "power of a mobile's radio over time, and energy by state",
            needs="trace, `[radio.power]`",
            options=("mobile",),
            of_flow=False,
            takes_flow=False,
        ),
        Kind(
            "cell",
            "RRC states, codes, blocked requests, shared channels",
            needs=CELLS,
            options=("cell",),
            of_flow=False,
            takes_flow=False,
        ),
        Kind(
            "codes",
            "the code tree at one time, and who had which code when",
            needs=CELLS,
            options=("at_s", "cell"),
            of_flow=False,
            takes_flow=False,
        ),
    )
}
"""The kinds by name."""

DEFAULT: Final = next(iter(KINDS))
"""The kind that is drawn unless another is asked for."""

OF_A_FLOW: Final = tuple(name for name, kind in KINDS.items() if kind.takes_flow)
"""Kinds for which a flow can be chosen."""

SHARING: Final = tuple(name for name, kind in KINDS.items() if kind.shares)
"""Kinds whose axes several runs and flows may share."""


def taking(option: str) -> list[str]:
    """Return the kinds whose method takes an option."""
    return [name for name, kind in KINDS.items() if option in kind.options]
