"""A QUIC download beside the flows of a set-up, for kernels and for the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from thinpipe.point import Value
from thinpipe.testbed import HOST, QuicFetch, QuicListener

QUIC_PORT: Final = 4433
"""Of the server; TCP's ports begin at 5001."""

GROUP: Final = "quic"
"""The group of flows that stands for it in the simulator, of what only its ends can read."""

PAYLOAD_BYTES: Final = 1176
"""Of the simulator's segments, whose packets are then as long as aioquic's, 1228 B with IP."""


@dataclass(frozen=True, slots=True)
class Quic:
    """A QUIC download that begins first and has more `bytes` than a run carries.

    `control` is aioquic's congestion control, ``reno`` or ``cubic``.
    """

    bytes: int
    control: str

    @property
    def listener(self) -> QuicListener:
        """The server at the host."""
        return QuicListener(QUIC_PORT, self.bytes, self.control)

    def fetch(self, limit_s: float) -> QuicFetch:
        """Return the client's task, which takes at most so long."""
        return QuicFetch(HOST[0], QUIC_PORT, self.bytes, limit_s)

    @property
    def simulated(self) -> list[tuple[str, Value]]:
        """Settings of a TCP flow that middleboxes cannot read."""
        key = f"flow.group.{GROUP}"
        return [
            (f"{key}.bytes", f"{self.bytes} B"),
            (f"{key}.direction", "downlink"),
            (f"{key}.encrypted", True),
            (f"{key}.opened_by", "receiver"),
            (f"{key}.port", QUIC_PORT),
            (f"{key}.start", "0 s"),
            (f"{key}.tcp.congestion_control", self.control),
            (f"{key}.tcp.mss", f"{PAYLOAD_BYTES} B"),
        ]
