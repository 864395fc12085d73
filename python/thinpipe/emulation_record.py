"""What an emulator says of its run, as typed records.

Names carry their units: ``_s`` seconds, ``_bps`` bit/s. A figure that does not apply is ``None``.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from thinpipe.result import Link, Radio, link_of, radio_of, record_of


@dataclass(frozen=True, slots=True)
class Traffic:
    """Packets and the bytes of their IP packets."""

    packets: int
    bytes: int


@dataclass(frozen=True, slots=True)
class DroppedPackets:
    """Packets dropped, by reason.

    Full queue, RED or CoDel, chance, list, outage, given up by RLC; and beside the scenario's own:
    the emulator's memory was full, or the kernel refused to take the packet.
    """

    queue: int
    aqm: int
    loss: int
    list: int
    outage: int
    discarded: int
    memory: int
    refused: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.by_reason().values())

    def by_reason(self) -> dict[str, int]:
        """Return the reasons that occurred, and how often."""
        return {reason: count for reason, count in dataclasses.asdict(self).items() if count}


@dataclass(frozen=True, slots=True)
class Delay:
    """Time from a packet's entry until it left, in seconds."""

    p50: float | None
    p99: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction: what entered is what left, was dropped, or was still queued at the end.

    ``dropped_before`` counts packets that the kernel dropped ahead of the emulator, ``unreadable``
    those that are neither IPv4 nor IPv6; they pass all the same.
    """

    entered: Traffic
    left: Traffic
    dropped: DroppedPackets
    queued: Traffic
    dropped_before: int
    unreadable: int
    delay_s: Delay


@dataclass(frozen=True, slots=True)
class Lateness:
    """How long after the moment that the model named packets left, in seconds.

    For how long each may have waited before it was seen counts as well.

    Beyond ``bound``, which is one of ``p99``, timings of the run are not to be trusted.
    """

    samples: int
    p50: float | None
    p99: float | None
    max: float | None
    bound: float
    within_bound: bool


@dataclass(frozen=True, slots=True)
class EmulationRecord:
    """What became of all packets of a run, and how punctual the emulator was.

    ``down`` is towards the mobile. ``left_behind`` counts processes that were ended because they
    were still there after the command. ``command`` and ``exit_status`` are ``None`` of
    `thinpipe.emulate`, where there may be many; between two interfaces they are as well, and
    ``mtu``.
    """

    scenario: str
    seed: int
    started: str
    wall_s: float
    mtu: int | None
    scheduling: Literal["fifo", "normal"]
    command: tuple[str, ...] | None
    exit_status: int | None
    left_behind: int
    down: Direction
    up: Direction
    links: tuple[Link, ...]
    radio: Radio | None
    lateness_s: Lateness

    @property
    def directions(self) -> dict[str, Direction]:
        """Both directions by name."""
        return {"down": self.down, "up": self.up}

    @classmethod
    def from_json(cls, text: str) -> EmulationRecord:
        """Read what ``thinpipe emulate --record`` writes."""
        data = json.loads(text)
        return record_of(
            cls,
            data,
            command=None if data["command"] is None else tuple(data["command"]),
            down=_direction(data["directions"]["down"]),
            up=_direction(data["directions"]["up"]),
            links=tuple(link_of(link) for link in data["links"]),
            radio=None if data["radio"] is None else radio_of(data["radio"]),
            lateness_s=record_of(Lateness, data["lateness_s"]),
        )


def _direction(data: Mapping[str, Any]) -> Direction:
    return record_of(
        Direction,
        data,
        entered=record_of(Traffic, data["in"]),
        left=record_of(Traffic, data["out"]),
        dropped=record_of(DroppedPackets, data["dropped"]),
        queued=record_of(Traffic, data["queued"]),
        delay_s=record_of(Delay, data["delay_s"]),
    )
