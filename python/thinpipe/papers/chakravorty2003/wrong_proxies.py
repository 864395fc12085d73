"""Wrong models of the paper's proxy: the band of each fact about it rejects one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.laws import BOX as LAWS_BOX
from thinpipe.papers.chakravorty2003.laws import data_early_s
from thinpipe.papers.chakravorty2003.measuring import each
from thinpipe.papers.chakravorty2003.queueing import runs as downloads
from thinpipe.papers.chakravorty2003.setup import RADIO
from thinpipe.papers.chakravorty2003.wrong_models import other_box, proxy, radio, sender
from thinpipe.papers.wrong import WrongModel, given, swapped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from thinpipe.point import Point

CLASSES: Final = "middlebox.atcp.classes."


def _classes(says: str, settings: Mapping[str, str]) -> WrongModel:
    """Return the wrong model with other classes of flows, in runs that have these."""
    wanted = {CLASSES + key: value for key, value in settings.items()}
    model = given(says, *wanted.items())
    names = {key.rpartition(".")[0] for key in wanted}

    def change(run: Point) -> Point:
        there = {key.rpartition(".")[0] for key, _ in run.settings}
        return model.change(run) if names <= there else run

    return WrongModel(says, change)


WRONG_PROXIES: Final[dict[str, WrongModel]] = {
    # Other schemes in its place.
    "I-TCP": other_box("a split connection in which each flow has a TCP of its own", "i-tcp"),
    "W-TCP": other_box("W-TCP: a fixed window for each connection, and back-off", "w-tcp"),
    "Snoop": other_box("Snoop, which has a timer for each packet", "snoop"),
    # Its window and its repairs.
    "6 KB": proxy("a window of 6 KB", ("middlebox.atcp.clamp", "6144 B")),
    "8 KB": proxy("a window of 8 KB", ("middlebox.atcp.clamp", "8192 B")),
    "16 KB": proxy("a window of 16 KB", ("middlebox.atcp.clamp", "16384 B")),
    "threshold of 4": proxy("skipack to 4", ("middlebox.atcp.skip_threshold", "4")),
    "timeouts alone": proxy(
        "skipack that is never reached", ("middlebox.atcp.skip_threshold", "1000")
    ),
    "timeout of 60 s": proxy("a timer that no stall outlasts", ("middlebox.atcp.min_rto", "60 s")),
    # The windows that it advertises to hosts.
    "FIN as data": WrongModel(
        "a FIN that is acknowledged as early as the last data before it",
        instead={"p9": each(downloads(RADIO, LAWS_BOX), data_early_s)},
    ),
    # Its scheduler.
    "priority, not tickets": _classes(
        "priority for the flow with more tickets", {"first.tickets": "1", "first.priority": "1"}
    ),
    "tickets, not priority": _classes(
        "ten tickets for telnet and one for the download",
        {"telnet.priority": "0", "telnet.tickets": "10"},
    ),
    # Its environment.
    "window of 32 KB": sender("a receiver with 24 segments", ("tcp.window", "24")),
    "8 KB at first": swapped(
        "Linux with a first window of 8 KB", "tcp.receiver", {"linux-2.4": "wince"}
    ),
    "64 KB at first": swapped(
        "Linux with a first window of 64 KB", "tcp.receiver", {"linux-2.4": "plain"}
    ),
    "5392 B at first": swapped(
        "Linux with its own first window", "tcp.receiver", {"plain": "linux-2.4"}
    ),
    "half of the product": proxy(
        "half of the link's product in the buffer", ("middlebox.atcp.overprovision", "0.5")
    ),
    "buffer of 16 KB": radio("16 KB ahead of the radio", ("queue.bytes", "16 kB")),
}
"""By the names that facts give them."""
