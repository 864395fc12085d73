"""What the paper's set-up and formulas could be instead: each band fails one of these."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from thinpipe.papers.wrong import WrongModel, altered, given, swapped
from thinpipe.papers.yew2012.arithmetic import STALE_ABOVE, constant
from thinpipe.papers.yew2012.printed import (
    ACCESS_BPS,
    BUFFERS,
    BY_RTT,
    RATIOS,
    SPACED,
    STANDARD,
    Row,
    bdp,
    buffer_ratio,
    rounded,
)
from thinpipe.papers.yew2012.setup import RENEWED, STILL

TABLES: Final = (STANDARD, SPACED)
_V: Final = RATIOS.items()
_VI: Final = BUFFERS.items()
RENEWED_OR_NOT: Final = {"renewed-at-handover": "kept", "kept": "renewed-at-handover"}


def _round_trip(row: Row) -> bool:
    return rounded(2 * row.delay_ms / row.kbps, row.ratio) == row.ratio


WRONG_MODELS: Final[dict[str, WrongModel]] = {
    "a mobile at rest": given("no handover: the mobile stays beside AR1", *STILL),
    "plain Mobile IPv6": given("no MAP", ("mobile_ip.kind", "mipv6")),
    "cells that do not overlap": given("cells of 150 m", ("wlan.range", "150 m")),
    "a window of 8": given("a receiver that allows 8 packets", ("tcp.window", "8")),
    "packets of one size": altered("512 B in each row", "ftp.packet_size", lambda _: "512 B"),
    "one RTT": altered("100 ms in each row", "wan.rtt", lambda _: "100 ms"),
    "Reno": given("Reno in Vegas' place", ("tcp.variant", "reno")),
    "CUBIC": given("CUBIC in Vegas' place", ("tcp.variant", "cubic")),
    "base RTT learnt anew": given("Vegas forgets its base RTT at a handover", *RENEWED),
    "base RTT kept": swapped(
        "Vegas keeps its base RTT over a handover", "tcp.vegas.base_rtt", RENEWED_OR_NOT
    ),
    "another formula": WrongModel(
        "round trips for delays, the access link for the bottleneck, a whole bandwidth-delay "
        "product for 0.835, delay for the ratio, the upper band for the lower",
        instead={
            "eq4-table-2": constant([sum(map(_round_trip, STANDARD.values()))]),
            "eq4-table-3": constant([sum(map(_round_trip, SPACED.values()))]),
            "eq4-table-4": constant([sum(map(_round_trip, BY_RTT.values()))]),
            "table-5-bdp": constant(
                [sum(rounded(bdp(rtt, ACCESS_BPS), cell) == cell for rtt, (cell, _) in _V)]
            ),
            "table-5-x": constant(
                [sum(rounded(buffer_ratio(rtt, ACCESS_BPS), x) == x for rtt, (_, x) in _V)]
            ),
            "table-5-mean": constant(
                [sum((buffer_ratio(rtt, ACCESS_BPS) for rtt, _ in _V), Decimal(0)) / len(_V)]
            ),
            "table-6-bdp": constant(
                [sum(rounded(bdp(rtt, ACCESS_BPS), row[0]) == row[0] for rtt, row in _VI)]
            ),
            "table-6-calculated": constant(
                [sum(rounded(bdp(rtt), row[1]) == row[1] for rtt, row in _VI)]
            ),
            "eq3": constant([Decimal("0.5")]),
            "own-c5": constant(
                [min(rows, key=lambda size: rows[size].delay_ms) for rows in TABLES]
            ),
            "own-c12-efficiency": constant(
                [min(rows, key=lambda size: rows[size].delay_ms) for rows in TABLES]
            ),
            "own-slope": constant([Decimal(1)]),
            "own-stale": constant([100 * STALE_ABOVE.missed(BY_RTT[rtt]) for rtt in (50, 70)]),
        },
    ),
}
"""By the names that facts give them."""
