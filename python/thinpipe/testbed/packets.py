"""A transfer as its sender sees it, from a capture or from a simulation's trace."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import polars as pl

WRAP: Final = 1 << 32
INTERFACE, ENHANCED_PACKET = 1, 6
ETHERNET, ETHERNET_HEADER = 1, 14
TCP: Final = 6
SYN, FIN, ACK = 2, 1, 16


class Packet(NamedTuple):
    """A TCP segment at the sender: one that it sent, or an acknowledgement that it received."""

    time_s: float
    sent: bool
    seq: int
    ack: int
    length: int
    window: int


@dataclass(frozen=True, slots=True)
class Transfer:
    """A transfer, measured at its sender; times in seconds since its SYN.

    Attributes
    ----------
    payload_bytes, duration_s
        The acknowledged payload, and the time from the SYN to its acknowledgement.
    rtt
        For each data segment sent once: when it was acknowledged, and its round-trip time; without
        segments whose acknowledgement covers a retransmitted one (Karn's rule).
    retransmits
        Retransmitted data segments.
    cwnd
        Time and congestion window in segments, at each change or sample.
    """

    payload_bytes: int
    duration_s: float
    rtt: tuple[tuple[float, float], ...]
    retransmits: int
    cwnd: tuple[tuple[float, float], ...]

    @property
    def goodput_bps(self) -> float:
        """Payload over the time from the SYN to the last acknowledgement, in bit/s."""
        return 8 * self.payload_bytes / self.duration_s

    @property
    def rtt_median_s(self) -> float:
        """The median round-trip time; infinite if each segment was sent again."""
        return median(rtt for _, rtt in self.rtt) if self.rtt else float("inf")


def measure(packets: Iterable[Packet], cwnd: Iterable[tuple[float, float]]) -> Transfer:
    """Measure a transfer from its packets; sequence numbers are relative to the SYN's, 0.

    Raises
    ------
    ValueError
        If nothing was acknowledged.
    """
    start: float | None = None
    una, highest, acked_s, retransmits = 1, 1, 0.0, 0
    flight: dict[int, tuple[float, int]] = {}
    repeated: set[int] = set()
    rtt: list[tuple[float, float]] = []
    for packet in packets:
        start = packet.time_s if start is None else start
        now = packet.time_s - start
        if packet.sent and packet.length:
            if packet.seq < highest:
                retransmits += 1
                repeated.add(packet.seq)
            else:
                flight[packet.seq] = (now, packet.length)
                highest = packet.seq + packet.length
        elif not packet.sent and packet.ack > una:
            covered = [seq for seq in flight if seq + flight[seq][1] <= packet.ack]
            if not repeated.intersection(covered):
                rtt += [(now, now - flight[seq][0]) for seq in covered]
            for seq in covered:
                del flight[seq]
            if una < highest:  # a FIN is acknowledged as well, but carries nothing
                una, acked_s = min(packet.ack, highest), now
    if una == 1:
        raise ValueError("nothing was acknowledged")
    return Transfer(una - 1, acked_s, tuple(rtt), retransmits, tuple(cwnd))


def of_segments(segments: pl.DataFrame, sender: str) -> Iterator[Packet]:
    """Return the packets at the endpoint `sender` from a simulation's table of segments."""
    import polars as pl

    rows = segments.filter(pl.col("endpoint") == sender)
    columns = ("time_s", "event", "seq", "ack", "payload_bytes", "window")
    for time_s, event, seq, ack, payload, window in rows.select(columns).iter_rows():
        yield Packet(time_s, event == "sent", seq, ack, payload, window)


def of_capture(file: Path, port: int) -> Iterator[Packet]:
    """Return the packets to and from the receiver's `port` in a capture (pcapng, IPv4)."""
    origin: dict[bool, int] = {}
    for time_s, data in read_pcapng(file):
        header = 4 * (data[0] & 15)
        if data[0] >> 4 != 4 or data[9] != TCP or len(data) < header + 20:  # noqa: PLR2004
            continue
        source, destination, seq, ack, offset, flags, window = struct.unpack_from(
            ">HHIIBBH", data, header
        )
        if port not in {source, destination}:
            continue
        sent = destination == port
        if flags & SYN:
            origin[sent] = seq
        length = struct.unpack_from(">H", data, 2)[0] - header - 4 * (offset >> 4)
        yield Packet(
            time_s,
            sent,
            (seq - origin[sent]) % WRAP,
            (ack - origin[not sent]) % WRAP if flags & ACK else 0,
            length,
            window,
        )


def read_pcapng(file: Path) -> Iterator[tuple[float, bytes]]:
    """Return the IP packets of a little-endian pcapng file of one interface, in nanoseconds."""
    data = file.read_bytes()
    at, header = 0, 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == INTERFACE:
            [link] = struct.unpack_from("<H", data, at + 8)
            header = ETHERNET_HEADER if link == ETHERNET else 0
        if kind == ENHANCED_PACKET:
            high, low, captured = struct.unpack_from("<III", data, at + 12)
            yield ((high << 32) + low) / 1e9, data[at + 28 + header : at + 28 + captured]
        at += length
