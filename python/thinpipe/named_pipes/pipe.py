"""A named pipe, and the rule that makes a scenario of its figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from thinpipe.named_pipes.source import Source
from thinpipe.values import tables_as_toml

PACKET: Final = 1500
"""Bytes of a full packet."""

LEAST_PACKETS: Final = 10
"""Full packets that a queue holds at least."""

LEAST_WAIT_S: Final = 0.1
"""Time that a full queue takes to drain at least."""

RULE: Final = (
    f"RTT: half in each direction. Loss: as given, in each direction. Queue of each direction: "
    f"{LEAST_PACKETS} packets, one bandwidth-delay product or {LEAST_WAIT_S * 1e3:.0f} ms, "
    "whichever is most; without a rate 1000 packets."
)
"""The one rule for figures of all sources."""


@dataclass(frozen=True, slots=True)
class Way:
    """One direction of a pipe.

    Attributes
    ----------
    rate_bps
        Rate of IP packets, headers included; ``None`` is unlimited.
    delay_s
        One-way delay, in the mean.
    jitter_s
        Delays are uniform from `delay_s` - `jitter_s` to `delay_s` + `jitter_s`, in order.
    loss
        Share of packets that are lost, each by chance.
    """

    rate_bps: float | None
    delay_s: float
    jitter_s: float
    loss: float

    def link(self) -> dict[str, Any]:
        """Return the keys of ``[link]`` or ``[link.back]``."""
        keys: dict[str, Any] = {
            "rate": "unlimited" if self.rate_bps is None else f"{self.rate_bps:.0f} bit/s",
            "delay": f"{self.delay_s * 1e3:g} ms",
        }
        if self.jitter_s > 0:
            keys["jitter"] = f"{self.jitter_s * 1e3:g} ms"
        if self.loss > 0:
            keys["loss"] = f"{self.loss * 100:g} %"
        return keys

    def queue(self, rtt_s: float) -> dict[str, str]:
        """Return the keys of ``[queue]`` or ``[queue.back]`` for a round trip."""
        if self.rate_bps is None:
            return {"packets": "1000"}
        wait_s = max(rtt_s, LEAST_WAIT_S)
        most = max(LEAST_PACKETS * PACKET, self.rate_bps / 8 * wait_s)
        return {"packets": "unlimited", "bytes": f"{most:.0f} B"}


@dataclass(frozen=True, slots=True)
class Pipe:
    """A named pipe.

    Attributes
    ----------
    name
        Its name on the command line: ``webpagetest:3g``.
    title
        Its name at the source.
    source
        The source of its figures.
    down, up
        Its directions; ``None`` for a live radio.
    scenario
        The scenario that ships and stands behind it, for a live radio.
    because
        The ground on which a pipe of our own is believed.
    words
        Words in names of other pipes that stand for the same radio.
    once
        A name that the source has given up.
    is_second_hand
        Whether the figures come from others who quote the source.
    """

    name: str
    title: str
    source: Source
    down: Way | None
    up: Way | None
    scenario: str = ""
    because: str = ""
    words: tuple[str, ...] = ()
    once: str = ""
    is_second_hand: bool = False

    @property
    def is_radio(self) -> bool:
        """Whether a scenario that ships stands behind it, in place of figures."""
        return bool(self.scenario)

    @property
    def rtt_s(self) -> float | None:
        """Mean round trip of a packet without length; ``None`` for a live radio."""
        if self.down is None or self.up is None:
            return None
        return self.down.delay_s + self.up.delay_s

    @property
    def has_rate(self) -> bool:
        """Whether both directions have a rate."""
        return bool(self.down and self.up and self.down.rate_bps and self.up.rate_bps)

    def toml(self) -> str:
        """Return the scenario of its figures, as TOML.

        Raises
        ------
        ValueError
            If it has none: a live radio.
        """
        if self.down is None or self.up is None:
            raise ValueError(f"{self.name} is the scenario {self.scenario}")
        rtt_s = self.down.delay_s + self.up.delay_s
        tables: dict[str, Any] = {
            "description": f"{self.title} of {self.source.name}" if self.source.key else self.title,
            "reference": self.because or f"{self.source.document}, read {self.source.read}",
            "duration": "60 s",
            "seed": 1,
            "tcp": {"profile": "modern"},
            "flow": {"count": 1, "bytes": "unlimited" if self.has_rate else "1 MB"},
            "link": self.down.link() | {"back": self.up.link()},
            "queue": self.down.queue(rtt_s) | {"back": self.up.queue(rtt_s)},
        }
        return tables_as_toml(tables)
