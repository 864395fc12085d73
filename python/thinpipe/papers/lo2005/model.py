"""Equations 1 to 4 of the paper, and what follows from them without errors.

Sizes are bytes, times seconds, rates bit/s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

PDCP_HEADER = 1
IP_PACKET = 552
ACKNOWLEDGEMENT = 40


@dataclass(frozen=True, slots=True)
class Channel:
    """One direction of a dedicated channel: its bit rate and its transmission time interval."""

    rate: int
    tti: Decimal

    def ttis(self, size: int) -> int:
        """Return the TTIs that a packet of `size` bytes takes (eq. 4)."""
        return math.ceil(Decimal(size * 8) / (self.rate * self.tti))

    def delay(self, size: int) -> Decimal:
        """Return the error-free transmission delay over Uu (eq. 4)."""
        return self.ttis(size) * self.tti


@dataclass(frozen=True, slots=True)
class Path:
    """The way of the paper's Fig. 3, from the host to the UE and back.

    `wired` is the one-way delay from host to RNC; the transmission delays there are far below the
    TTI. A block that ends on a TTI's start misses that TTI.
    """

    wired: Decimal
    downlink: Channel
    uplink: Channel

    def error_free_rtt(self) -> Decimal:
        """Return the round-trip time without errors, once it has settled (eqs. 2 to 4).

        A segment that leaves upon an acknowledgement leaves in step with the uplink's TTIs; so its
        waits for both directions' next TTI are the same each time.
        """
        acknowledged = self.uplink.tti  # the end of any uplink TTI
        arrived = acknowledged + 2 * self.wired
        at_ue = next_tti(arrived, self.downlink.tti) + self.downlink.delay(IP_PACKET + PDCP_HEADER)
        at_rnc = next_tti(at_ue, self.uplink.tti) + self.uplink.delay(ACKNOWLEDGEMENT + PDCP_HEADER)
        return at_rnc - acknowledged

    def retransmission_delays(self, rounds: int) -> tuple[Decimal, Decimal]:
        """Return the least and greatest extra delay over Uu of so many rounds of retransmission.

        A round is the wait for the next uplink TTI, that TTI with the status message, and the next
        downlink TTI after it with the block. The downlink TTI in which the gap shows may end
        anywhere in an uplink TTI: the first wait differs by its place, later ones do not.
        """
        starts = [k * self.downlink.tti for k in range(int(self.uplink.tti / self.downlink.tti))]
        delays = [self._rounds(start, rounds) - start for start in starts]
        return min(delays), max(delays)

    def _rounds(self, gap_seen: Decimal, rounds: int) -> Decimal:
        now = gap_seen
        for _ in range(rounds):
            reported = next_tti(now, self.uplink.tti) + self.uplink.tti
            now = next_tti(reported, self.downlink.tti) + self.downlink.tti
        return now


def next_tti(now: Decimal, tti: Decimal) -> Decimal:
    """Return the start of the first TTI after `now`; one that starts at `now` is missed."""
    return (now // tti + 1) * tti


def vegas_delta(window: int, rtt: float, base_rtt: float) -> float:
    """Return Δ of eq. 1 in segments: how much of the window waits in queues."""
    expected = window / base_rtt
    actual = window / rtt
    return (expected - actual) * base_rtt


def least_shrinking_rtt(window: int, base_rtt: Decimal, step: Decimal, beta: int) -> Decimal:
    """Return the least round-trip time on the grid at which Δ, rounded, exceeds `beta`."""
    rtt = base_rtt
    while round(vegas_delta(window, float(rtt), float(base_rtt))) <= beta:
        rtt += step
    return rtt


PATH = Path(
    wired=Decimal("0.0254"),
    downlink=Channel(384_000, Decimal("0.010")),
    uplink=Channel(64_000, Decimal("0.020")),
)
"""The path of the scenario ``umts-dch-384``."""
