"""What is plausible and wrong: each band of the thesis's facts must tell one of these from ours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from thinpipe.papers.hynderick2004.chapter6.setup import BEING_SENT
from thinpipe.papers.wrong import WrongModel, given, scaled, swapped
from thinpipe.point import Point

if TYPE_CHECKING:
    from collections.abc import Callable

DROPS: Final = "link.drop_arrivals"
QUEUE: Final = "queue.packets"
SF: Final = "radio.downlink.sf"


def altered(says: str, key: str, value: Callable[[str], str]) -> WrongModel:
    """Return the wrong model that has another value of a key wherever a run sets it."""

    def change(point: Point) -> Point:
        pairs = tuple((name, value(old) if name == key else old) for name, old in point.settings)
        return Point(point.scenario, pairs, point.algorithms)

    return WrongModel(says, change)


def dropped(says: str, *keys: str) -> WrongModel:
    """Return the wrong model that leaves these keys at the scenario's defaults."""

    def change(point: Point) -> Point:
        kept = tuple(pair for pair in point.settings if pair[0] not in keys)
        return Point(point.scenario, kept, point.algorithms)

    return WrongModel(says, change)


def _one_later(packets: str) -> str:
    """Return the list of drops with each a packet later."""
    return str([packet + 1 for packet in json.loads(packets)])


def _one_fewer(packets: str) -> str:
    """Return the list of drops without its last."""
    return str(json.loads(packets)[:-1])


def _as_if_counted(queue: str) -> str:
    """Return a queue in which the packet being sent takes one of the stated places."""
    return queue if queue == "unlimited" else str(int(queue) - BEING_SENT)


WRONG_MODELS: Final = {
    # --- Chapters IV and V
    "SYN not counted": altered("The SYN is no packet: each drop is one later.", DROPS, _one_later),
    "one drop fewer": altered("The last packet of each list arrives.", DROPS, _one_fewer),
    "delayed acknowledgements": given(
        "An acknowledgement for every other packet.", ("tcp.delayed_ack", "200 ms")
    ),
    "other variant": swapped(
        "Reno in the place of Tahoe, NewReno and FACK, and Tahoe in Reno's; NewReno in SACK's.",
        "tcp.variant",
        {"tahoe": "reno", "reno": "tahoe", "newreno": "reno", "fack": "reno", "sack": "newreno"},
    ),
    "window of 20": given("ns-2's default window.", ("tcp.window", "20")),
    "all Tahoe": given("Tahoe for every variant.", ("tcp.variant", "tahoe")),
    "all Reno": given("Reno for every variant.", ("tcp.variant", "reno")),
    "limited transmit": given(
        "What ns-2 had later.", ("tcp.limited_transmit", "true"), ("tcp.recover_guard", "true")
    ),
    "no losses": given("No packet is lost.", ("link.loss", "0")),
    "initial window of 2": given("", ("tcp.initial_window", "2")),
    "slow wire": given("", ("wired.access.rate", "0.8 Mbit/s")),
    "first of its kind counted": WrongModel(
        "The first acknowledgement of a packet counts as a duplicate, too.",
        values=lambda values: [value + 1 for value in values],
    ),
    # --- Chapter VI
    "no recovery": given("RLC in unacknowledged mode.", ("radio.rlc.mode", "um")),
    "recovery": given("RLC as in the scenario.", ("radio.rlc.mode", "am")),
    "recovery by name": given("Link control of TS 25.322.", ("radio.profile", "3gpp")),
    "one draw a block": given("x", ("radio.dpcch", "with-data")),
    "no block errors": given("No block errors.", ("radio.downlink.tbler", "0")),
    "unlimited queue": given("No queue overflows.", (QUEUE, "unlimited")),
    "packet being sent counted": altered("x", QUEUE, _as_if_counted),
    "queue of 2": given("x", (QUEUE, "3")),
    "window of 64": given("A window of 64 packets", ("tcp.window", "64")),
    "window of 8": given("x", ("tcp.window", "8")),
    "40 ms more of wire": given("x", ("wired.Iub.delay", "70 ms")),
    "twice the rate": swapped(
        "x",
        SF,
        {"512": "256", "256": "128", "128": "64", "64": "32", "32": "16", "16": "8", "8": "4"},
    ),
    "half the rate": swapped(
        "x",
        SF,
        {"256": "512", "128": "256", "64": "128", "32": "64", "16": "32", "8": "16", "4": "8"},
    ),
    "constant rate and coverage": dropped("No jump, no black-out.", "radio.schedule"),
    "small packets": given("500 B", ("tcp.mss", "500 B")),
    "no back-off": given("x", ("tcp.back_off", "none")),
    "least RTO of 0.2 s": given("x", ("tcp.min_rto", "200 ms")),
    "all SACK": given("SACK for every variant.", ("tcp.variant", "sack")),
    "constant delay": given("a fast radio", ("radio.downlink.rate", "10 Mbit/s")),
    "twice as much": scaled("2", 2.0),
    "half as much": scaled("0.5", 0.5),
    "nothing": scaled("0", 0.0),
    "reverse": scaled("-1", -1.0),
}
