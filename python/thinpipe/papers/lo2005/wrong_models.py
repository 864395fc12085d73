"""Wrong models of the paper's set-up: each band rejects one of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from thinpipe.papers.lo2005.experiments import BEYOND, TBLERS
from thinpipe.papers.wrong import WrongModel, given

WRONG_MODELS: Final[dict[str, WrongModel]] = {
    "uplink without errors": given(
        "block errors in the downlink alone", ("radio.uplink.tbler", "0 %")
    ),
    "timers of EURANE": given(
        "poll timer and status prohibit timer of the ns-2 extension for UMTS",
        ("radio.rlc.poll.timer", "170 ms"),
        ("radio.rlc.status.prohibit", "150 ms"),
    ),
    "uplink TTI of 10 ms": given("the downlink's TTI both ways", ("radio.uplink.tti", "10 ms")),
    "least RTO of 0.2 s": given(
        "the least RTO of ns-2 since October 2004", ("tcp.min_rto", "200 ms")
    ),
    "as the error-free blocks": WrongModel(
        "throughput falls as the share of the blocks without an error",
        instead={
            "collapse": lambda _: [
                100 * ((100 - after) / (100 - before) - 1)
                for before, after in pairwise((TBLERS[-1], *BEYOND))
            ]
        },
    ),
    "β of 4": given("Vegas shrinks its window later", ("tcp.vegas.beta", "4")),
    "β of 1": given("Vegas shrinks its window earlier", ("tcp.vegas.beta", "1")),
    "γ of 2": given("slow start goes on for longer", ("tcp.vegas.gamma", "2")),
    "poll when the window closes": given(
        "RLC stands still until the report", ("radio.rlc.poll.window_utilization", "100 %")
    ),
    "delivered in order": given("in-sequence delivery", ("radio.rlc.in_order", "true")),
    "delivered out of order": given("no in-sequence delivery", ("radio.rlc.in_order", "false")),
}
"""By the names that facts give them."""
