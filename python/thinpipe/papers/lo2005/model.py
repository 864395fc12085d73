"""Equations 1 to 4 of the paper, and what follows from them without errors.

Sizes are bytes, times seconds, rates bit/s.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from thinpipe.papers.lo2005.experiments import SCENARIO
from thinpipe.scenario import find

if TYPE_CHECKING:
    from thinpipe.scenario import Scenario

TCP_IP_HEADERS: Final = 40
"""Bytes; Table 3. An acknowledgement is nothing else."""

IP_HEADER: Final = 20
"""Bytes of it that are IP's; RFC 791."""

UNITS: Final = {"s": Decimal(1), "ms": Decimal("0.001"), "kbit/s": Decimal(1000), "B": Decimal(1)}


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
    """The path of the paper's Fig. 3, from the host to the UE and back.

    `wired` is the one-way delay from host to NodeB; the transmission delays there are far below the
    TTI. A block that ends on a TTI's start misses that TTI.
    """

    wired: Decimal
    downlink: Channel
    uplink: Channel
    mss: int
    pdcp_header: int

    @classmethod
    def of(cls, scenario: Scenario) -> Path:
        """Read the path from a scenario of a UMTS dedicated channel."""
        table = tomllib.loads(scenario.source)
        radio = table["radio"]
        return cls(
            sum((_quantity(link["delay"]) for link in table["wired"]), start=Decimal(0)),
            _channel(radio["downlink"]),
            _channel(radio["uplink"]),
            int(_quantity(table["tcp"]["mss"])),
            radio["pdcp"]["header_bytes"],
        )

    @property
    def packet(self) -> int:
        """The size of an IP packet with a full segment."""
        return self.mss + TCP_IP_HEADERS

    @property
    def counted(self) -> float:
        """The share of a packet that is throughput: the paper discounts IP headers (§5.1)."""
        return (self.packet - IP_HEADER) / self.packet

    @property
    def segment_sdu(self) -> int:
        """What link control carries of such a packet."""
        return self.packet + self.pdcp_header

    @property
    def acknowledgement_sdu(self) -> int:
        """What link control carries of an acknowledgement."""
        return TCP_IP_HEADERS + self.pdcp_header

    def error_free_rtt(self) -> Decimal:
        """Return the round-trip time without errors, once it has settled (eqs. 2 to 4).

        A segment that leaves upon an acknowledgement leaves in step with the uplink's TTIs; so its
        waits for both directions' next TTI are the same each time.
        """
        at_ue = self._sent_down() + self.downlink.delay(self.segment_sdu)
        sent_up = next_tti(at_ue, self.uplink.tti)
        return sent_up + self.uplink.delay(self.acknowledgement_sdu)

    def retransmission_delays(self, rounds: int) -> tuple[Decimal, ...]:
        """Return what so many rounds of retransmission add to a packet's error-free delay over Uu.

        One value for each TTI of the packet in which the gap may show. A round is the wait for the
        next uplink TTI, that TTI with the status message, and the next downlink TTI after it with
        the block.
        """
        start = self._sent_down()
        end = start + self.downlink.delay(self.segment_sdu)
        shown = [
            start + (number + 1) * self.downlink.tti
            for number in range(self.downlink.ttis(self.segment_sdu))
        ]
        return tuple(self._repaired(each, rounds) - end for each in shown)

    def throughput(self, samples_a_second: Decimal) -> Decimal:
        """Return the share of the downlink's rate for a number of TCP segments per second."""
        return samples_a_second * (self.packet - IP_HEADER) * 8 / self.downlink.rate

    def _sent_down(self) -> Decimal:
        """Return when a segment's first TTI starts, if an acknowledgement's last ends at 0."""
        return next_tti(2 * self.wired, self.downlink.tti)

    def _repaired(self, gap_shown: Decimal, rounds: int) -> Decimal:
        now = gap_shown
        for _ in range(rounds):
            reported = next_tti(now, self.uplink.tti) + self.uplink.tti
            now = next_tti(reported, self.downlink.tti) + self.downlink.tti
        return now


def next_tti(now: Decimal, tti: Decimal) -> Decimal:
    """Return the start of the first TTI after `now`; one that starts at `now` is missed."""
    return (now // tti + 1) * tti


def shrinking_rtt(window: int, base_rtt: Decimal, beta: int) -> Decimal:
    """Return the minimum round-trip time at which Δ, rounded, exceeds `beta` (eq. 1).

    With the same window in both rates, Δ = window · (1 − base_rtt / RTT) segments.
    """
    return window * base_rtt / (window - beta - Decimal("0.5"))


def _channel(table: dict[str, Any]) -> Channel:
    return Channel(int(_quantity(table["rate"])), _quantity(table["tti"]))


def _quantity(text: str) -> Decimal:
    number, unit = text.split()
    return Decimal(number) * UNITS[unit]


PATH: Final = Path.of(find(SCENARIO))
"""The path of the shipped scenario."""
