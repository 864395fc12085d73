"""The paper's tables as they are printed, and what may be read out of them: exact decimals."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from importlib.resources import files
from typing import Final

WAN_BPS: Final = 2_000_000
"""The rate that the paper calls the bottleneck, Table I."""

ACCESS_BPS: Final = 1_000_000
"""The lowest rate on the path, of the links from MAP to AR1 and AR2, Table I."""

TABLE_RTT: Final = 100
"""ms: twice the delay of the WAN link, Table I."""

PACKET: Final = 512
"""Bytes of the packets of Tables IV to VI."""

BUFFER: Final = 50
"""Packets, Tables II to V."""

ONE_WAY_MS: Final = 54
"""Propagation from CN over N1 and MAP to an access router, Table I: 2 + 50 + 2 ms."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of Tables II to IV: ms, kbit/s, per cent, and ms over kbit/s."""

    delay_ms: Decimal
    kbps: Decimal
    efficiency: Decimal
    ratio: Decimal

    def ratio_of_row(self) -> Decimal:
        """Return delay over throughput (equation 4), with the digits that are printed."""
        return rounded(self.delay_ms / self.kbps, self.ratio)

    def per_second(self, packet: int) -> Decimal:
        """Return packets a second."""
        return 1000 * self.kbps / (8 * packet)

    @property
    def is_upper(self) -> bool:
        """Whether the throughput is half of the lowest rate on the path, or more."""
        return 2000 * self.kbps >= ACCESS_BPS


def rounded(value: Decimal, like: Decimal) -> Decimal:
    """Return a value with as many places as another, a half rounded up.

    >>> rounded(Decimal("53.7109375"), Decimal("0.001"))
    Decimal('53.711')
    """
    return value.quantize(like, ROUND_HALF_UP)


def bdp(rtt_ms: int, bps: int = WAN_BPS) -> Decimal:
    """Return the bandwidth-delay product in packets (equation 5).

    >>> bdp(100)
    Decimal('48.828125')
    """
    return Decimal(rtt_ms) * bps / (1000 * 8 * PACKET)


def buffer_ratio(rtt_ms: int, bps: int = WAN_BPS) -> Decimal:
    """Return X, the buffer over the bandwidth-delay product (equation 6)."""
    return BUFFER / bdp(rtt_ms, bps)


def _table(name: str) -> dict[int, Row]:
    return {int(key): Row(*(Decimal(value) for value in row)) for key, row in _TABLES[name].items()}


def _cells(name: str) -> dict[int, tuple[Decimal, ...]]:
    return {int(key): tuple(map(Decimal, row)) for key, row in _TABLES[name].items()}


_TABLES: Final = tomllib.loads(
    (files(__package__) / "tables.toml").read_text(encoding="utf-8"), parse_float=Decimal
)

STANDARD: Final = _table("standard")
SPACED: Final = _table("spaced")
BY_RTT: Final = _table("by_rtt")

SIZES: Final = tuple(STANDARD)
"""Bytes."""

RTTS: Final = tuple(BY_RTT)
"""ms."""

RATIOS: Final = _cells("ratios")
"""Table V by RTT: bandwidth-delay product and X."""

BUFFERS: Final = _cells("buffers")
"""Table VI by RTT: bandwidth-delay product, and the buffer as calculated and rounded."""

MEAN_X: Final = Decimal("0.835")
"""The mean of X, Table V."""
