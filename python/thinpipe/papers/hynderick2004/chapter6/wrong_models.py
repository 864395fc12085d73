"""Wrong models of queues, rates and advice, which the bands of chapter VI must reject."""

from __future__ import annotations

from typing import Final

from thinpipe.papers.hynderick2004.chapter6 import advice
from thinpipe.papers.hynderick2004.chapter6.setup import BEING_SENT, MODULE_RATES
from thinpipe.papers.wrong import WrongModel, altered, given
from thinpipe.point import Point

QUEUE: Final = "queue.packets"
SF: Final = "radio.downlink.sf"
ERRORS: Final = "radio.downlink.tbler"
UNLIMITED: Final = "unlimited"

LEFT_AT_10: Final = 0.72
"""Share of the rate at BLER 10 %, by the thesis (VI.C)."""


def _one_fewer(packets: str) -> str:
    return packets if packets == UNLIMITED else str(int(packets) - BEING_SENT)


def _in_bytes(point: Point) -> Point:
    """Return the run whose queue holds as many bytes with packets of 1,540 B as with 540 B."""
    settings = dict(point.settings)
    if settings["tcp.mss"] != "1500 B":
        return point
    waiting = max(1, round((int(settings[QUEUE]) - BEING_SENT) / 3))
    return given("", (QUEUE, waiting + BEING_SENT)).change(point)


def _slower(point: Point) -> Point:
    """Return the run without errors at the rate that errors leave."""
    settings = dict(point.settings)
    if float(settings[ERRORS]) == 0:
        return point
    rate_bps = round(1000 * LEFT_AT_10 * MODULE_RATES[int(settings[SF])])
    kept = tuple(pair for pair in point.settings if pair[0] not in (SF, ERRORS))
    lower = ((ERRORS, "0"), ("radio.downlink.rate", f"{rate_bps} bit/s"))
    return Point(point.scenario, (*kept, *lower), point.algorithms)


WRONG_MODELS: Final = {
    "sent packet counted": altered(
        "The packet being sent takes a place of the queue.", QUEUE, _one_fewer
    ),
    "queue in bytes": WrongModel(
        "A queue holds as many bytes of large packets as of small ones.", _in_bytes
    ),
    "errors cost rate only": WrongModel(
        "At BLER 10 % the channel has 72 % of its rate, evenly.", _slower
    ),
    "queue of 4": given("A queue of 4 packets.", (QUEUE, 4 + BEING_SENT)),
    "queue of 8": given("A queue of 8 packets.", (QUEUE, 8 + BEING_SENT)),
    "large file": given("1 MB in the place of 10 KB.", ("flow.bytes", "1000000 B")),
    "mean RTT in the product": WrongModel(
        "Rate times the mean RTT of the widest window, which has the queue in it.",
        instead={"s1-below": advice.below_queued_bdp},
    ),
    "clock from the SYN": WrongModel(
        "A rate counts from the SYN.",
        instead={
            f"s3-{sf}-{window}": advice.from_syn(sf, window)
            for sf in advice.TABLE_3
            for window in advice.INITIAL_WINDOWS
        },
    ),
    "queue always full": WrongModel(
        "Each packet of a queue, however long it is, adds the time that it takes to send.",
        instead={"e14-levels": lambda _: [0.0, 0.0]},
    ),
    "RTT alike at every rate": WrongModel(
        "Transfers of so many equal round trips, whatever the rate.",
        instead={"s4": lambda _: [0.0, 0.0]},
    ),
    "radio errors, no recovery": given(
        "Packets are lost by block errors of 1 %, not by overflow.",
        ("radio.rlc.mode", "um"),
        (ERRORS, "0.01"),
    ),
}
