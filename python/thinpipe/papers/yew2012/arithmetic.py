"""Measures that follow from the paper's printed numbers, without runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from thinpipe.papers.yew2012.printed import (
    ACCESS_BPS,
    BUFFER,
    BY_RTT,
    MEAN_X,
    ONE_WAY_MS,
    PACKET,
    RATIOS,
    RTTS,
    SIZES,
    SPACED,
    STANDARD,
    Row,
    bdp,
    buffer_ratio,
    rounded,
)

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes

Measure = Callable[["Outcomes"], Sequence[float]]
Numbers = Iterable[Decimal | int]

UPPER: Final = tuple(RATIOS)
"""RTTs of Table V, which the text calls the upper boundary."""

TABLES: Final = (STANDARD, SPACED)


def mean_x() -> Decimal:
    """Return the mean of X over Table V, with the digits that are printed."""
    return rounded(sum(map(buffer_ratio, UPPER), Decimal(0)) / len(UPPER), MEAN_X)


LEAVES_S: Final = 30
WALKS_MS: Final = 1
"""When the mobile sets out for the second network, and its speed in m/s, §V."""


THOUSANDTH: Final = Decimal("0.001")
MILLIONTH: Final = Decimal("0.000001")


def printed_x(rtt_ms: int, packet: int = PACKET) -> Decimal:
    """Return X with the places that Table V prints."""
    return rounded(BUFFER / (bdp(rtt_ms) * PACKET / packet), THOUSANDTH)


def calculated(rtt_ms: int) -> Decimal:
    """Return the buffer that Table VI calculates, in packets."""
    return rounded(MEAN_X * bdp(rtt_ms), THOUSANDTH)


def whole(rtt_ms: int) -> int:
    """Return the same as a whole number of packets."""
    return int(calculated(rtt_ms).to_integral_value(ROUND_HALF_UP))


def printed_bdp(rtt_ms: int, packet: int = PACKET) -> Decimal:
    """Return the bandwidth-delay product with the places that Table VI prints."""
    return rounded(bdp(rtt_ms) * PACKET / packet, MILLIONTH)


def unrounded(rtt_ms: int) -> Decimal:
    """Return the buffer of the mean X before it is rounded, in packets."""
    mean = sum(map(buffer_ratio, UPPER), Decimal(0)) / len(UPPER)
    return rounded(mean * bdp(rtt_ms), THOUSANDTH)


def ratios_found(table: Mapping[int, Row]) -> int:
    """Count the rows whose ratio follows from their delay and throughput, to the printed digit."""
    return sum(row.ratio_of_row() == row.ratio for row in table.values())


def rows_where(better: Callable[[Row, Row], bool]) -> int:
    """Count the packet sizes at which the row with spacing is better than the one without."""
    return sum(better(SPACED[size], STANDARD[size]) for size in SIZES)


def steps_down(table: Mapping[int, Row]) -> int:
    """Count the rows with less delay than the row before."""
    return sum(after.delay_ms < before.delay_ms for before, after in pairwise(table.values()))


def slope(rows: Mapping[int, Row]) -> Decimal:
    """Return by how much the delay grows per ms of RTT, by least squares."""
    count = len(rows)
    x_mean = Decimal(sum(rows)) / count
    y_mean = sum((row.delay_ms for row in rows.values()), Decimal(0)) / count
    above = sum(((x - x_mean) * (row.delay_ms - y_mean) for x, row in rows.items()), Decimal(0))
    return above / sum(((x - x_mean) ** 2 for x in rows), Decimal(0))


def band(*, upper: bool) -> dict[int, Row]:
    """Return the rows of Table IV in one of the two bands, by their throughput."""
    return {rtt: row for rtt, row in BY_RTT.items() if row.is_upper == upper}


@dataclass(frozen=True, slots=True)
class Held:
    """What Vegas holds still where its base RTT stays behind: packets, and that base RTT in ms.

    In equilibrium Δ = W (1 − baseRTT / RTT) is constant, where W is the window.
    """

    delta: Decimal
    base_ms: Decimal

    @classmethod
    def of(cls, one: Row, other: Row) -> Held:
        """Find both from two rows: their packets in flight, and twice their delay for the RTT."""
        (w1, r1), (w2, r2) = ((row.in_flight(PACKET), 2 * row.delay_ms) for row in (one, other))
        base_ms = (w1 - w2) / (w1 / r1 - w2 / r2)
        return cls(w1 * (1 - base_ms / r1), base_ms)

    def missed(self, row: Row) -> Decimal:
        """Return by which share another row is off."""
        expected = self.delta / (1 - self.base_ms / (2 * row.delay_ms))
        return abs(expected / row.in_flight(PACKET) - 1)


STALE: Final = Held.of(BY_RTT[40], BY_RTT[90])
"""Of the first and the last row of the lower band."""


def missed_still(row: Row) -> Decimal:
    """Return by which share a row is off the mean window of those two."""
    mean = (BY_RTT[40].in_flight(PACKET) + BY_RTT[90].in_flight(PACKET)) / 2
    return abs(mean / row.in_flight(PACKET) - 1)


def place(table: Mapping[int, Row]) -> int:
    """Return the place of 512 B among the delays of a table, the lowest first."""
    return sorted(table, key=lambda size: table[size].delay_ms).index(PACKET) + 1


def walked_m(until_s: int) -> int:
    """Return how far the mobile has walked into the overlap by then, in m."""
    return (until_s - LEAVES_S) * WALKS_MS


def constant(numbers: Numbers) -> Measure:
    """Return the measure of numbers that need no run."""
    values = [float(number) for number in numbers]
    return lambda _: values


_NUMBERS: Final[dict[str, Numbers]] = {
    "eq4": (sum(map(ratios_found, (STANDARD, SPACED, BY_RTT))),),
    "table-6-bdp": map(printed_bdp, RTTS),
    "table-5-x": map(printed_x, UPPER),
    "table-5-mean": (mean_x(),),
    "table-6-calculated": map(calculated, RTTS),
    "table-6-rounded": map(whole, RTTS),
    "own-c1": (rows_where(lambda spaced, plain: spaced.delay_ms < plain.delay_ms),),
    "own-c2": (rows_where(lambda spaced, plain: spaced.kbps > plain.kbps),),
    "own-c3": (rows_where(lambda spaced, plain: spaced.efficiency > plain.efficiency),),
    "own-c4": map(steps_down, TABLES),
    "own-c5": (min(table, key=lambda size: table[size].ratio) for table in TABLES),
    "own-c7": (steps_down(BY_RTT),),
    "own-slope": (slope(band(upper=upper)) for upper in (False, True)),
    "own-upper": band(upper=True),
    "own-c12-efficiency": [max(table, key=lambda size: table[size].efficiency) for table in TABLES],
    "own-c12-delay": map(place, TABLES),
    "own-c12-use": (100_000 * table[PACKET].kbps / ACCESS_BPS for table in TABLES),
    "own-stale": (100 * STALE.missed(BY_RTT[rtt]) for rtt in (50, 70)),
    "own-twice": sorted(
        {row.delay_ms for row in STANDARD.values()} & {row.delay_ms for row in SPACED.values()}
    ),
    "own-sizes": SIZES,
    "own-propagation": [
        sum(row.delay_ms < ONE_WAY_MS for table in TABLES for row in table.values())
    ],
    "own-same": (BY_RTT[100].kbps / SPACED[PACKET].kbps,),
    "own-overlap": (walked_m(100),),
}

MEASURES: Final[dict[str, Measure]] = {
    name: constant(numbers) for name, numbers in _NUMBERS.items()
}
