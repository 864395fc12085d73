"""Wrong models of the paper's link, senders and proxy: each band rejects one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.setup import FIFO, RADIO, point
from thinpipe.papers.wrong import WrongModel, altered, dropped
from thinpipe.point import Point

if TYPE_CHECKING:
    from collections.abc import Callable

    Text = tuple[str, str]

BOX: Final = "middlebox."


def _has(run: Point, beginning: str) -> bool:
    return any(key.startswith(beginning) for key, _ in run.settings)


def _without(run: Point, *beginnings: str) -> Point:
    kept = tuple(pair for pair in run.settings if not pair[0].startswith(beginnings))
    return Point(run.scenario, kept, run.algorithms)


def _set(run: Point, settings: tuple[Text, ...]) -> Point:
    names = {key for key, _ in settings}
    kept = tuple(pair for pair in run.settings if pair[0] not in names)
    return Point(run.scenario, (*kept, *settings), run.algorithms)


def _where(says: str, chosen: Callable[[Point], bool], *settings: Text) -> WrongModel:
    return WrongModel(says, lambda run: _set(run, settings) if chosen(run) else run)


def _is_radio(run: Point) -> bool:
    return 'kind = "gprs"' in run.scenario.source


def radio(says: str, *settings: Text) -> WrongModel:
    """Return the wrong model with another radio; a plain queue stays as it is."""
    return _where(says, _is_radio, *settings)


def sender(says: str, *settings: Text) -> WrongModel:
    """Return the wrong model with another host, in runs without a box."""
    return _where(says, lambda run: not _has(run, BOX), *settings)


def proxy(says: str, *settings: Text) -> WrongModel:
    """Return the wrong model with another proxy, in runs that have it."""
    return _where(says, lambda run: ("middlebox.kind", "atcp") in run.settings, *settings)


def other_box(says: str, kind: str) -> WrongModel:
    """Return the wrong model with a box of another kind in the proxy's place."""

    def change(run: Point) -> Point:
        if ("middlebox.kind", "atcp") not in run.settings:
            return run
        bare = _without(run, "middlebox.atcp.", "middlebox.kind")
        return _set(bare, (("middlebox.kind", kind),))

    return WrongModel(says, change)


def changed(says: str, **settings: str) -> WrongModel:
    """Return the wrong model in which keys that a run gives have other values."""
    words = {key.replace("__", "."): value for key, value in settings.items()}

    def change(run: Point) -> Point:
        pairs = tuple((key, words.get(key, value)) for key, value in run.settings)
        return Point(run.scenario, pairs, run.algorithms)

    return WrongModel(says, change)


def _as_queue(run: Point) -> Point:
    return point(FIFO, _without(run, "radio.").settings) if _is_radio(run) else run


def _as_radio(run: Point) -> Point:
    return point(RADIO, run.settings) if run.scenario.name == FIFO else run


def _reno_for_vegas(run: Point) -> Point:
    return changed("", tcp__variant="reno", middlebox__tcp__variant="reno").change(run)


WRONG_MODELS: Final[dict[str, WrongModel]] = {
    # The link.
    "link control gives up": radio("packets discarded after 2 s", ("radio.gprs.lifetime", "2 s")),
    "flows of blocks at once": radio(
        "set-up in no time",
        ("radio.gprs.tbf.associated", '["0 s", "0 s"]'),
        ("radio.gprs.tbf.common", '["0 s", "0 s"]'),
        ("radio.gprs.tbf.access", '["0 s", "0 s"]'),
        ("radio.gprs.paging", "off"),
    ),
    "released after 0.3 s": altered(
        "a release that is over before the next packet",
        "radio.gprs.tbf.delayed_release",
        lambda _: "0.3 s",
    ),
    # Hosts.
    "initial window of 10": sender("that of RFC 6928", ("tcp.initial_window", "10")),
    "initial window of 3": sender("that of RFC 3390", ("tcp.initial_window", "3")),
    "window of 32 KB": sender("a receiver with 24 segments", ("tcp.window", "24")),
    "window of 16 KB": sender("a receiver with 12 segments", ("tcp.window", "12")),
    "window of 10 KB": sender("a receiver with 8 segments", ("tcp.window", "8")),
    "fair queue": sender("a queue a flow ahead of the radio", ("queue.kind", "fair")),
    "no SACK": sender("Reno without SACK", ("tcp.variant", "reno")),
    "no restart": sender("idle times leave the window", ("tcp.slow_start_restart", "false")),
    "timer of 60 s": sender(
        "a retransmission timer that knows no round-trip times",
        ("tcp.min_rto", "60 s"),
        ("tcp.max_rto", "60 s"),
    ),
    "a plain queue": WrongModel("neither jitter nor bunches", _as_queue),
    "a radio": WrongModel("jitter and bunches", _as_radio),
    # Beyond the paper.
    "Reno for Vegas": WrongModel("Reno wherever Vegas was", _reno_for_vegas),
    "Vegas on the radio": changed("Vegas on either leg", middlebox__tcp__variant="vegas"),
    "no uplink clamp": dropped("a proxy that leaves uploads alone", "middlebox.atcp.uplink_clamp"),
    "a short round trip": changed(
        "half the round trip, where the window is estimated",
        middlebox__atcp__round_trip="100 ms",
    ),
}
"""By the names that facts give them."""
