"""What follows from the paper's printed numbers alone: measures without a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from thinpipe.papers.yew2012.printed import (
    ACCESS_BPS,
    BUFFERS,
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
Numbers = Iterable[Decimal | Fraction | int]

UPPER: Final = tuple(RATIOS)
"""RTTs of Table V, which the text calls the upper boundary."""

TABLES: Final = (STANDARD, SPACED)


def mean_x() -> Decimal:
    """Return the mean of X over Table V, with the digits that are printed."""
    return rounded(sum(map(buffer_ratio, UPPER), Decimal(0)) / len(UPPER), MEAN_X)


LEAVES_S: Final = 30
WALKS_MS: Final = 1
"""When the mobile sets out for the second network, and its speed in m/s, §V."""


def calculated(rtt_ms: int) -> Decimal:
    """Return the buffer that Table VI calculates, in packets."""
    return rounded(MEAN_X * bdp(rtt_ms), Decimal("0.001"))


def whole(rtt_ms: int, rule: str = ROUND_HALF_UP) -> int:
    """Return the same as a whole number of packets."""
    return int(calculated(rtt_ms).to_integral_value(rule))


RULES: Final = (ROUND_FLOOR, ROUND_CEILING, ROUND_HALF_UP, ROUND_HALF_EVEN)


def best_rule() -> int:
    """Return how many cells of that column the best rule of rounding gives."""
    return max(
        sum(whole(rtt, rule) == printed for rtt, (*_, printed) in BUFFERS.items()) for rule in RULES
    )


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
    """Return by how much the delay grows a ms of RTT, by least squares."""
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


STALE_ABOVE: Final = Held.of(BY_RTT[100], BY_RTT[150])
"""The same of the upper band's."""


def place(table: Mapping[int, Row]) -> int:
    """Return the place of 512 B among the delays of a table, the lowest first."""
    return sorted(table, key=lambda size: table[size].delay_ms).index(PACKET) + 1


def walked_m(until_s: int) -> int:
    """Return how far the mobile has walked into the overlap by then, in m."""
    return (until_s - LEAVES_S) * WALKS_MS


def doubled(rounds: int) -> int:
    """Return the window after so many round trips of slow start, from one segment."""
    return 1 << rounds


def spacing(rtt: Fraction, cwnd: int) -> Fraction:
    """Return packet spacing (equation 3)."""
    return rtt / cwnd


def constant(numbers: Numbers) -> Measure:
    """Return the measure of numbers that need no run."""
    values = [float(number) for number in numbers]
    return lambda _: values


_NUMBERS: Final[dict[str, Numbers]] = {
    "eq4-table-2": (ratios_found(STANDARD),),
    "eq4-table-3": (ratios_found(SPACED),),
    "eq4-table-4": (ratios_found(BY_RTT),),
    "table-5-bdp": (sum(rounded(bdp(rtt), cell) == cell for rtt, (cell, _) in RATIOS.items()),),
    "table-5-x": (sum(rounded(buffer_ratio(rtt), x) == x for rtt, (_, x) in RATIOS.items()),),
    "table-5-mean": (mean_x(),),
    "table-5-tightest": [
        sum((buffer_ratio(rtt, ACCESS_BPS) for rtt in UPPER), Decimal(0)) / len(UPPER)
    ],
    "table-6-bdp": (sum(rounded(bdp(rtt), cell[0]) == cell[0] for rtt, cell in BUFFERS.items()),),
    "table-6-calculated": (sum(calculated(rtt) == cell[1] for rtt, cell in BUFFERS.items()),),
    "table-6-rounded": (sum(whole(rtt) == cell[2] for rtt, cell in BUFFERS.items()),),
    "table-6-last": map(whole, RTTS[-1:]),
    "table-6-rules": (best_rule(),),
    "eq1": (doubled(3),),
    "eq3": (n * spacing(Fraction(1), n) for n in range(1, 65)),
    "own-c1": (rows_where(lambda spaced, plain: spaced.delay_ms < plain.delay_ms),),
    "own-c2": (rows_where(lambda spaced, plain: spaced.kbps > plain.kbps),),
    "own-c3": (rows_where(lambda spaced, plain: spaced.efficiency > plain.efficiency),),
    "own-c4": map(steps_down, TABLES),
    "own-c5": (min(table, key=lambda size: table[size].ratio) for table in TABLES),
    "own-c7": (steps_down(BY_RTT),),
    "own-slope": (slope(band(upper=upper)) for upper in (False, True)),
    "own-upper": (rtt // 10 for rtt in band(upper=True)),
    "own-c12-efficiency": [max(table, key=lambda size: table[size].efficiency) for table in TABLES],
    "own-c12-delay": map(place, TABLES),
    "own-c12-use": (100_000 * table[PACKET].kbps / ACCESS_BPS for table in TABLES),
    "own-stale": (100 * STALE.missed(BY_RTT[rtt]) for rtt in (50, 70)),
    "own-stale-rtt": (STALE.base_ms,),
    "own-stale-held": (STALE.delta,),
    "own-twice": sorted(
        {row.delay_ms for row in STANDARD.values()} & {row.delay_ms for row in SPACED.values()}
    ),
    "own-sizes": (len(SIZES),),
    "own-propagation": [
        sum(row.delay_ms < ONE_WAY_MS for table in TABLES for row in table.values())
    ],
    "own-same": (BY_RTT[100].kbps / SPACED[PACKET].kbps,),
    "own-overlap": map(walked_m, (100, 500)),
}

MEASURES: Final[dict[str, Measure]] = {
    name: constant(numbers) for name, numbers in _NUMBERS.items()
}
