"""The set-up of chapter VI: a file to a mobile, and its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.hynderick2004.experiments import COMPARED, HEADERS, SEEDS
from thinpipe.point import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from thinpipe.point import Value

__all__ = ["COMPARED", "HEADERS", "SEEDS", "Settings", "bearer", "transfer"]

SCENARIO: Final = "umts-thesis"
"""The thesis's settings and our choices where it gives none; the file marks which is which."""

Settings = tuple[tuple[str, "Value"], ...]

MODULE_RATES: Final = {512: 7.5, 256: 15, 128: 30, 64: 60, 32: 120, 16: 240, 8: 480, 4: 960}
"""Downlink user rates in kbit/s by spreading factor, Table III.2."""

SF_OF: Final = {rate: sf for sf, rate in MODULE_RATES.items()}

PDU: Final = 60
"""Bytes of an RLC PDU."""

PDU_HEADER: Final = 3
"""Bytes of its header, which the rate has to carry, too; the scenario's profile says why."""

WINDOW: Final = 20
"""Maximum outstanding packets of TCP."""

FILE: Final = 1_000_000
"""Bytes of "1MB": 10⁶, as the thesis's kbit/s are powers of ten, too."""

BEING_SENT: Final = 1
"""Packets of which the link control has begun to send PDUs: `queue.packets` counts them, the
thesis's queue ahead of the radio is taken not to. So read, the throughputs of Table VI.2 come out
to 6 %; if they counted, those of queues of 2 packets would be up to 38 % too low."""

LIMIT_S: Final = 3000
"""Simulated time in which every transfer is over."""


def bearer(sf: int) -> Settings:
    """Return the downlink of a spreading factor."""
    return (("radio.downlink.sf", sf),)


def transfer(
    channel: Settings,
    *,
    payload: int = 500,
    bler: float = 0.0,
    queue: int | None = None,
    variant: str = "tahoe",
    seed: int = 1,
    more: Iterable[tuple[str, Value]] | Mapping[str, Value] = (),
) -> Point:
    """Return a transfer of 1 MB; a block error rate of the downlink, a queue of waiting packets."""
    return Point.of(
        SCENARIO,
        {
            **dict(channel),
            "tcp.variant": variant,
            "tcp.mss": f"{payload} B",
            "radio.downlink.tbler": bler,
            "queue.packets": "unlimited" if queue is None else queue + BEING_SENT,
            "flow.bytes": f"{FILE} B",
            "duration": f"{LIMIT_S} s",
            "seed": seed,
            **dict(more),
        },
    )
