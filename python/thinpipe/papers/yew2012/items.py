"""The items that need no run: what each draws and tabulates, and the words of the report."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.drawing import styled
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Table
from thinpipe.papers.yew2012 import figures
from thinpipe.papers.yew2012.arithmetic import calculated, segments, whole
from thinpipe.papers.yew2012.printed import (
    ACCESS_BPS,
    BUFFER,
    BUFFERS,
    BY_RTT,
    RTTS,
    SPACED,
    STANDARD,
    TABLE_RTT,
    Row,
    bdp,
    buffer_ratio,
    rounded,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from thinpipe.papers.paper import Outcomes

TENTH: Final = Decimal("0.1")
THOUSANDTH: Final = Decimal("0.001")


def buffers(_: Outcomes) -> Sequence[Table]:
    """Tabulate Tables V and VI as computed, and X against the lowest rate on the path."""
    rows = [
        (
            str(rtt),
            str(bdp(rtt).normalize()),
            str(rounded(buffer_ratio(rtt), THOUSANDTH)),
            str(calculated(rtt)),
            str(whole(rtt)),
            str(BUFFERS[rtt][2]),
            str(rounded(buffer_ratio(rtt, ACCESS_BPS), THOUSANDTH)),
        )
        for rtt in RTTS
    ]
    head = (
        "RTT ms",
        "BDP",
        f"X of {BUFFER}",
        "0.835 × BDP",
        "rounded",
        "as printed",
        "X at 1 Mbit/s",
    )
    return (Table("Tables V and VI as computed, in packets of 512 B", head, tuple(rows)),)


def readings(_: Outcomes) -> Sequence[Table]:
    """Read the window and the delay beyond half an RTT out of Tables II to IV."""
    by_size = [
        (
            f"{size} B",
            *(f"{rounded(row.per_second(size), Decimal(1))}" for row in rows),
            *(f"{rounded(segments(row, TABLE_RTT, size), TENTH)}" for row in rows),
        )
        for size, rows in ((size, (STANDARD[size], SPACED[size])) for size in STANDARD)
    ]
    by_rtt = [
        (
            str(rtt),
            str(row.kbps),
            f"{rounded(row.delay_ms - Decimal(rtt) / 2, TENTH)}",
            f"{rounded(segments(row, rtt), TENTH)}",
            "upper" if row.is_upper else "lower",
            "upper" if rtt >= 100 else "lower",  # noqa: PLR2004 - the paper's words
        )
        for rtt, row in BY_RTT.items()
    ]
    sizes_head = ("packet", "packets/s II", "packets/s III", "window II", "window III")
    rtt_head = ("RTT ms", "kbit/s", "delay − RTT/2", "window", "by number", "by text")
    return (
        Table("Tables II and III: packets per second, and a window", sizes_head, tuple(by_size)),
        Table("Table IV: two states", rtt_head, tuple(by_rtt)),
    )


def changes(tables: tuple[Mapping[int, Row], Mapping[int, Row]] = (STANDARD, SPACED)) -> Table:
    """Tabulate what spacing changes from Table II to Table III."""
    before, after = tables
    rows = [
        (
            f"{size} B",
            f"{_percent(after[size].delay_ms, before[size].delay_ms)}",
            f"{_percent(after[size].kbps, before[size].kbps)}",
            f"{after[size].efficiency - before[size].efficiency:+}",
        )
        for size in before
    ]
    head = ("packet", "delay %", "throughput %", "efficiency, points")
    return Table("What packet spacing changes, from Table II to III", head, tuple(rows))


def _percent(after: Decimal, before: Decimal) -> str:
    return f"{rounded(100 * (after / before - 1), TENTH):+}"


ARITHMETIC: Final = (
    Item(
        "arithmetic",
        "Tables V and VI and equations 4 to 6: exact arithmetic",
        (
            "All digits follow from RTT × 2 Mbit/s / (512 B × 8) and the rows themselves, in "
            "decimal arithmetic with halves rounded up, except for the last cell of Table VI.",
            "From Table V to Table VI the paper continues with the mean X in its three printed "
            "places.",
            "The rule 0.835 × BDP is for the WAN link of 2 Mbit/s. The bottleneck of the path has "
            "1 Mbit/s, where the same buffers are 1.67 bandwidth-delay products.",
            "Equations 1 to 3 are measured in runs (see equations).",
        ),
        (),
        Detail.RESULT,
        tabulate=buffers,
    ),
    Item(
        "own-numbers",
        "The paper's statements compared with its own tables",
        (
            "Up to 256 B, Vegas without spacing sent 33 to 36 packets per second whatever their "
            "size, about four per round trip; 512 B is an exception because its single run had a "
            "larger window.",
            "A window is throughput times round trip: the printed delay, and back RTT/2 and 2 + 2 "
            "ms. Table IV has two states, not a trend: a window of four segments in the lower one "
            "(own-four), a link that is nearly full in the upper one, with 6 ms more delay, which "
            "one or two packets of 512 B take at 1 Mbit/s. The paper has no queue lengths.",
        ),
        (),
        Detail.RESULT,
        styled(figures.two_states),
        lambda outcomes: (changes(), *readings(outcomes)),
        caption=(
            "Throughput and delay of Table IV: its rows are in a lower and an upper band, not on "
            "two sides of the boundary that the text names (dashed)."
        ),
    ),
)
