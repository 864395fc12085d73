"""The aggregate's loss recovery, §IV.E: figure 7 as a run, packet by packet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import radio_end
from thinpipe.papers.chakravorty2003.setup import (
    FIFO,
    MSS,
    PROXY,
    Settings,
    clamp,
    download,
    point,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.plot.series import segments_sent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome

NAMES: Final = "abc"
"""The three connections."""

PACKETS: Final = 6
LOST: Final = (1, 2, 3)
RETRANSMIT_AT: Final = 3
"""The skipack at which a packet is retransmitted."""

THREE: Final[Settings] = (
    *PROXY,
    ("flow.count", len(NAMES)),
    ("flow.bytes", f"{PACKETS // len(NAMES) * MSS} B"),
    ("flow.opened_by", "receiver"),
    ("tcp.delayed_ack", "off"),
    ("tcp.initial_window", 1),
    ("wired.LAN.delay", "50 ms"),
    ("duration", "60 s"),
)
"""Three connections of two packets each. A round trip to the hosts lies between a connection's
packets, so that those of the others come between, as in figure 7."""

HANDSHAKES: Final = len(NAMES)
"""Packets that go down before data: an answer to each SYN."""

RUN: Final = point(FIFO, THREE, (("link.drop_arrivals", [HANDSHAKES + each - 1 for each in LOST]),))


@dataclass(slots=True)
class Entry:
    """A packet of the unacknowledged list."""

    number: int
    connection: str
    sacked: bool = False
    skipack: int = 0


def unacknowledged(order: Sequence[str]) -> list[Entry]:
    """Return the list as it was sent: a connection a packet."""
    return [Entry(number, name) for number, name in enumerate(order, 1)]


def acknowledge(entries: Sequence[Entry], number: int) -> list[int]:
    """Count that a packet arrived, as the paper does; return the packets to retransmit.

    >>> entries = unacknowledged("abcacb")
    >>> [acknowledge(entries, number) for number in (4, 5, 6)]
    [[], [], [1, 2, 3]]
    """
    found = next(entry for entry in entries if entry.number == number)
    found.sacked = True
    again = []
    for entry in entries:
        if entry.number < number and not entry.sacked:
            entry.skipack += 1
            if entry.skipack == RETRANSMIT_AT:
                again.append(entry.number)
    return again


def sent_order(run: Outcome) -> list[tuple[int, int]]:
    """Return flow and offset of each data packet in the order in which the box first sent it."""
    found = []
    for flow in range(len(NAMES)):
        sent = segments_sent(radio_end(run.tables["segments"], flow))
        data = sent.only(sent.carries_data)
        found += [(uid, flow, int(first)) for uid, first in zip(data.uid, data.first, strict=True)]
    return list(dict.fromkeys((flow, first) for _, flow, first in sorted(found)))


def sent_again(run: Outcome) -> list[float]:
    """Return the numbers, in the order of the list, of the packets that skipack retransmitted."""
    order = {place: number for number, place in enumerate(sent_order(run), 1)}
    events = run.tables["middlebox_events"]
    events = events.filter(events["event"].cast(str) == "retransmitted_skipped")
    again = zip(events["connection"], events["offset"], strict=True)
    return [float(order[(int(flow), int(offset))]) for flow, offset in again]


ONE_LOST: Final = 40
"""Of a long download, the packet that is lost: the radio is in full use by then."""

LONE_LOSS: Final = point(FIFO, clamp(10), download(200), (("link.drop_arrivals", [ONE_LOST]),))
"""One loss among many packets."""

BESIDE_S: Final = 10
"""Several round trips."""


def pace_kept(run: Outcome) -> float:
    """Return what leaves for the radio in 10 s from a repair on, beside 10 s before, in % more."""
    sent = segments_sent(radio_end(run.tables["segments"]))
    data = sent.only(sent.carries_data)
    repeats = data.last[1:] <= np.maximum.accumulate(data.last)[:-1]
    again_s = data.time_s[1:][repeats][0]
    before = (data.time_s < again_s) & (data.time_s >= again_s - BESIDE_S)
    after = (data.time_s >= again_s) & (data.time_s < again_s + BESIDE_S)
    return 100 * float(after.sum() / before.sum() - 1)


MEASURES: Final[dict[str, Measure]] = {
    "p7": lambda outcomes: sorted(sent_again(outcomes[RUN])),
    "p7-window": lambda outcomes: [pace_kept(outcomes[LONE_LOSS])],
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate figure 7 from the run: the list after each acknowledgement, oldest packet right."""
    run = outcomes[RUN]
    order = sent_order(run)[:PACKETS]
    entries = unacknowledged([NAMES[flow] for flow, _ in order])
    head = ("", *(f"{entry.number} ({entry.connection})" for entry in reversed(entries)), "resent")
    rows = [_row("sent", entries, [])]
    for number in range(len(LOST) + 1, PACKETS + 1):
        again = acknowledge(entries, number)
        rows.append(_row(f"SACK for {number}", entries, again))
    box = ", ".join(f"{number:g}" for number in sorted(sent_again(run)))
    rows.append(("retransmitted by the proxy", *("" for _ in entries), box))
    caption = "Figure 7: skipack of each packet of the aggregate; ● marks what arrived"
    return (Table(caption, head, tuple(rows)),)


def _row(name: str, entries: Sequence[Entry], again: Sequence[int]) -> tuple[str, ...]:
    cells = ("●" if entry.sacked else str(entry.skipack) for entry in reversed(entries))
    return (name, *cells, ", ".join(map(str, again)))
