"""The proxy's benefit to users: pages over one connection, §VI.A, and typing, §IV.B."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.measuring import received_s
from thinpipe.papers.chakravorty2003.setup import (
    PLAIN,
    RADIO,
    Settings,
    clamp,
    download,
    seeds,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.point import Point

BOX: Final = clamp(10)

# --- Pages ----------------------------------------------------------------------------------------

PAGES_KB: Final = (5, 10, 20)
PROTOCOLS: Final = ("http/1.0", "http/1.1")
LINUX: Final[Settings] = (("tcp.receiver", "linux-2.4"),)


def pages(kb: int, protocol: str, more: Settings) -> tuple[Point, ...]:
    """Return pages of one object each, read for 20 s, to the paper's mobile."""
    reading: Settings = (
        ("flow.application", "web"),
        ("flow.web.main.median", f"{kb} kB"),
        ("flow.web.main.sigma", 0),
        ("flow.web.objects.most", 1),
        ("flow.web.protocol", protocol),
        ("flow.web.connections", 1),
        ("flow.web.reading", "20 s"),
        ("duration", "600 s"),
    )
    return seeds(RADIO, reading, LINUX, more)


def page_s(outcomes: Outcomes, kb: int, protocol: str, more: Settings) -> float:
    """Return the mean time from a request to the last byte of its page, in s."""
    found = [outcomes[point].flow.pages for point in pages(kb, protocol, more)]
    return fmean(each.response_s.mean or 0.0 for each in found if each is not None)


def gain(outcomes: Outcomes, kb: int, protocol: str) -> float:
    """Return by how much less a page takes with the proxy, in per cent."""
    plain, box = (page_s(outcomes, kb, protocol, more) for more in (PLAIN, BOX))
    return 100 * (1 - box / plain)


def gains(protocol: str) -> Measure:
    """Measure the time of a page with the proxy, in % of difference, one value per size."""
    return lambda outcomes: [-gain(outcomes, kb, protocol) for kb in PAGES_KB]


def enhanced(outcomes: Outcomes) -> list[float]:
    """Return the gain with persistent connections less that without, in % of a page's time."""
    gained = [[gain(outcomes, kb, protocol) for protocol in PROTOCOLS] for kb in PAGES_KB]
    return [persistent - single for single, persistent in gained]


PAGE_POINTS: Final = tuple(
    point
    for kb in PAGES_KB
    for protocol in PROTOCOLS
    for more in (PLAIN, BOX)
    for point in pages(kb, protocol, more)
)

# --- Typing ---------------------------------------------------------------------------------------

PORTS: Final = {"bulk": 20, "telnet": 8023}

TYPING: Final[Settings] = (
    *download(600),
    ("flow.port", PORTS["bulk"]),
    ("flow.group.second.application", "telnet"),
    ("flow.group.second.telnet.interval", "5 s"),
    ("flow.group.second.telnet.count", 20),
    ("flow.group.second.port", PORTS["telnet"]),
    ("flow.group.second.start", "20 s"),
    ("duration", "200 s"),
)
"""Twenty keystrokes beside a download."""

STRICT: Final[Settings] = (
    *BOX,
    *(
        (f"middlebox.atcp.classes.{name}.{key}", value)
        for name, port in PORTS.items()
        for key, value in (("port", port), ("priority", int(name == "telnet")))
    ),
)

UNDEFERRED: Final[Settings] = (*STRICT, ("middlebox.atcp.deference", "off"))
"""Priority as in the paper: only ahead of the data queued in the proxy."""

WAYS: Final = {
    "no box": PLAIN,
    "one priority": BOX,
    "strict priority": UNDEFERRED,
    "strict priority, the download held to 90 % of the rate": STRICT,
}


def typing(more: Settings) -> tuple[Point, ...]:
    """Return typing beside a download."""
    return seeds(RADIO, TYPING, more)


TYPING_POINTS: Final = tuple(point for more in WAYS.values() for point in typing(more))


def echo_s(outcomes: Outcomes, way: str) -> float:
    """Return the mean time from a keystroke to its echo, in s."""
    found = [outcomes[point].result.flows[1].echo_s for point in typing(WAYS[way])]
    return fmean(each.mean or 0.0 for each in found if each is not None)


def sooner(way: str, than: str) -> Measure:
    """Measure the mean echo of one way beside that of another, in per cent of difference."""
    return lambda outcomes: [100 * (echo_s(outcomes, way) / echo_s(outcomes, than) - 1)]


MEASURES: Final[dict[str, Measure]] = {
    "p13-kept": gains("http/1.0"),
    "p13-enhanced": enhanced,
    "p14-priority": sooner("strict priority", "one priority"),
    "p14-plain": sooner("one priority", "no box"),
}


def page_table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate page times."""
    rows = []
    for protocol in PROTOCOLS:
        for name, more in (("without proxy", PLAIN), ("with proxy", BOX)):
            cells = [short(page_s(outcomes, kb, protocol, more)) for kb in PAGES_KB]
            rows.append((f"{protocol}, {name}", *cells))
        cells = [f"{short(gain(outcomes, kb, protocol), 3)} %" for kb in PAGES_KB]
        rows.append((f"{protocol}, gain", *cells))
    head = ("", *(f"{kb} kB" for kb in PAGES_KB))
    caption = "Time of a page in s, receiver Linux 2.4, mean of ten seeds"
    return (Table(caption, head, tuple(rows)),)


def typing_table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate echoes, and the download beside them."""
    rows = tuple(
        (
            way,
            short(echo_s(outcomes, way)),
            short(fmean(received_s(outcomes[point]) for point in typing(WAYS[way]))),
        )
        for way in WAYS
    )
    head = ("", "mean echo s", "600 KB meanwhile: s")
    return (Table("Typing during a download, mean of ten seeds", head, rows),)
