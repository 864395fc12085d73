"""What flows did together, as typed records.

Names carry their units: ``_s`` seconds, ``_bps`` bit/s, ``_segments`` segments. A figure that does
not apply is ``None``. `scripts/records.py` writes this file from the summaries of the compiled
module, where each figure has its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass

from thinpipe.record import Record


@dataclass(frozen=True, slots=True)
class RttSummary(Record):
    """The distribution of a set of times, in seconds."""

    samples: int
    """How many."""
    min: float | None
    """The smallest."""
    mean: float | None
    """The arithmetic mean."""
    stdev: float | None
    """The standard deviation of these samples (divided by their number).

    Of more than 262,144 times it and the percentiles are those of a random share.
    """
    p50: float | None
    """The median. Percentiles are samples: the smallest with that share at or below it."""
    p95: float | None
    """The 95th percentile."""
    p99: float | None
    """The 99th percentile."""
    max: float | None
    """The largest."""


@dataclass(frozen=True, slots=True)
class Calls(Record):
    """Calls together. ``None`` stands where none was rated."""

    count: int
    """Directions of calls that were rated."""
    mos_mean: float | None
    """The mean of their opinion scores."""
    mos_min: float | None
    """The lowest of their opinion scores."""
    r_factor_mean: float | None
    """The mean of their R."""
    r_factor_min: float | None
    """The lowest of their R."""
    missing_share: float | None
    """Frames missing, late or lost, over those that were to be played, of all of them."""


@dataclass(frozen=True, slots=True)
class Group(Record):
    """Flows together."""

    name: str
    """Name in the scenario; ``all`` of all flows."""
    flows: int
    """Number of them."""
    variant: str
    """Their TCP variant; ``mixed`` of several."""
    goodput_bps: float | None
    """Payload delivered by all, over the time from the first packet of any to the end of the last:
    its completion at both ends, or the end of the run."""
    share: float | None
    """Share of the payload delivered by all flows of the run that was theirs."""
    jain_index: float | None
    """Jain's fairness index of the goodputs of its flows (Jain, Chiu and Hawe 1984): 1 if all are
    equal, 1/n if one of n has everything.

    ``None`` with fewer than two flows, or if nothing arrived.
    """
    rtt_s: RttSummary
    """Round-trip times of data segments sent once whose acknowledgement did not wait for a
    retransmission."""
    delay_s: RttSummary
    """One-way delay of each data packet."""
    segments_sent: int
    """Data segments sent, retransmissions included."""
    retransmits: int
    """Data segments retransmitted."""
    timeouts: int
    """Retransmission timeouts once the handshake is done."""
    completion_s: RttSummary
    """From the first packet sent to the last byte acknowledged, of flows that completed."""
    voip: Calls | None
    """Quality at the receivers of its calls, where there are calls."""
