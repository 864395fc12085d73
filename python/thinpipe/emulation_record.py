"""What an emulator says of its run, as typed records.

Names carry their units: ``_s`` seconds, ``_bps`` bit/s, ``_segments`` segments. A figure that does
not apply is ``None``. `scripts/records.py` writes this file from the summaries of the compiled
module, where each figure has its meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from thinpipe.record import Record
from thinpipe.result import Energy, Link, Radio


@dataclass(frozen=True, slots=True)
class Traffic(Record):
    """Packets and their bytes at the IP layer."""

    packets: int
    """Packets."""
    bytes: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class DroppedPackets(Record):
    """Packets dropped, by reason."""

    total: int
    """All of them."""
    queue: int
    """The queue was full."""
    aqm: int
    """RED or ``CoDel``."""
    loss: int
    """Lost at random."""
    list: int
    """On the list of packets to drop."""
    outage: int
    """Sent during an outage, or on the way when one satellite followed another."""
    discarded: int
    """Given up by RLC or PDCP."""
    unreachable: int
    """Heard by nobody: its mobile was elsewhere."""
    memory: int
    """By the emulator: it held too much."""
    refused: int
    """By the kernel: it did not take them."""


@dataclass(frozen=True, slots=True)
class Delay(Record):
    """Times in seconds."""

    p50: float | None
    """The median."""
    p99: float | None
    """The 99th percentile."""
    max: float | None
    """The largest."""


@dataclass(frozen=True, slots=True)
class Direction(Record):
    """What became of the packets of a direction: in + duplicated = out + dropped + queued."""

    entered: Traffic
    """What came in."""
    left: Traffic
    """What left."""
    duplicated: Traffic
    """Copies that links made of it on the way."""
    dropped: DroppedPackets
    """Packets dropped, by reason."""
    queued: Traffic
    """What was still held at the end."""
    dropped_before: int
    """Packets that the kernel had dropped ahead of the emulator."""
    unreadable: int
    """Packets that are neither IPv4 nor IPv6; they pass all the same."""
    delay_s: Delay
    """From entry to exit."""


@dataclass(frozen=True, slots=True)
class Lateness(Record):
    """How punctual packets left.

    Counts from when the model named, and for how long each may have waited before it was seen.
    """

    samples: int
    """How many packets."""
    p50: float | None
    """The median."""
    p99: float | None
    """The 99th percentile."""
    max: float | None
    """The largest."""
    bound: float
    """What the 99th percentile may be."""
    within_bound: bool
    """Whether it is."""


@dataclass(frozen=True, slots=True)
class EmulationRecord(Record):
    """A run that has ended."""

    scenario: str
    """The scenario's name."""
    seed: int
    """The seed of all chance."""
    started: str
    """Date and time in UTC (RFC 3339)."""
    wall_s: float
    """How long it ran."""
    mtu: int | None
    """The largest IP packet; between two interfaces each has its own limit."""
    scheduling: Literal["fifo", "normal"]
    """How the packet thread was scheduled."""
    left_behind: int
    """Processes that had been left behind and were ended."""
    command: Sequence[str] | None
    """What ran behind it; ``None`` where that may be many programs, or none."""
    exit_status: int | None
    """The exit status of that."""
    down: Direction
    """Towards the mobile."""
    up: Direction
    """From the mobile."""
    links: Sequence[Link]
    """One entry for each direction of each link or bearer."""
    radio: Radio | None
    """The radio's blocks, where there is a radio."""
    energy: Energy | None
    """The energy of the radios of mobiles, where their kind of radio has powers."""
    lateness_s: Lateness
    """How punctual the emulator was."""
