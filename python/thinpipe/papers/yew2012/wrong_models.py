"""Wrong models of the paper's set-up and formulas: each band rejects one of them."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal
from typing import Final

from thinpipe.papers.wrong import WrongModel, altered, given, swapped
from thinpipe.papers.yew2012.arithmetic import (
    UPPER,
    at_base,
    constant,
    misses,
    printed_bdp,
    printed_x,
    unrounded,
)
from thinpipe.papers.yew2012.claims import accuracy
from thinpipe.papers.yew2012.measuring import base_error
from thinpipe.papers.yew2012.printed import (
    BUFFER,
    BY_RTT,
    RTTS,
    SPACED,
    STANDARD,
    Row,
    bdp,
)
from thinpipe.papers.yew2012.setup import BASE, RENEWED, Plan

RENEWED_OR_NOT: Final = {"renewed-at-handover": "kept", "kept": "renewed-at-handover"}
ETHERNET: Final = 1500
BY_BASE: Final = accuracy(Plan(), base_error)
"""The claim of what spacing takes for the RTT, were that the base RTT in any case."""


def _cut_off(row: Row) -> bool:
    return (row.delay_ms / row.kbps).quantize(row.ratio, ROUND_DOWN) == row.ratio


WRONG_MODELS: Final[dict[str, WrongModel]] = {
    "a window of 20": given("ns-2's default window of 20 packets", ("tcp.window", "20")),
    "packets of one size": altered("512 B in each row", "ftp.packet_size", lambda _: "512 B"),
    "Reno": given("Reno in Vegas' place", ("tcp.variant", "reno")),
    "CUBIC": given("CUBIC in Vegas' place", ("tcp.variant", "cubic")),
    "base RTT for current": WrongModel(
        "packet spacing by the base RTT",
        given("", *BASE).change,
        instead={"c11": lambda outcomes: [float(BY_BASE.verdict(outcomes).value)]},
    ),
    "base RTT learnt anew": given("Vegas forgets its base RTT at a handover", *RENEWED),
    "base RTT kept": swapped(
        "Vegas keeps its base RTT over a handover", "tcp.vegas.base_rtt", RENEWED_OR_NOT
    ),
    "digits cut off": WrongModel(
        "the last digit of a ratio is cut off, not rounded",
        instead={
            "eq4": constant(
                [sum(_cut_off(row) for rows in (STANDARD, SPACED, BY_RTT) for row in rows.values())]
            )
        },
    ),
    "a maximum transfer unit of 1500 B": WrongModel(
        "the maximum transfer unit that VI (i) names, of Ethernet, for that of equation 5",
        instead={
            "table-6-bdp": constant([printed_bdp(rtt, ETHERNET) for rtt in RTTS]),
            "table-5-x": constant([printed_x(rtt, ETHERNET) for rtt in UPPER]),
        },
    ),
    "the buffer over the mean BDP": WrongModel(
        "50 packets over the mean of the six bandwidth-delay products, to three places",
        instead={
            "table-5-mean": constant(
                [round(BUFFER * len(UPPER) / sum(map(bdp, UPPER), Decimal(0)), 3)]
            )
        },
    ),
    "the mean X before rounding": WrongModel(
        "0.835005 for 0.835, which ends three of the twelve in another digit",
        instead={"table-6-calculated": constant([unrounded(rtt) for rtt in RTTS])},
    ),
    "a base RTT of 19 ms": WrongModel(
        "Vegas keeps ∆ over a base RTT of 19 ms, from the row of 40 ms on",
        instead={"own-four": constant(at_base(19))},
    ),
    "a segment a round trip": WrongModel(
        "the window grows by one segment a round trip, 1/CWND for each ACK",
        instead={"own-grows": constant(misses(lambda _: 1.0))},
    ),
}
"""By the names that facts give them."""
