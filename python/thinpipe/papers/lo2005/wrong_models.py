"""What the paper's set-up could be instead: each band fails one of these."""

from __future__ import annotations

from typing import Final

from thinpipe.papers.wrong import WrongModel, given, swapped

OTHER: Final = {"vegas": "reno", "reno": "vegas"}

WRONG_MODELS: Final[dict[str, WrongModel]] = {
    "other variant": swapped("Reno in Vegas' place, and Vegas in Reno's", "tcp.variant", OTHER),
    "no block errors": given("a radio without errors", ("radio.tbler", "0 %")),
    "eleven blocks a TTI": given(
        "352 kbit/s, as if RLC headers took a block", ("radio.downlink.rate", "352 kbit/s")
    ),
    "uplink of 16 kbit/s": given("one block a TTI", ("radio.uplink.rate", "16 kbit/s")),
    "uplink TTI of 10 ms": given("the downlink's TTI both ways", ("radio.uplink.tti", "10 ms")),
    "downlink TTI of 20 ms": given("the uplink's TTI both ways", ("radio.downlink.tti", "20 ms")),
    "40 ms more of wire": given("a core network twice as long", ("wired.Gi.delay", "35 ms")),
    "Gi of 1 Mbit/s": given("a wire that queues, too", ("wired.Gi.rate", "1 Mbit/s")),
    "segments of 1024 B": given("another size of segments", ("tcp.mss", "1024 B")),
    "window of 32": given("half the window", ("tcp.window", "32")),
    "least RTO of 0.2 s": given("Linux' least RTO", ("tcp.min_rto", "200 ms")),
    "β of 4": given("Vegas shrinks its window later", ("tcp.vegas.beta", "4")),
    "β of 1": given("Vegas shrinks its window earlier", ("tcp.vegas.beta", "1")),
    "poll when the window closes": given(
        "RLC stands still until the report", ("radio.rlc.poll.window_utilization", "100 %")
    ),
    "RLC gives up": given("two transmissions a block", ("radio.rlc.max_retransmissions", "1")),
    "delivered in order": given("in-sequence delivery", ("radio.rlc.in_order", "true")),
    "delivered out of order": given("no in-sequence delivery", ("radio.rlc.in_order", "false")),
}
"""By the names that facts give them."""
