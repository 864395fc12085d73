"""What a middlebox did, as typed records.

Names carry their units: ``_s`` seconds, ``_bps`` bit/s, ``_segments`` segments. A figure that does
not apply is ``None``. `scripts/records.py` writes this file from the summaries of the compiled
module, where each figure has its meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thinpipe.group_result import RttSummary
from thinpipe.record import Record


@dataclass(frozen=True, slots=True)
class MiddleboxClass(Record):
    """Packets of a class that a middlebox does not read, and that wait there for their turn."""

    name: str
    """The name of the class; ``none`` of packets in no class."""
    packets: int
    """Packets that came."""
    bytes: int
    """Their bytes."""
    sent: int
    """Packets that went on."""
    sent_bytes: int
    """Their bytes."""
    marked: int
    """Packets of these that were marked (RFC 3168)."""
    late: int
    """Packets that were dropped since they had waited too long."""
    crowded: int
    """Packets that were dropped for want of room."""
    waiting: int
    """Packets that still wait at the end."""
    waited_s: RttSummary
    """Waits of packets that went on."""


@dataclass(frozen=True, slots=True)
class MiddleboxEchoes(Record):
    """Echo requests of a middlebox to mobiles. Its samples are those that were answered."""

    sent: int
    """Echo requests that it sent."""
    rtt_s: RttSummary
    """From a request to its answer, of those that were answered."""


@dataclass(frozen=True, slots=True)
class MiddleboxMobile(Record):
    """Services of a middlebox to a mobile."""

    mobile: int
    """Its number in the tables of the middlebox."""
    window_bytes: float | None
    """Window: bytes that may be in flight to it, weighted by time."""
    estimate_bps: float | None
    """The rate that its radio is estimated to carry, weighted by time."""
    reported_bps: float | None
    """The rate that its radio reports, weighted by time."""
    waiting_share: float | None
    """The share of the time in which something waited for it."""
    packets: int
    """Packets for it that the middlebox does not read."""
    dropped: int
    """Packets of these that were dropped."""
    waited_mean_s: float | None
    """Mean wait of those that went on."""
    echoes_sent: int
    """Echo requests to it."""
    echoes_answered: int
    """Echo requests of these that it answered."""


@dataclass(frozen=True, slots=True)
class Middlebox(Record):
    """The numbers of a middlebox."""

    kind: str
    """Its scheme."""
    at: str
    """Its node; of the boxes of several subscribers, the first and the last."""
    mobiles: int
    """Mobiles whose connections it took part in."""
    packets_in: int
    """Packets in, of either leg."""
    packets_out: int
    """Packets out, to either leg."""
    flows: int
    """Connections that it took part in."""
    bypassed: int
    """Connections that it let pass untouched."""
    released: int
    """Connections that it handed back to plain forwarding."""
    held_bytes: int
    """Payload bytes that it holds at the end."""
    held_max: int
    """The most bytes that it held for one mobile."""
    held_mean: float
    """The mean of the bytes held for all mobiles, weighted by time."""
    held_max_total: int
    """The most bytes that it held for all mobiles together; of more than 262,144 changes, after a
    random share of them."""
    retransmissions: int
    """Segments that it sent again on its own."""
    timeouts: int
    """Times that it heard nothing from a mobile for too long."""
    suppressed: int
    """Acknowledgements that it withheld from a sender."""
    zero_windows: int
    """Zero windows that it advertised."""
    discarded_bytes: int
    """Payload bytes that it discarded because of a reset."""
    stall_s: float
    """How long it heard nothing from mobiles, all together."""
    rtt_s: RttSummary
    """Round-trip times over the radio leg."""
    classes: Sequence[MiddleboxClass]
    """Packets that it does not read and that wait for their turn, by class; empty if none came."""
    echoes: MiddleboxEchoes | None
    """Its echo requests, if it sent some."""
    by_mobile: Sequence[MiddleboxMobile]
    """One entry for each mobile for which such packets came, or whose radio's rate is estimated."""
