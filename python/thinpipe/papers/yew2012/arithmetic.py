"""Measures that follow from the paper's printed numbers, without runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
Numbers = Iterable[Decimal | float]

UPPER: Final = tuple(RATIOS)
"""RTTs of Table V, which the text calls the upper boundary."""

TABLES: Final = (STANDARD, SPACED)


def mean_x() -> Decimal:
    """Return the mean of X over Table V, with the digits that are printed."""
    return rounded(sum(map(buffer_ratio, UPPER), Decimal(0)) / len(UPPER), MEAN_X)


WIRES_MS: Final = 4
"""CN–N1 and MAP–AR1, Table I."""

IPV4_PACKET: Final = PACKET + 40 + 2 * 20
"""Bytes of 512 B with headers of TCP and IPv4, in two tunnels."""

CAP_KBPS: Final = ACCESS_BPS / 1e3 * PACKET / IPV4_PACKET
"""Of payload, at 1 Mbit/s."""

FIRST_WINDOW: Final = 3.0
LEAVES_HOME_S: Final = 5.0
LASTS_S: Final = 500.0
"""Segments at the end of slow start and the start, our choices; the duration of §VI (ii)."""

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


def segments(row: Row, rtt_ms: int, packet: int = PACKET) -> Decimal:
    """Return the window of a row in segments: its throughput times its round trip.

    Data take the row's delay; acknowledgements come back over the WAN link and two wires of 2 ms.
    """
    round_trip_ms = row.delay_ms + Decimal(rtt_ms) / 2 + WIRES_MS
    return row.kbps * round_trip_ms / (8 * packet)


def at_base(base_ms: int) -> list[Decimal]:
    """Return the windows of the lower band if Vegas kept its Δ over a base RTT, in segments.

    In equilibrium Δ = W (1 − baseRTT / RTT) is constant; it is that of the first row.
    """
    rows = band(upper=False)
    round_trips = [row.delay_ms + Decimal(rtt) / 2 + WIRES_MS for rtt, row in rows.items()]
    waiting = [1 - base_ms / round_trip for round_trip in round_trips]
    first = segments(rows[40], 40)
    return [first * waiting[0] / share for share in waiting]


def by_letter(window: float) -> float:
    """Return by how much the window grows in a round trip by equation 2."""
    return 1 / window


def grown(rtt_ms: int, step: Callable[[float], float]) -> float:
    """Return the throughput in kbit/s of Table IV's 500 s if the window grows a step a round trip.

    From the end of slow start to a full bottleneck, whose packets have two headers of IPv4 more.
    """
    round_trip_s = float(BY_RTT[rtt_ms].delay_ms + Decimal(rtt_ms) / 2 + WIRES_MS) / 1e3
    full = CAP_KBPS * 1e3 * round_trip_s / (8 * PACKET)
    sent, window, time_s = 0.0, FIRST_WINDOW, LEAVES_HOME_S
    while time_s < LASTS_S:
        sent += min(window, full)
        window += step(window)
        time_s += round_trip_s
    return sent * 8 * PACKET / LASTS_S / 1e3


def misses(step: Callable[[float], float]) -> list[float]:
    """Return by how much such growth misses the throughputs of the upper band, in %."""
    rows = band(upper=True)
    return [100 * (grown(rtt, step) / float(row.kbps) - 1) for rtt, row in rows.items()]


def fall(rows: Mapping[int, Row]) -> Decimal:
    """Return by how much the throughput of the last row is less than that of the first, in %."""
    first, *_, last = rows.values()
    return 100 * (1 - last.kbps / first.kbps)


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
    "own-four": (segments(row, rtt) for rtt, row in band(upper=False).items()),
    "own-grows": misses(by_letter),
    "own-cap": (ACCESS_BPS * PACKET / max(1000 * row.kbps for row in BY_RTT.values()),),
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
