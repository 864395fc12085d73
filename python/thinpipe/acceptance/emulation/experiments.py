"""The transfers that are both simulated and emulated."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from thinpipe.point import Point, Value

CONTROLS: Final = ("reno", "cubic")
"""Congestion controls that the kernel and the simulator both have."""

MSS: Final = 1448
"""Payload bytes of a segment: Ethernet's 1500 B over IPv4, less 12 B of timestamps."""

TRACE: Final = Path(__file__).with_name("trace.toml")


@dataclass(frozen=True, slots=True)
class Setup:
    """A network, and a transfer over it, emulated once per seed.

    Attributes
    ----------
    scenario, settings
        The network.
    payload_bytes, window_bytes
        Payload, and approximate receive window.
    seeds
        Of the network and of `loss`.
    loss
        The share of packets that are dropped at random ahead of the link, which both have to know
        one by one: what else the kernel sends would shift the losses of ``link.loss``.
    at_once
        How many of the set-ups with this number run at a time, since they carry several Mbit/s and
        keep processors busy; ``None`` for the others, which all do.
    """

    scenario: str | Path
    settings: tuple[tuple[str, Value], ...]
    payload_bytes: int
    window_bytes: int
    seeds: tuple[int, ...] = (1,)
    loss: float = 0.0
    at_once: int | None = None

    def dropped(self, seed: int) -> list[int]:
        """Return the numbers of the packets that are dropped: the first one is not."""
        chance = random.Random(seed)
        packets = range(1, 2 * self.payload_bytes // MSS) if self.loss else ()
        return [number for number in packets if chance.random() < self.loss]

    def network(self, seed: int) -> dict[str, Value]:
        """Return the settings of the network."""
        lossy = {"link.drop_arrivals": self.dropped(seed)} if self.loss else {}
        return {**dict(self.settings), **lossy}

    def point(self, control: str, seed: int) -> Point:
        """Return the transfer with one congestion control."""
        return Point.of(
            self.scenario,
            {
                **self.network(seed),
                **dict(LINUX),
                "tcp.congestion_control": control,
                "tcp.mss": f"{MSS} B",
                "tcp.receive_buffer": f"{self.window_bytes} B",
                "flow.bytes": f"{self.payload_bytes} B",
                "flow.opened_by": "sender",  # as the program does that sends
                "seed": seed,
            },
        )

    @property
    def points(self) -> tuple[Point, ...]:
        """The transfer with each congestion control and seed."""
        return tuple(self.point(control, seed) for control in CONTROLS for seed in self.seeds)


LINUX: Final = (
    ("tcp.profile", "modern"),
    ("tcp.recovery", "rack"),
    # The receiving program reads, and the kernel acknowledges, when a whole TTI has arrived.
    ("tcp.receive_offload", "true"),
    ("tcp.growth", "all-bytes"),
    ("tcp.cubic.slow_start", "ack-trains"),
    ("tcp.cubic.alpha", "constant"),
)
"""Settings for the kernel's ends other than the congestion control."""

STILL: Final = (("radio.fading.deviation", "0 dB"), ("radio.rrc.promotion", "0 ms"))
"""LTE whose state does not depend on when a transfer begins.

Fading goes by the clock of a run, which begins before the kernel's transfer does. Other packets of
the kernel may have connected the mobile before: here that takes no time.
"""

PATH: Final = (
    ("link.rate", "4 Mbit/s"),
    ("link.delay", "40 ms"),
    ("queue.packets", "40"),
    ("queue.back.packets", "200"),
)
"""A path on which packets are lost at random; a transfer takes half a minute."""

SIX: Final = (1, 2, 3, 4, 5, 6)

SETUPS: Final = {
    "umts-384": Setup("umts-384", (("radio.tbler", "0 %"),), 900_000, 48_000),
    "umts-384-lossy": Setup("umts-384", (("radio.tbler", "10 %"),), 900_000, 48_000),
    "gprs-live-40": Setup("gprs-live-40", (), 120_000, 16_384),
    # Nothing is lost: which packets are in the air at a change is a matter of microseconds. The
    # rate is the limit, not a window, which a fraction of a millisecond makes slower.
    "leo-calm": Setup(
        "leo-calm",
        (
            ("radio.leo.slot", "1 s"),
            ("radio.leo.loses", "false"),
            ("radio.downlink.rate", "10 Mbit/s"),
        ),
        5_000_000,
        64_000,
        at_once=1,
    ),
    "lte-cat1": Setup("lte-cat1", STILL, 5_000_000, 64_000, seeds=(1, 2, 3), at_once=1),
    "lte-cat4": Setup("lte-cat4", STILL, 5_000_000, 64_000, seeds=(1, 2, 3), at_once=1),
    # The SYN waits for a page, and is sent again meanwhile.
    "nb-iot": Setup(
        "nb-iot",
        (
            ("flow.direction", "downlink"),
            ("queue.bytes", "30 kB"),
            ("radio.rrc.inactivity", "100 s"),
        ),
        20_000,
        64_000,
        seeds=(1, 2, 3),
    ),
    # Segments come 52 ms apart. The kernel's timer of delayed acknowledgements, 40 ms as ours at
    # first, grows with such gaps (tcp_event_data_recv) up to 200 ms, and it waits for every second
    # one.
    "trace": Setup(TRACE, (("tcp.delayed_ack", "200 ms"),), 600_000, 48_000),
    "short-queue": Setup(
        "link",
        (
            ("link.rate", "1 Mbit/s"),
            ("link.delay", "40 ms"),
            ("link.back.rate", "256 kbit/s"),
            ("queue.packets", "20"),
            ("queue.back.packets", "200"),
        ),
        2_000_000,
        64_000,
        # The kernel's CUBIC leaves slow start by its own clock, at times a packet later.
        seeds=(1, 2, 3),
    ),
    "one-in-500": Setup("link", PATH, 10_000_000, 64_000, seeds=SIX, loss=1 / 500, at_once=6),
    "one-in-100": Setup("link", PATH, 5_000_000, 64_000, seeds=SIX, loss=1 / 100, at_once=6),
}
"""By the item that shows them."""
