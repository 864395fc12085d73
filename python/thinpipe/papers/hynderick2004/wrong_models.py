"""Wrong models of the thesis: the band of each fact must reject one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.hynderick2004.chapter6.parameters import LOSSY, last_over_hit
from thinpipe.papers.hynderick2004.chapter6.wrong_models import QUEUE
from thinpipe.papers.hynderick2004.chapter6.wrong_models import WRONG_MODELS as CHAPTER_6
from thinpipe.papers.hynderick2004.experiments import (
    BITS,
    FORMULA_WINDOW,
    SEEDS,
    SIZES,
    lossy,
    lossy_bits,
    packet_bits,
)
from thinpipe.papers.hynderick2004.formulas import loss_of_packet
from thinpipe.papers.wrong import WrongModel, altered, given, swapped

if TYPE_CHECKING:
    from thinpipe.point import Point


def _lost_like_the_smallest(point: Point) -> Point:
    """Return the run whose packets are lost as often as the smallest are at its bit losses."""
    for bit_loss in BITS:
        for seed in SEEDS:
            for payload in SIZES:
                if point == lossy_bits(bit_loss, payload, seed):
                    loss = round(loss_of_packet(bit_loss, packet_bits(SIZES[0])), 12)
                    return lossy("tahoe", loss, seed, FORMULA_WINDOW, payload)
    return point


WRONG_MODELS: Final = {
    # --- Chapters IV and V
    "delayed acknowledgements": given(
        "The receiver of chapter IV.A: it waits for a second packet, or for 50 ms.",
        ("tcp.delayed_ack", "50 ms"),
    ),
    "other variant": swapped(
        "Reno in the place of Tahoe, NewReno, FACK and Vegas, Tahoe in Reno's, NewReno in SACK's.",
        "tcp.variant",
        {
            "tahoe": "reno",
            "reno": "tahoe",
            "newreno": "reno",
            "sack": "newreno",
            "fack": "reno",
            "vegas": "reno",
        },
    ),
    "all Tahoe": given("Tahoe for every variant.", ("tcp.variant", "tahoe")),
    "limited transmit": given(
        "What ns-2 had later: the first two duplicates release a packet each.",
        ("tcp.limited_transmit", "true"),
    ),
    "later guard": given(
        "What ns-2 had later: duplicates of a packet sent before the last loss count for nothing.",
        ("tcp.recover_guard", "true"),
    ),
    "NewReno for Reno": swapped(
        "No partial acknowledgement ends a recovery.", "tcp.variant", {"reno": "newreno"}
    ),
    "SACK of RFC 6675": given(
        "The sender counts pipe from its scoreboard, not down by acknowledgements.",
        ("tcp.sack_rule", "rfc6675"),
    ),
    "lost retransmissions noticed": given(
        "RACK (RFC 8985) in the place of each recovery.", ("tcp.recovery", "rack")
    ),
    "window of 20": given("The window that ns-2 has by default.", ("tcp.window", "20")),
    "BBR": given("Losses of 1 % are no hint of congestion.", ("tcp.variant", "bbr")),
    "loss a packet, whatever its size": WrongModel(
        "Packets of every size are lost as often as those of 250 B.", _lost_like_the_smallest
    ),
    # --- Chapter VI: the set-up
    "uplink of SF 16": given(
        "120 kbit/s: the nearest to 140 kbit/s, and what 70 kbit/s alone would get.",
        ("radio.uplink.sf", "16"),
    ),
    "out of sequence": given("Packets pass one another.", ("radio.rlc.in_order", "false")),
    "error seen in the last PDU only": WrongModel(
        "The module before its modification 3: a packet is lost if its last PDU is.",
        instead={"p10": lambda outcomes: [last_over_hit(outcomes[LOSSY])]},
    ),
    "one sample a window": given(
        "The estimate follows a packet a window.", ("tcp.rtt_sampling", "one-per-window")
    ),
    "constant back-off": given("The timer stays as it is.", ("tcp.back_off", "constant")),
    "minimum timeout of 1 s": given("That of the scenario.", ("tcp.min_rto", "1 s")),
    # --- Link-layer recovery and block errors
    "no recovery": given("RLC in unacknowledged mode.", ("radio.rlc.mode", "um")),
    "recovery": given("RLC as in the scenario.", ("radio.rlc.mode", "am")),
    "recovery by name": given(
        "The link control of TS 25.322: PDUs of 40 B, each reported by name.",
        ("radio.profile", "3gpp"),
    ),
    "recovery timeout of 40 ms": given(
        "Less than a request and its answer take.", ("radio.rlc.recovery_timeout", "40 ms")
    ),
    "PDUs without a header": given("All of the rate carries payload.", ("radio.rlc.header", "0 B")),
    # --- Rates, queues and windows
    "unlimited queue": given("No queue overflows.", (QUEUE, "unlimited")),
    "queue of 2": given("The shortest queue for all.", (QUEUE, "3")),
    "queue of 15": given("The queue overflows before the window is full.", (QUEUE, "16")),
    "window of 1000": given("The queue alone bounds what is outstanding.", ("tcp.window", "1000")),
    "window of 64": given("A wider window than ns-2's.", ("tcp.window", "64")),
    "window of 8": given("A window below the path's product.", ("tcp.window", "8")),
    "manager without a bound": altered(
        "The manager lets all wait.", "radio.buffer.bulk", lambda _: "1000"
    ),
    **CHAPTER_6,
}
