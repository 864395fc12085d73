"""The runs beside the downloads of the map, by seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.today.setup import PIPES, download, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.point import Point

ERROR_RATES: Final = (0, 10, 20, 30)
"""Share of first transmissions in error, in percent."""

FLOWS: Final = 4

UNCHANGING: Final = (("radio.recorded", '[{at = "0 s", delay = "16 ms"}]'),)
"""A satellite that stays: the way of the mean one with the mean detour, and no slots."""


def over(scenario: str, name: str, *more: Settings) -> Callable[[int], Point]:
    """Return the download of a row over a pipe, as the map has it, with whatever else is set."""
    pipe = PIPES[scenario]
    return lambda seed: download(pipe, name, seed, *more)


def start(name: str, *more: Settings) -> Callable[[int], Point]:
    """Return 10 MB over geo-600."""
    return lambda seed: run(PIPES["geo-600"], name, (("flow.bytes", "10 MB"),), *more, seed=seed)


def in_error(name: str, percent: int, *more: Settings) -> Callable[[int], Point]:
    """Return a download over lte-cat1 with that share of first transmissions in error."""
    settings = (("flow.bytes", "unlimited"), ("radio.downlink.bler", f"{percent} %"))
    return lambda seed: run(PIPES["lte-cat1"], name, settings, *more, seed=seed)


def leo(name: str, *more: Settings, changes: bool) -> Callable[[int], Point]:
    """Return a download over leo-15s, or over a satellite that stays."""
    return over("leo-15s", name, () if changes else UNCHANGING, *more)


def pages(scenario: str, name: str, *more: Settings) -> Callable[[int], Point]:
    """Return pages one after the other, 5 s to read each."""
    settings = (
        ("duration", "300 s"),
        ("flow.bytes", "unlimited"),
        ("flow.application", "web"),
        ("flow.web.reading", "5 s"),
    )
    return lambda seed: run(PIPES[scenario], name, settings, *more, seed=seed)


def shared(scenario: str, name: str, *more: Settings) -> Callable[[int], Point]:
    """Return four downloads of the same variant at once, a second apart, for a minute."""
    settings = (
        ("duration", "60 s"),
        ("flow.bytes", "unlimited"),
        ("flow.count", FLOWS),
        ("flow.interval", "1 s"),
    )
    return lambda seed: run(PIPES[scenario], name, settings, *more, seed=seed)


def alone(name: str, *more: Settings) -> Callable[[int], Point]:
    """Return a download over lte-cat4 without pings, whose energy counts.

    It ends, and its tail too, with each variant.
    """
    settings = (("duration", "200 s"), ("flow.bytes", "20 MB"))
    return lambda seed: run(PIPES["lte-cat4"], name, settings, *more, seed=seed)


def one_page(seed: int) -> Point:
    """Return a page of 500 kB over lte-cat4, and half a minute after it."""
    settings = (("duration", "30 s"), ("flow.bytes", "500 kB"))
    return run(PIPES["lte-cat4"], "cubic", settings, seed=seed)


def behind(kind: str, name: str, *more: Settings) -> Callable[[int], Point]:
    """Return a download through a queue of that kind before mmWave."""
    return over("nr-mmwave-blockage", name, (("queue.kind", kind),), *more)
