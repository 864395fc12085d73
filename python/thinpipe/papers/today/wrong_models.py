"""Wrong models of the study: each band rejects one of them."""

from __future__ import annotations

from typing import Final

from thinpipe.papers.today.all_traffic import WRONG_MODELS as OF_ALL_TRAFFIC
from thinpipe.papers.today.causes import (
    AT_WORK,
    BBR_BEHIND,
    LONG_PAGES,
    MORE_QUEUE,
    NO_ERRORS,
    NO_WAIT,
)
from thinpipe.papers.today.mmwave_tcp import NO_LIMIT
from thinpipe.papers.today.moving_rate import moving
from thinpipe.papers.today.setup import SEEDS
from thinpipe.papers.wrong import WrongModel, altered, dropped, given, swapped
from thinpipe.point import Point


def _other_window(name: str) -> WrongModel:
    """Return the model with another window of atcp where the rate moves."""
    instead = {
        moving(follows, seed): moving(name, seed)
        for follows in ("radio", "westwood")
        for seed in SEEDS
    }
    return WrongModel(f"The window of atcp is {name}.", lambda point: instead.get(point, point))


def _slow_start(point: Point) -> Point:
    if dict(point.settings)["tcp.variant"] != "reno":
        return point
    return Point(point.scenario, (*point.settings, ("tcp.initial_window", "1")), point.algorithms)


def _bbr_in_the_box(point: Point) -> Point:
    if "middlebox.kind" not in dict(point.settings):
        return point
    return Point(point.scenario, (*point.settings, *BBR_BEHIND), point.algorithms)


def _paged_at_once(point: Point) -> Point:
    pairs = (
        (key, "10 ms" if key.endswith(".paging_cycle") else value) for key, value in point.settings
    )
    return Point(point.scenario, tuple(pairs), point.algorithms)


WRONG_MODELS: Final[dict[str, WrongModel]] = {
    "the cause at work": AT_WORK,
    "a short window": altered(
        "Where a window is given it has 512 segments.", "tcp.window", lambda _: "512"
    ),
    "a Vegas that queues": given("Vegas leaves 120 to 240 segments in the queue.", *MORE_QUEUE),
    "no wait for the uplink": given("A mobile is granted what it has at once.", *NO_WAIT),
    "no block errors": given("No block errs in either direction.", *NO_ERRORS),
    "long pages": given("Each page has 2 MB or more.", *LONG_PAGES),
    "a second apart": given("Flows begin a second apart.", ("flow.interval", "1 s")),
    "Vegas for CUBIC": swapped("Vegas in CUBIC's place.", "tcp.variant", {"cubic": "vegas"}),
    "sleep after 100 ms": given("The mobile sleeps sooner.", ("radio.drx.inactivity", "100 ms")),
    "a quick resume": given("A connection is resumed at once.", ("radio.inactive.resume", "15 ms")),
    "paged at once": WrongModel("A mobile listens for pages every 10 ms.", _paged_at_once),
    "never asleep": given(
        "A mobile that is connected always listens.", ("radio.drx.inactivity", "60 s")
    ),
    "a window without end": given("Nothing holds the sender but losses.", *NO_LIMIT),
    "one flow": given("One flow in the place of eight.", ("flow.count", 1)),
    "a long first flight": given("A hundred segments at once.", ("tcp.initial_window", 100)),
    "no link control": given(
        "Nothing is repeated: an SDU is lost with its block.",
        ("radio.harq.repeats", 0),
        ("radio.lte.rlc.mode", "um"),
    ),
    "other variant": swapped(
        "CUBIC in the place of every other variant, Reno in its own.",
        "tcp.variant",
        {"reno": "cubic", "vegas": "cubic", "westwood": "cubic", "bbr": "cubic", "cubic": "reno"},
    ),
    "BBR in the box": WrongModel("A box in front sends with BBR.", _bbr_in_the_box),
    "no middlebox": dropped("Nothing stands in front.", "middlebox.kind"),
    "the repair of Reno": given("No report tells what has arrived.", ("tcp.recovery", "reno")),
    "a slow repair": given(
        "Link control alone repairs, and takes five seconds to.",
        ("radio.harq.repeats", 0),
        ("radio.lte.rlc.reordering", "5 s"),
        ("radio.lte.rlc.status_prohibit", "5 s"),
    ),
    "all CUBIC": given("CUBIC for every variant.", ("tcp.variant", "cubic")),
    "Vegas for Reno": swapped("Vegas in Reno's place.", "tcp.variant", {"reno": "vegas"}),
    "Vegas for BBR": swapped("Vegas in BBR's place.", "tcp.variant", {"bbr": "vegas"}),
    "Reno starts slowly": WrongModel("Reno begins with one segment.", _slow_start),
    "no tail": given("A mobile is idle after 100 ms.", ("radio.rrc.tail", "100 ms")),
    "a window that stays": _other_window("static"),
    "half the round trip": _other_window("half"),
    "patient": given(
        "No time-out is below ten minutes.",
        ("tcp.initial_rto", "600 s"),
        ("tcp.min_rto", "600 s"),
        ("tcp.max_rto", "600 s"),
    ),
    "no errors": given("No block errs.", ("radio.downlink.bler", "0 %")),
    "no AQM": given("The queue drops its tail.", ("queue.kind", "droptail")),
    "flows in turn": given("Flows take turns.", ("queue.kind", "fair")),
    **OF_ALL_TRAFFIC,
    "a near mobile": given("Coverage level 0.", ("radio.coupling_loss", "140 dB")),
}
"""By the names that facts give them."""
