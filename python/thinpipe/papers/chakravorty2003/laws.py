"""Invariants of the proxy: buffers, FINs, small segments, many mobiles (P8 to P10 and P12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.flow_control import advertised
from thinpipe.papers.chakravorty2003.flow_control import small as small_windows
from thinpipe.papers.chakravorty2003.measuring import (
    box_in_flight,
    box_queue,
    delivered,
    each,
    mobile_end,
    received_s,
)
from thinpipe.papers.chakravorty2003.plain import LONG
from thinpipe.papers.chakravorty2003.queueing import runs as downloads
from thinpipe.papers.chakravorty2003.setup import (
    BDP,
    FEW,
    MSS,
    RADIO,
    Settings,
    clamp,
    download,
    seeds,
)
from thinpipe.papers.series import Steps
from thinpipe.plot.series import FIN, acks_received, segments_sent, sending_end

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

BOX: Final = clamp(10)

# --- P8: over-provision ---------------------------------------------------------------------------

FAR: Final[Settings] = (("wired.LAN.delay", "1 s"),)
"""A host with a long round trip, such as another mobile."""


MORE_THAN_HALF: Final[Settings] = (("middlebox.atcp.overprovision", 1.6),)
"""“By more than 50 %”, §IV.D; the default is 1.5."""


def far() -> tuple[Point, ...]:
    """Return downloads from a host far away."""
    return seeds(RADIO, LONG, BOX, FAR, MORE_THAN_HALF)


def starved(run: Outcome) -> float:
    """Return how long the box had nothing to send while its window was open, in per cent.

    From when the host's slow start no longer bounds what it sends, until the last data reached
    the box.
    """
    queue, flight = box_queue(run), box_in_flight(run)
    cwnd, told = Steps.cwnd(run), advertised(run)[1].max()
    grown = np.flatnonzero(cwnd.value * MSS >= told)
    if not len(grown):
        return float("nan")
    times_s = np.linspace(cwnd.time_s[grown[0]], _last_data_s(run), 5000)
    nothing = (queue.at(times_s) == 0) & (flight.at(times_s) < BDP / 2)
    return 100 * float(nothing.mean())


def _last_data_s(run: Outcome) -> float:
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    return float(sent.time_s[sent.carries_data].max())


EIGHT: Final[Settings] = (("flow.count", 8), *download(100), ("duration", "100 s"))


def crowded() -> tuple[Point, ...]:
    """Return eight downloads of a mobile at once."""
    return seeds(RADIO, EIGHT, BOX)


def most_held(run: Outcome) -> float:
    """Return the box's maximum backlog for the mobile, in KB."""
    box = run.result.middlebox
    return box.held_max / 1024 if box else float("nan")


def zero_windows(run: Outcome) -> float:
    """Count the zero windows that the box advertised."""
    box = run.result.middlebox
    return float(box.zero_windows) if box else float("nan")


# --- P9: early acknowledgement --------------------------------------------------------------------


def early(run: Outcome) -> float:
    """Return the share of data packets acknowledged before the mobile did so, in per cent."""
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    ends = sent.last[sent.carries_data]
    return 100 * float(np.mean([_early_s(run, int(end)) > 0 for end in ends]))


def fin_early_s(run: Outcome) -> float:
    """Return by how long the sender heard its FIN acknowledged before the mobile had done so, in s.

    Negative where it heard it later, as it must.
    """
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    return _early_s(run, int(sent.last[(sent.flags & FIN) > 0].max()) + 1)


def data_early_s(run: Outcome) -> float:
    """Return the same of the last data."""
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    return _early_s(run, int(sent.last[sent.carries_data].max()))


def _early_s(run: Outcome, end: int) -> float:
    heard = acks_received(sending_end(run.tables["segments"], flow=0))
    mobile = delivered(run)
    told_s = float(heard.time_s[heard.ack >= end][0])
    return float(mobile.time_s[mobile.value >= end][0]) - told_s


# --- P10: small segments --------------------------------------------------------------------------

WRITES: Final = 100
WRITE: Final = 100
"""Bytes."""

SMALL: Final[Settings] = (
    *BOX,
    ("flow.application", "probe"),
    ("flow.probe.bytes", f"{WRITE} B"),
    ("flow.probe.count", WRITES),
    ("flow.probe.least", "0 s"),
    ("flow.probe.most", "10 ms"),
    ("tcp.nagle", "off"),
    ("duration", "60 s"),
)
"""A sender that writes 100 B every few milliseconds, each a segment."""


def small() -> tuple[Point, ...]:
    """Return transfers of small segments."""
    return seeds(RADIO, SMALL)


def data_segments(run: Outcome) -> float:
    """Count the data segments that reached the mobile."""
    rows = mobile_end(run.tables["segments"])
    return float(len(rows.filter((rows["event"] == "received") & (rows["payload_bytes"] > 0))))


# --- P12: more mobiles ----------------------------------------------------------------------------

MOBILES: Final = 20
CROWD: Final[Settings] = (
    *BOX,
    *download(30),
    ("radio.ues", MOBILES),
    ("flow.count", MOBILES),
    ("duration", "60 s"),
)


def crowd() -> tuple[Point, ...]:
    """Return downloads of many mobiles at once behind one box."""
    return seeds(RADIO, CROWD, among=FEW)


def alone() -> tuple[Point, ...]:
    """Return the same download of a mobile alone."""
    return seeds(RADIO, BOX, download(30), (("duration", "60 s"),), among=FEW)


def slowest(outcomes: Outcomes) -> list[float]:
    """Return the mean time of the mobiles over that of a mobile alone, one value per seed."""
    return [
        float(np.mean([received_s(outcomes[many], flow) for flow in range(MOBILES)]))
        / received_s(outcomes[one])
        for many, one in zip(crowd(), alone(), strict=True)
    ]


MEASURES: Final[dict[str, Measure]] = {
    "p8-far": each(far(), starved),
    "p8-held": each(crowded(), most_held),
    "w3-far": each(far(), small_windows),
    "p8-zero": each(downloads(RADIO, BOX), zero_windows),
    "p9": each(downloads(RADIO, BOX), fin_early_s),
    "p9-early": each(downloads(RADIO, BOX), early),
    "p10": each(small(), data_segments),
    "p12": slowest,
}

POINTS: Final = (*crowd(), *alone(), *crowded())
TRACED: Final = (*small(), *downloads(RADIO, BOX), *far())
